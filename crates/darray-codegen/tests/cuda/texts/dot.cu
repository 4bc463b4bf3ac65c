struct darray_leaves_0_arguments {
    alignas(8) const float *p0;
    alignas(8) const float *p1;
    alignas(8) int n;
    alignas(8) int r0;
    alignas(8) int points;
    alignas(8) int l0;
    alignas(8) int b0;
    alignas(8) int leaves;
    alignas(8) float *w0;
};

extern "C" __global__ void __launch_bounds__(256) darray_leaves_0(
    darray_leaves_0_arguments a) {
    const int lane = threadIdx.x % 8 * 4;
    const int step = (int)gridDim.x * blockDim.x / 8;
    for (int g = ((int)blockIdx.x * blockDim.x + threadIdx.x) / 32 * 4; g < a.n; g += step) {
        const bool active = g + threadIdx.x % 32 / 8 < a.n;
        const int u = active ? g + threadIdx.x % 32 / 8 : a.n - 1;
        const int point = u / a.leaves;
        const int f0 = (u % a.leaves) * a.b0;
        const int e0 = f0 + a.b0 < a.r0 ? f0 + a.b0 : a.r0;
        float s0[4] = {(-0.0f), (-0.0f), (-0.0f), (-0.0f)};
        const int end = active ? e0 : f0;
        int i0 = f0 + lane;
        for (; i0 + 483 < end; i0 += 512) {
            float q0[16][4];
            float q1[16][4];
            #pragma unroll
            for (int e = 0; e < 16; ++e) {
                const int j0 = (i0 + e * 32);
                const float4 x0 = __ldg((const float4 *)(a.p0 + j0));
                q0[e][0] = x0.x;
                q0[e][1] = x0.y;
                q0[e][2] = x0.z;
                q0[e][3] = x0.w;
                const float4 x1 = __ldg((const float4 *)(a.p1 + j0));
                q1[e][0] = x1.x;
                q1[e][1] = x1.y;
                q1[e][2] = x1.z;
                q1[e][3] = x1.w;
            }
            #pragma unroll
            for (int e = 0; e < 16; ++e) {
                #pragma unroll
                for (int o = 0; o < 4; ++o) {
                    const float v0 = q0[e][o];
                    const float v1 = q1[e][o];
                    const float v2 = __fmul_rn(v0, v1);
                    s0[o] = __fadd_rn(s0[o], v2);
                }
            }
        }
        for (; i0 + 3 < end; i0 += 256) {
            float q0[8][4];
            float q1[8][4];
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                if (i0 + e * 32 + 3 < end) {
                    const int j0 = (i0 + e * 32);
                    const float4 x0 = __ldg((const float4 *)(a.p0 + j0));
                    q0[e][0] = x0.x;
                    q0[e][1] = x0.y;
                    q0[e][2] = x0.z;
                    q0[e][3] = x0.w;
                    const float4 x1 = __ldg((const float4 *)(a.p1 + j0));
                    q1[e][0] = x1.x;
                    q1[e][1] = x1.y;
                    q1[e][2] = x1.z;
                    q1[e][3] = x1.w;
                }
            }
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                if (i0 + e * 32 + 3 < end) {
                    #pragma unroll
                    for (int o = 0; o < 4; ++o) {
                        const float v0 = q0[e][o];
                        const float v1 = q1[e][o];
                        const float v2 = __fmul_rn(v0, v1);
                        s0[o] = __fadd_rn(s0[o], v2);
                    }
                }
            }
        }
        const int p0 = f0 + (end - f0) / 4 * 4;
        if ((p0 - f0) % 32 == lane) {
            #pragma unroll
            for (int o = 0; o < 3; ++o) {
                if (p0 + o < end) {
                    const int j0 = (p0 + o);
                    const float v0 = __ldg(a.p0 + j0);
                    const float v1 = __ldg(a.p1 + j0);
                    const float v2 = __fmul_rn(v0, v1);
                    s0[o] = __fadd_rn(s0[o], v2);
                }
            }
        }
        #pragma unroll
        for (int w = 4; w > 0; w /= 2) {
            #pragma unroll
            for (int o = 0; o < 4; ++o) {
                const float o0 = (float)__shfl_down_sync(0xffffffffu, s0[o], w, 8);
                s0[o] = __fadd_rn(s0[o], o0);
            }
        }
        s0[0] = __fadd_rn(s0[0], s0[2]);
        s0[1] = __fadd_rn(s0[1], s0[3]);
        s0[0] = __fadd_rn(s0[0], s0[1]);
        const float t0 = s0[0];
        if (active && lane == 0) {
            a.w0[u] = t0;
        }
    }
}

struct darray_combine_1_arguments {
    alignas(8) float *p2;
    alignas(8) int n;
    alignas(8) int leaves;
    alignas(8) int l0;
    alignas(8) int m0;
    alignas(8) int g0;
    alignas(8) int point_step;
    alignas(8) int leaf_step;
    alignas(8) int slot2;
    alignas(8) float *w0;
};

extern "C" __global__ void __launch_bounds__(256) darray_combine_1(
    darray_combine_1_arguments a) {
    const int first = (int)blockIdx.x * blockDim.x + threadIdx.x;
    const int step = (int)gridDim.x * blockDim.x;
    for (int point = first; point < a.n; point += step) {
        float *const w0 = a.w0 + point * a.point_step;
        int outer = a.leaves, inner = 1;
        outer /= a.l0;
        for (int size = 1; size < a.l0; size *= 2) {
            const int low = a.m0 / (2 * size);
            const int pairs = (a.m0 + a.l0 - 1) / (2 * size) - low + 1;
            for (int p = 0; p < outer * pairs; p += 1) {
                const int left = (low + p % pairs) * 2 * size;
                const int right = left + size, end = right + size;
                const bool inside = left >= a.m0 && right < a.g0
            && (end < a.g0 ? end : a.g0) <= a.m0 + a.l0;
                if (!inside) continue;
                const int row = p / pairs * a.l0 - a.m0;
                const int l = (row + left) * inner * a.leaf_step, r = (row + right) * inner * a.leaf_step;
                const float t0 = __fadd_rn((w0[l]), (w0[r]));
                w0[l] = t0;
            }
        }
        inner *= a.l0;
        int slots = 0, slot = 0;
        for (int s = a.m0; s < a.m0 + a.l0; ++slots) {
            int size = 1;
            while (!(s == 0 && size >= a.g0) && s % (2 * size) == 0
            && (s + 2 * size < a.g0 ? s + 2 * size : a.g0) <= a.m0 + a.l0) {
                size *= 2;
            }
            s += size;
        }
        for (int s = a.m0; s < a.m0 + a.l0; ++slot) {
            int size = 1;
            while (!(s == 0 && size >= a.g0) && s % (2 * size) == 0
            && (s + 2 * size < a.g0 ? s + 2 * size : a.g0) <= a.m0 + a.l0) {
                size *= 2;
            }
            for (int row = 0; row < outer; row += 1) {
                const int l = (row * a.l0 + s - a.m0) * inner / a.l0 * a.leaf_step;
                a.p2[(row * slots + slot) * a.slot2] = w0[l];
            }
            s += size;
        }
        const float v3 = w0[0];
    }
}
