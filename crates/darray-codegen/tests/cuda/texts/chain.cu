struct darray_points_0_arguments {
    alignas(8) const double *p0;
    alignas(8) const double *p1;
    alignas(8) const double *p2;
    alignas(8) double *p3;
    alignas(8) int n;
    alignas(8) int head;
    alignas(8) int covered;
    alignas(8) int rest;
};

extern "C" __global__ void __launch_bounds__(256) darray_points_0(
    darray_points_0_arguments a) {
    const int first = (int)blockIdx.x * blockDim.x + threadIdx.x;
    const int step = (int)gridDim.x * blockDim.x;
    for (int u = first; u < a.n; u += step) {
        const int c0 = u * 2 + a.head;
        const int k0 = c0;
        const double2 e0 = __ldg((const double2 *)(a.p0 + k0));
        const double q0[2] = {e0.x, e0.y};
        const double2 e1 = __ldg((const double2 *)(a.p1 + k0));
        const double q1[2] = {e1.x, e1.y};
        const double2 e2 = __ldg((const double2 *)(a.p2 + k0));
        const double q2[2] = {e2.x, e2.y};
        double y3[2];
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            const double v0 = q0[e];
            const double v1 = q1[e];
            const double v2 = q2[e];
            const double v3 = __dmul_rn(v0, v1);
            const double v4 = __dadd_rn(v3, v2);
            y3[e] = v4;
        }
        *(double2 *)(a.p3 + k0) = make_double2(y3[0], y3[1]);
    }
    for (int u = first; u < a.rest; u += step) {
        const int left = u;
        const int c0 = left < a.head ? left : left + a.covered;
        const int k0 = c0;
        const double v0 = __ldg(a.p0 + k0);
        const double v1 = __ldg(a.p1 + k0);
        const double v2 = __ldg(a.p2 + k0);
        const double v3 = __dmul_rn(v0, v1);
        const double v4 = __dadd_rn(v3, v2);
        a.p3[k0] = v4;
    }
}
