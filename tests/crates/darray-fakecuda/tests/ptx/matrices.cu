// One warp: d = a b + c for 16 x 8, 8 x 8 and 16 x 8 numbers, row-major.

extern "C" __global__ void multiply(const double* a, const double* b, const double* c, double* d) {
    const int g = threadIdx.x / 4, t = threadIdx.x % 4;
    double x[4], y[2], s[4];
    for (int i = 0; i < 4; ++i) x[i] = a[(g + i % 2 * 8) * 8 + t + i / 2 * 4];
    for (int i = 0; i < 2; ++i) y[i] = b[(t + i * 4) * 8 + g];
    for (int i = 0; i < 4; ++i) s[i] = c[(g + i / 2 * 8) * 8 + t * 2 + i % 2];
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(s[0]), "+d"(s[1]), "+d"(s[2]), "+d"(s[3])
        : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(y[0]), "d"(y[1]));
    for (int i = 0; i < 4; ++i) d[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = s[i];
}
