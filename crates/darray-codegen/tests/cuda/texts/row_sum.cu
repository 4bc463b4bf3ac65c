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
    const int lane = threadIdx.x % 16 * 2;
    const int step = (int)gridDim.x * blockDim.x / 16;
    for (int g = ((int)blockIdx.x * blockDim.x + threadIdx.x) / 32 * 2; g < a.n; g += step) {
        const bool active = g + threadIdx.x % 32 / 16 < a.n;
        const int u = active ? g + threadIdx.x % 32 / 16 : a.n - 1;
        const int point = u;
        const int c0 = point;
        const int k0 = c0 * a.s0_0;
        const int k1 = c0;
        const int f0 = 0, e0 = a.r0;
        double s0[2] = {(-0.0), (-0.0)};
        const int end = active ? e0 : f0;
        int i0 = f0 + lane;
        for (; i0 + 481 < end; i0 += 512) {
            double q0[16][2];
            #pragma unroll
            for (int e = 0; e < 16; ++e) {
                const int j0 = k0 + (i0 + e * 32);
                const double2 x0 = __ldg((const double2 *)(a.p0 + j0));
                q0[e][0] = x0.x;
                q0[e][1] = x0.y;
            }
            #pragma unroll
            for (int e = 0; e < 16; ++e) {
                #pragma unroll
                for (int o = 0; o < 2; ++o) {
                    const double v1 = q0[e][o];
                    s0[o] = __dadd_rn(s0[o], v1);
                }
            }
        }
        for (; i0 + 1 < end; i0 += 256) {
            double q0[8][2];
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                if (i0 + e * 32 + 1 < end) {
                    const int j0 = k0 + (i0 + e * 32);
                    const double2 x0 = __ldg((const double2 *)(a.p0 + j0));
                    q0[e][0] = x0.x;
                    q0[e][1] = x0.y;
                }
            }
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                if (i0 + e * 32 + 1 < end) {
                    #pragma unroll
                    for (int o = 0; o < 2; ++o) {
                        const double v1 = q0[e][o];
                        s0[o] = __dadd_rn(s0[o], v1);
                    }
                }
            }
        }
        const int p0 = f0 + (end - f0) / 2 * 2;
        if ((p0 - f0) % 32 == lane) {
            #pragma unroll
            for (int o = 0; o < 1; ++o) {
                if (p0 + o < end) {
                    const int j0 = k0 + (p0 + o);
                    const double v1 = __ldg(a.p0 + j0);
                    s0[o] = __dadd_rn(s0[o], v1);
                }
            }
        }
        #pragma unroll
        for (int w = 8; w > 0; w /= 2) {
            #pragma unroll
            for (int o = 0; o < 2; ++o) {
                const double o0 = (double)__shfl_down_sync(0xffffffffu, s0[o], w, 16);
                s0[o] = __dadd_rn(s0[o], o0);
            }
        }
        s0[0] = __dadd_rn(s0[0], s0[1]);
        const double t0 = s0[0];
        if (active && lane == 0) {
            const double v2 = t0;
            const double v3 = __dmul_rn(a.x0, v2);
            a.p1[k1] = v3;
        }
    }
}
