// IEEE 754 binary16, which lies in memory and in registers as its bits: conversions, rounded once to nearest,
// ties to even. Inline, because cuda_fp16.h comes with the toolkit alone.
//
// CPU twin: crates/darray-core/src/float16/binary16.rs

__device__ __forceinline__ float darray_float_of_half(unsigned short half) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}

__device__ __forceinline__ unsigned short darray_half(float value) {
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}

// Not by way of float, which would round twice.
__device__ __forceinline__ unsigned short darray_half(double value) {
    unsigned short half;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(half) : "d"(value));
    return half;
}
