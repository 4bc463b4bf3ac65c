// bfloat16, which lies in memory and in registers as its bits, the upper half of a float: conversions, rounded once to
// nearest, ties to even. NaN becomes quiet and keeps its sign and the upper bits of what it carries.
//
// CPU twin: crates/darray-core/src/float16/brain16.rs

__device__ __forceinline__ float darray_float_of_brain(unsigned short brain) {
    unsigned bits = (unsigned)brain << 16;
    return __uint_as_float((bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x00400000u : bits);
}

__device__ __forceinline__ unsigned short darray_brain(float value) {
    unsigned bits = __float_as_uint(value);
    unsigned rounded = bits + 0x7fffu + (bits >> 16 & 1u);
    bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return (unsigned short)((nan ? bits | 0x00400000u : rounded) >> 16);
}

// Not by way of the nearest float, which would round twice: toward zero, the last bit set where that is not exact.
__device__ __forceinline__ unsigned short darray_brain(double value) {
    float toward_zero = __double2float_rz(value);
    unsigned inexact = (double)toward_zero != value && value == value;
    return darray_brain(__uint_as_float(__float_as_uint(toward_zero) | inexact));
}
