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
    const int lane = threadIdx.x % 32;
    const int step = (int)gridDim.x * blockDim.x / 32;
    for (int g = ((int)blockIdx.x * blockDim.x + threadIdx.x) / 32 * 1; g < a.n; g += step) {
        const bool active = g < a.n;
        const int u = active ? g : a.n - 1;
        const int point = u / a.leaves;
        const int f0 = (u % a.leaves) * a.b0;
        const int e0 = f0 + a.b0 < a.r0 ? f0 + a.b0 : a.r0;
        float t0 = (-0.0f);
        int i0 = f0 + lane;
        for (; i0 + 480 < e0; i0 += 512) {
            float q0[16];
            float q1[16];
            #pragma unroll
            for (int e = 0; e < 16; ++e) {
                const int j0 = (i0 + e * 32);
                q0[e] = __ldg(a.p0 + j0);
                q1[e] = __ldg(a.p1 + j0);
            }
            #pragma unroll
            for (int e = 0; e < 16; ++e) {
                const float v0 = q0[e];
                const float v1 = q1[e];
                const float v2 = __fmul_rn(v0, v1);
                t0 = __fadd_rn(t0, v2);
            }
        }
        for (; i0 < e0; i0 += 256) {
            float q0[8];
            float q1[8];
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                const int j0 = (i0 + e * 32);
                q0[e] = (i0 + e * 32) < e0 ? __ldg(a.p0 + j0) : 0;
                q1[e] = (i0 + e * 32) < e0 ? __ldg(a.p1 + j0) : 0;
            }
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                if ((i0 + e * 32) < e0) {
                    const float v0 = q0[e];
                    const float v1 = q1[e];
                    const float v2 = __fmul_rn(v0, v1);
                    t0 = __fadd_rn(t0, v2);
                }
            }
        }
        #pragma unroll
        for (int w = 16; w > 0; w /= 2) {
            const float o0 = (float)__shfl_down_sync(0xffffffffu, t0, w, 32);
            t0 = __fadd_rn(t0, o0);
        }
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
