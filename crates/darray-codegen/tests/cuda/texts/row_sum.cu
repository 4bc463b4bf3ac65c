struct darray_leaves_0_arguments {
    alignas(8) const double *p0;
    alignas(8) double *p1;
    alignas(8) double x0;
    alignas(8) int n;
    alignas(8) int s0_0;
    alignas(8) int r0;
    alignas(8) int columns;
};

extern "C" __global__ void __launch_bounds__(256) darray_leaves_0(
    darray_leaves_0_arguments a) {
    __shared__ double h0[256];
    const int columns = a.columns, points = blockDim.x / 128;
    const int row = threadIdx.x / columns % 128;
    const int lane = row % 32;
    const int begin = (int)(__brev(row / 32) >> 30) * 128;
    const int own = threadIdx.x / (columns * 128) * columns + threadIdx.x % columns;
    for (int b = (int)blockIdx.x * points; b < a.n; b += gridDim.x * points) {
        const bool active = b + own < a.n;
        const int u = active ? b + own : a.n - 1;
        const int point = u;
        const int c0 = point;
        const int k0 = c0 * a.s0_0;
        const int k1 = c0;
        const int f0 = 0, e0 = a.r0;
        const int s0 = e0 - f0;
        const int count = active ? s0 : 0;
        double q0[4];
        double x0[4];
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            const bool inside = begin + lane + e * 32 < count;
            const int i = inside ? begin + lane + e * 32 : 0;
            const int i0 = f0 + i;
            const int j0 = k0 + i0;
            q0[e] = __ldg(a.p0 + j0);
        }
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            const bool inside = begin + lane + e * 32 < count;
            const int i = inside ? begin + lane + e * 32 : 0;
            const int i0 = f0 + i;
            const int j0 = k0 + i0;
            const double v1 = q0[e];
            x0[e] = inside ? v1 : (-0.0);
        }
        #pragma unroll
        for (int e = 0; e < 4; e += 2) {
            x0[e] = __dadd_rn(x0[e], x0[e + 1]);
        }
        #pragma unroll
        for (int e = 0; e < 4; e += 4) {
            x0[e] = __dadd_rn(x0[e], x0[e + 2]);
        }
        double t0 = x0[0];
        h0[threadIdx.x] = t0;
        __syncthreads();
        for (int w = 64; w > 0; w /= 2) {
            if (row < w) {
                t0 = __dadd_rn(t0, (h0[threadIdx.x + w * columns]));
                h0[threadIdx.x] = t0;
            }
            __syncthreads();
        }
        if (active && row == 0) {
            const double v2 = t0;
            const double v3 = __dmul_rn(a.x0, v2);
            a.p1[k1] = v3;
        }
    }
}
