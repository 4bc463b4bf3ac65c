struct darray_points_0_arguments {
    alignas(8) const double *p0;
    alignas(8) const double *p1;
    alignas(8) const double *p2;
    alignas(8) const double *p3;
    alignas(8) const double *p4;
    alignas(8) double *p5;
    alignas(8) double x0;
    alignas(8) int n;
    alignas(8) int head;
    alignas(8) int covered;
    alignas(8) int rest;
    alignas(8) int rest_of_row;
    alignas(8) int n1;
    alignas(8) int s0_0;
    alignas(8) int s1_0;
};

extern "C" __global__ void __launch_bounds__(256) darray_points_0(
    darray_points_0_arguments a) {
    const int first = (int)blockIdx.x * blockDim.x + threadIdx.x;
    const int step = (int)gridDim.x * blockDim.x;
    for (int u = first; u < a.n; u += step) {
        const int d1 = u / a.n1;
        const int c1 = u % a.n1 * 2 + a.head;
        const int c0 = d1;
        const int k0 = c0 * a.s0_0 + c1;
        const int k1 = c0 * a.s1_0 + c1;
        const double2 e0 = __ldg((const double2 *)(a.p0 + k0 - 1));
        const double2 f0 = __ldg((const double2 *)(a.p0 + k0 + 1));
        const double q0[2] = {e0.y, f0.x};
        const double2 e1 = __ldg((const double2 *)(a.p1 + k0 - 1));
        const double2 f1 = __ldg((const double2 *)(a.p1 + k0 + 1));
        const double q1[2] = {e1.y, f1.x};
        const double2 e2 = __ldg((const double2 *)(a.p2 + k0 - 1));
        const double2 f2 = __ldg((const double2 *)(a.p2 + k0 + 1));
        const double q2[2] = {e2.y, f2.x};
        const double2 e3 = __ldg((const double2 *)(a.p3 + k0));
        const double q3[2] = {e3.x, e3.y};
        const double2 e4 = __ldg((const double2 *)(a.p4 + k0));
        const double q4[2] = {e4.x, e4.y};
        double y5[2];
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            const double v1 = q0[e];
            const double v2 = q1[e];
            const double v3 = q2[e];
            const double v4 = q3[e];
            const double v5 = q4[e];
            const double v6 = __dadd_rn(v2, v3);
            const double v7 = __dadd_rn(v4, v5);
            const double v8 = __dadd_rn(v6, v7);
            const double v9 = __dadd_rn(v8, v1);
            const double v10 = __dmul_rn(a.x0, v9);
            y5[e] = v10;
        }
        *(double2 *)(a.p5 + k1) = make_double2(y5[0], y5[1]);
    }
    for (int u = first; u < a.rest; u += step) {
        const int d1 = u / a.rest_of_row;
        const int left = u % a.rest_of_row;
        const int c1 = left < a.head ? left : left + a.covered;
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
