struct darray_points_0_arguments {
    alignas(8) const float *p0;
    alignas(8) const float *p1;
    alignas(8) const float *p2;
    alignas(8) const float *p3;
    alignas(8) float *p4;
    alignas(8) int n;
    alignas(8) int head;
    alignas(8) int covered;
    alignas(8) int rest;
};

extern "C" __global__ void __launch_bounds__(256) darray_points_0(
    darray_points_0_arguments a) {
    const float v0 = __ldg(a.p0);
    const float v1 = __ldg(a.p1);
    const float v2 = __fdiv_rn(v0, v1);
    const int first = (int)blockIdx.x * blockDim.x + threadIdx.x;
    const int step = (int)gridDim.x * blockDim.x;
    for (int u = first; u < a.n; u += step) {
        const int c0 = u * 4 + a.head;
        const int k0 = c0;
        const float4 e2 = __ldg((const float4 *)(a.p2 + k0));
        const float q2[4] = {e2.x, e2.y, e2.z, e2.w};
        const float4 e3 = *(const float4 *)(a.p3 + k0);
        const float q3[4] = {e3.x, e3.y, e3.z, e3.w};
        float y4[4];
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            const float v3 = q2[e];
            const float v4 = q3[e];
            const float v5 = __fmul_rn(v2, v3);
            const float v6 = __fadd_rn(v5, v4);
            y4[e] = v6;
        }
        *(float4 *)(a.p4 + k0) = make_float4(y4[0], y4[1], y4[2], y4[3]);
    }
    for (int u = first; u < a.rest; u += step) {
        const int left = u;
        const int c0 = left < a.head ? left : left + a.covered;
        const int k0 = c0;
        const float v3 = __ldg(a.p2 + k0);
        const float v4 = a.p3[k0];
        const float v5 = __fmul_rn(v2, v3);
        const float v6 = __fadd_rn(v5, v4);
        a.p4[k0] = v6;
    }
}
