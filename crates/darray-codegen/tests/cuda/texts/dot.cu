struct darray_leaves_0_arguments {
    alignas(8) const float *p0;
    alignas(8) const float *p1;
    alignas(8) int n;
    alignas(8) int r0;
    alignas(8) int columns;
    alignas(8) int points;
    alignas(8) int l0;
    alignas(8) int b0;
    alignas(8) int pieces;
    alignas(8) float *w0;
};

extern "C" __global__ void __launch_bounds__(256) darray_leaves_0(
    darray_leaves_0_arguments a) {
    __shared__ float h0[256];
    const int columns = a.columns, points = blockDim.x / 256;
    const int row = threadIdx.x / columns % 256;
    const int lane = row % 32;
    const int begin = (int)(__brev(row / 32) >> 29) * 128;
    const int own = threadIdx.x / (columns * 256) * columns + threadIdx.x % columns;
    for (int b = (int)blockIdx.x * points; b < a.n; b += gridDim.x * points) {
        const bool active = b + own < a.n;
        const int u = active ? b + own : a.n - 1;
        const int point = u % a.points;
        const int f0 = (u / a.points) * a.b0;
        const int e0 = f0 + a.b0 < a.r0 ? f0 + a.b0 : a.r0;
        const int s0 = e0 - f0;
        const int count = active ? s0 : 0;
        float q0[4];
        float q1[4];
        float x0[4];
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            const bool inside = begin + lane + e * 32 < count;
            const int i = inside ? begin + lane + e * 32 : 0;
            const int i0 = f0 + i;
            const int j0 = i0;
            q0[e] = __ldg(a.p0 + j0);
            q1[e] = __ldg(a.p1 + j0);
        }
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            const bool inside = begin + lane + e * 32 < count;
            const int i = inside ? begin + lane + e * 32 : 0;
            const int i0 = f0 + i;
            const int j0 = i0;
            const float v0 = q0[e];
            const float v1 = q1[e];
            const float v2 = __fmul_rn(v0, v1);
            x0[e] = inside ? v2 : (-0.0f);
        }
        #pragma unroll
        for (int e = 0; e < 4; e += 2) {
            x0[e] = __fadd_rn(x0[e], x0[e + 1]);
        }
        #pragma unroll
        for (int e = 0; e < 4; e += 4) {
            x0[e] = __fadd_rn(x0[e], x0[e + 2]);
        }
        float t0 = x0[0];
        h0[threadIdx.x] = t0;
        __syncthreads();
        for (int w = 128; w > 0; w /= 2) {
            if (row < w) {
                t0 = __fadd_rn(t0, (h0[threadIdx.x + w * columns]));
                h0[threadIdx.x] = t0;
            }
            __syncthreads();
        }
        if (active && row == 0) {
            a.w0[u] = t0;
        }
    }
}

struct darray_combine_1_arguments {
    alignas(8) float *p2;
    alignas(8) int n;
    alignas(8) int pieces;
    alignas(8) int l0;
    alignas(8) int m0;
    alignas(8) int g0;
    alignas(8) int point_step;
    alignas(8) int piece_step;
    alignas(8) int slot2;
    alignas(8) float *w0;
};

extern "C" __global__ void __launch_bounds__(256) darray_combine_1(
    darray_combine_1_arguments a) {
    const int first = (int)blockIdx.x * blockDim.x + threadIdx.x;
    const int step = (int)gridDim.x * blockDim.x;
    for (int point = first; point < a.n; point += step) {
        float *const w0 = a.w0 + point * a.point_step;
        int outer = a.pieces, inner = 1;
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
                const int l = (row + left) * inner * a.piece_step, r = (row + right) * inner * a.piece_step;
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
                const int l = (row * a.l0 + s - a.m0) * inner / a.l0 * a.piece_step;
                a.p2[(row * slots + slot) * a.slot2] = w0[l];
            }
            s += size;
        }
        const float v3 = w0[0];
    }
}
