// Functions of f32 without the cases that are rare: the bits of the exact ones where all numbers lie in common
// ranges, which a guard notes. The steps are those that NVRTC makes of __frcp_rn, __fdiv_rn and __fsqrt_rn for every
// GPU, less their branches.

// What has been asked of numbers so far. Bit 30 of `within` is set while all sizes lay in their ranges, bits 30 and
// 31 of `positive` while numbers did.
struct darray_guard {
    unsigned within;
    unsigned positive;
    bool below;
};

// Whether everything was common.
__device__ __forceinline__ bool darray_common(darray_guard g) {
    return (g.within & g.positive & (g.positive >> 1) & 0x40000000u) != 0 && g.below;
}

// Asks for 2^first <= |x| < 2^(first + 128): the sum has bit 30 for these exponents and no others.
__device__ __forceinline__ float darray_within(float x, int first, darray_guard &g) {
    g.within &= __float_as_uint(x) + ((unsigned)(1 - first) << 23);
    return x;
}

// Asks for 2^first <= x < 2^(first + 128): the sum has bits 30 and 31 for these exponents without a sign and no
// others.
__device__ __forceinline__ float darray_positive(float x, int first, darray_guard &g) {
    g.positive &= __float_as_uint(x) + ((unsigned)(257 - first) << 23);
    return x;
}

__device__ __forceinline__ float darray_below_64(float x, darray_guard &g) {
    g.below = g.below && x < 64.0f;
    return x;
}

// 1 / x: a Newton step from the GPU's approximation. 2^-120 <= |x| <= 2^120.
__device__ __forceinline__ float darray_quick_reciprocal(float x) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return __fmaf_rn(r, __fmaf_rn(-x, r, 1.0f), r);
}

// a / b, by its remainder, which is exact: 2^-52 <= |b| <= 2^120 and 2^-48 <= |a / b| <= 2^80, so that |a| is 2^-100
// or more.
__device__ __forceinline__ float darray_quick_div(float a, float b) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
    r = __fmaf_rn(r, __fmaf_rn(-b, r, 1.0f), r);
    const float near = __fmul_rn(a, r);
    return __fmaf_rn(r, __fmaf_rn(-b, near, a), near);
}

// The square root, by its remainder, which is exact: 2^-100 <= x <= 2^126.
__device__ __forceinline__ float darray_quick_sqrt(float x) {
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    const float near = __fmul_rn(x, r);
    return __fmaf_rn(__fmaf_rn(-near, near, x), __fmul_rn(r, 0.5f), near);
}
