struct darray_points_0_arguments {
    alignas(8) const double *p0;
    alignas(8) const double *p1;
    alignas(8) const double *p2;
    alignas(8) const double *p3;
    alignas(8) const double *p4;
    alignas(8) double *p5;
    alignas(8) double x0;
    alignas(8) int n;
    alignas(8) int n1;
    alignas(8) int s0_0;
    alignas(8) int s1_0;
};

extern "C" __global__ void __launch_bounds__(256) darray_points_0(
    darray_points_0_arguments a) {
    const int first = (int)blockIdx.x * blockDim.x + threadIdx.x;
    const int step = (int)gridDim.x * blockDim.x;
    for (int u = first; u < a.n; u += step) {
        const int c1 = u % a.n1;
        const int d1 = u / a.n1;
        const int c0 = d1;
        const int k0 = c0 * a.s0_0 + c1;
        const int k1 = c0 * a.s1_0 + c1;
        const double v1 = __ldg(a.p0 + k0);
        const double v2 = __ldg(a.p1 + k0);
        const double v3 = __ldg(a.p2 + k0);
        const double v4 = __ldg(a.p3 + k0);
        const double v5 = __ldg(a.p4 + k0);
        const double v6 = __dadd_rn(v2, v3);
        const double v7 = __dadd_rn(v4, v5);
        const double v8 = __dadd_rn(v6, v7);
        const double v9 = __dadd_rn(v8, v1);
        const double v10 = __dmul_rn(a.x0, v9);
        a.p5[k1] = v10;
    }
}
