struct darray_leaves_0_arguments {
    alignas(8) const double *p0;
    alignas(8) double *p1;
    alignas(8) double x0;
    alignas(8) int n;
    alignas(8) int s0_0;
    alignas(8) int r0;
};

extern "C" __global__ void __launch_bounds__(256) darray_leaves_0(
    darray_leaves_0_arguments a) {
    const int lane = threadIdx.x % 32;
    const int step = (int)gridDim.x * blockDim.x / 32;
    for (int g = ((int)blockIdx.x * blockDim.x + threadIdx.x) / 32 * 1; g < a.n; g += step) {
        const bool active = g < a.n;
        const int u = active ? g : a.n - 1;
        const int point = u;
        const int c0 = point;
        const int k0 = c0 * a.s0_0;
        const int k1 = c0;
        const int f0 = 0, e0 = a.r0;
        double t0 = (-0.0);
        int i0 = f0 + lane;
        for (; i0 + 480 < e0; i0 += 512) {
            double q0[16];
            #pragma unroll
            for (int e = 0; e < 16; ++e) {
                const int j0 = k0 + (i0 + e * 32);
                q0[e] = __ldg(a.p0 + j0);
            }
            #pragma unroll
            for (int e = 0; e < 16; ++e) {
                const double v1 = q0[e];
                t0 = __dadd_rn(t0, v1);
            }
        }
        for (; i0 < e0; i0 += 256) {
            double q0[8];
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                const int j0 = k0 + (i0 + e * 32);
                q0[e] = (i0 + e * 32) < e0 ? __ldg(a.p0 + j0) : 0;
            }
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                if ((i0 + e * 32) < e0) {
                    const double v1 = q0[e];
                    t0 = __dadd_rn(t0, v1);
                }
            }
        }
        #pragma unroll
        for (int w = 16; w > 0; w /= 2) {
            const double o0 = (double)__shfl_down_sync(0xffffffffu, t0, w, 32);
            t0 = __dadd_rn(t0, o0);
        }
        if (active && lane == 0) {
            const double v2 = t0;
            const double v3 = __dmul_rn(a.x0, v2);
            a.p1[k1] = v3;
        }
    }
}
