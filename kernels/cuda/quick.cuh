// Functions of f32 without the cases that are rare: the bits of the exact ones where all numbers lie in common
// ranges, which a guard notes. The steps are those that NVRTC makes of __frcp_rn, __fdiv_rn and __fsqrt_rn for every
// GPU, less their branches.

// What has been asked of numbers so far. Bit 30 of `within` is set while all lay in their ranges, bit 31 of
// `signs` while some had a sign.
struct darray_guard {
    unsigned within;
    unsigned signs;
    bool below;
};

// Whether everything was common.
__device__ __forceinline__ bool darray_common(darray_guard g) {
    return (g.within & ~(g.signs >> 1) & 0x40000000u) != 0 && g.below;
}

// Asks for 2^first <= |x| < 2^(first + 128): the sum has bit 30 for these exponents and no others.
__device__ __forceinline__ void darray_within(float x, int first, darray_guard &g) {
    g.within &= __float_as_uint(x) + ((unsigned)(1 - first) << 23);
}

// Asks for a number without a sign.
__device__ __forceinline__ void darray_signless(float x, darray_guard &g) {
    g.signs |= __float_as_uint(x);
}

// Asks for a normal positive number.
__device__ __forceinline__ void darray_positive(float x, darray_guard &g) {
    darray_within(x, -64, g);
    darray_signless(x, g);
}

// 1 / x: a Newton step from the GPU's approximation.
__device__ __forceinline__ float darray_quick_reciprocal(float x, darray_guard &g) {
    darray_within(x, -64, g);
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return __fmaf_rn(r, __fmaf_rn(-x, r, 1.0f), r);
}

// a / b, by its remainder. The quotient is normal, and the remainder exact: |a| is 2^-100 or more.
__device__ __forceinline__ float darray_quick_div(float a, float b, darray_guard &g) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
    r = __fmaf_rn(r, __fmaf_rn(-b, r, 1.0f), r);
    const float near = __fmul_rn(a, r);
    const float q = __fmaf_rn(r, __fmaf_rn(-b, near, a), near);
    darray_within(b, -52, g);
    darray_within(q, -48, g);
    return q;
}

// The square root, by its remainder; of negative numbers NaN.
__device__ __forceinline__ float darray_quick_sqrt(float x, darray_guard &g) {
    darray_within(x, -64, g);
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    const float near = __fmul_rn(x, r);
    return __fmaf_rn(__fmaf_rn(-near, near, x), __fmul_rn(r, 0.5f), near);
}

