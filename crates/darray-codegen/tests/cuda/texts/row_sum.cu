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
    __shared__ double h0[512];
    const int lane = threadIdx.x % 16 * 2;
    const int slot = threadIdx.x / 16;
    for (int u = blockIdx.x; u < a.n; u += gridDim.x) {
        const int point = u;
        const int c0 = point;
        const int k0 = c0 * a.s0_0;
        const int k1 = c0;
        const int f0 = 0, e0 = a.r0;
        const int columns = (e0 - f0 + 31) / 32;
        const int groups = columns;
        double t0 = (-0.0);
        for (int g = 0; g < groups; g += 16) {
            double q0[1][2];
            #pragma unroll
            for (int e = 0; e < 1; ++e) {
                const int group = g + slot + e * 16;
                const int i0 = f0 + group * 32 + lane;
                const bool inside = group < groups && i0 < e0;
                const int j0 = k0 + i0;
                if (i0 + 1 < e0 && inside) {
                    const double2 x0 = __ldg((const double2 *)(a.p0 + j0));
                    q0[e][0] = x0.x;
                    q0[e][1] = x0.y;
                } else {
                    q0[e][0] = i0 + 0 < e0 && inside ? __ldg(a.p0 + j0) : 0;
                    q0[e][1] = i0 + 1 < e0 && inside ? __ldg(a.p0 + j0 + 1) : 0;
                }
            }
            __syncthreads();
            #pragma unroll
            for (int e = 0; e < 1; ++e) {
                #pragma unroll
                for (int o = 0; o < 2; ++o) {
                    const double v1 = q0[e][o];
                    h0[(slot + e * 16) * 32 + lane + o] = v1;
                }
            }
            __syncthreads();
            if (threadIdx.x < 32) {
                const int here = threadIdx.x % 32;
                if (g + 16 <= groups && (e0 - f0) % 32 == 0) {
                    #pragma unroll 16
                    for (int s = 0; s < 16; ++s) {
                        t0 = __dadd_rn(t0, h0[s * 32 + here]);
                    }
                } else {
                    const int some = groups - g < 16 ? groups - g : 16;
                    int column = g % columns;
                    #pragma unroll 4
                    for (int s = 0; s < some; ++s) {
                        if (f0 + column * 32 + here < e0) {
                            t0 = __dadd_rn(t0, h0[s * 32 + here]);
                        }
                        if (++column == columns) column = 0;
                    }
                }
            }
        }
        if (threadIdx.x < 32) {
            #pragma unroll
            for (int w = 16; w > 0; w /= 2) {
                const double o0 = (double)__shfl_down_sync(0xffffffffu, t0, w, 32);
                t0 = __dadd_rn(t0, o0);
            }
            if (threadIdx.x == 0) {
                const double v2 = t0;
                const double v3 = __dmul_rn(a.x0, v2);
                a.p1[k1] = v3;
            }
        }
    }
}
