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
    __shared__ float h0[1024];
    const int lane = threadIdx.x % 8 * 4;
    const int slot = threadIdx.x / 8;
    for (int u = blockIdx.x; u < a.n; u += gridDim.x) {
        const int point = u / a.leaves;
        const int f0 = (u % a.leaves) * a.b0;
        const int e0 = f0 + a.b0 < a.r0 ? f0 + a.b0 : a.r0;
        const int columns = (e0 - f0 + 31) / 32;
        const int groups = columns;
        float t0 = (-0.0f);
        for (int g = 0; g < groups; g += 32) {
            float q0[1][4];
            float q1[1][4];
            #pragma unroll
            for (int e = 0; e < 1; ++e) {
                const int group = g + slot + e * 32;
                const int i0 = f0 + group * 32 + lane;
                const bool inside = group < groups && i0 < e0;
                const int j0 = i0;
                if (i0 + 3 < e0 && inside) {
                    const float4 x0 = __ldg((const float4 *)(a.p0 + j0));
                    q0[e][0] = x0.x;
                    q0[e][1] = x0.y;
                    q0[e][2] = x0.z;
                    q0[e][3] = x0.w;
                } else {
                    q0[e][0] = i0 + 0 < e0 && inside ? __ldg(a.p0 + j0) : 0;
                    q0[e][1] = i0 + 1 < e0 && inside ? __ldg(a.p0 + j0 + 1) : 0;
                    q0[e][2] = i0 + 2 < e0 && inside ? __ldg(a.p0 + j0 + 2) : 0;
                    q0[e][3] = i0 + 3 < e0 && inside ? __ldg(a.p0 + j0 + 3) : 0;
                }
                if (i0 + 3 < e0 && inside) {
                    const float4 x1 = __ldg((const float4 *)(a.p1 + j0));
                    q1[e][0] = x1.x;
                    q1[e][1] = x1.y;
                    q1[e][2] = x1.z;
                    q1[e][3] = x1.w;
                } else {
                    q1[e][0] = i0 + 0 < e0 && inside ? __ldg(a.p1 + j0) : 0;
                    q1[e][1] = i0 + 1 < e0 && inside ? __ldg(a.p1 + j0 + 1) : 0;
                    q1[e][2] = i0 + 2 < e0 && inside ? __ldg(a.p1 + j0 + 2) : 0;
                    q1[e][3] = i0 + 3 < e0 && inside ? __ldg(a.p1 + j0 + 3) : 0;
                }
            }
            __syncthreads();
            #pragma unroll
            for (int e = 0; e < 1; ++e) {
                #pragma unroll
                for (int o = 0; o < 4; ++o) {
                    const float v0 = q0[e][o];
                    const float v1 = q1[e][o];
                    const float v2 = __fmul_rn(v0, v1);
                    h0[(slot + e * 32) * 32 + lane + o] = v2;
                }
            }
            __syncthreads();
            if (threadIdx.x < 32) {
                const int here = threadIdx.x % 32;
                if (g + 32 <= groups && (e0 - f0) % 32 == 0) {
                    #pragma unroll 16
                    for (int s = 0; s < 32; ++s) {
                        t0 = __fadd_rn(t0, h0[s * 32 + here]);
                    }
                } else {
                    const int some = groups - g < 32 ? groups - g : 32;
                    int column = g % columns;
                    #pragma unroll 4
                    for (int s = 0; s < some; ++s) {
                        if (f0 + column * 32 + here < e0) {
                            t0 = __fadd_rn(t0, h0[s * 32 + here]);
                        }
                        if (++column == columns) column = 0;
                    }
                }
            }
        }
        if (threadIdx.x < 32) {
            #pragma unroll
            for (int w = 16; w > 0; w /= 2) {
                const float o0 = (float)__shfl_down_sync(0xffffffffu, t0, w, 32);
                t0 = __fadd_rn(t0, o0);
            }
            if (threadIdx.x == 0) {
                a.w0[u] = t0;
            }
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
                const int left = (low + p) * 2 * size;
                const int right = left + size, end = right + size;
                const bool inside = left >= a.m0 && right < a.g0
            && (end < a.g0 ? end : a.g0) <= a.m0 + a.l0;
                if (!inside) continue;
                const int row = -a.m0;
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
