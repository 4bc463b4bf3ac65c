// Integer operators that are more than one C operator. Everything wraps; nothing is undefined.

__device__ __forceinline__ int darray_fmod(int a, int b) {
    return b == 0 || b == -1 ? 0 : a % b;
}

__device__ __forceinline__ long long darray_fmod(long long a, long long b) {
    return b == 0 || b == -1 ? 0 : a % b;
}

__device__ __forceinline__ unsigned long long darray_fmod(unsigned long long a, unsigned long long b) {
    return b == 0 ? 0 : a % b;
}

__device__ __forceinline__ int darray_rem(int a, int b) {
    int truncated = darray_fmod(a, b == 0 ? 1 : b);
    return truncated != 0 && (truncated ^ b) < 0 ? truncated + b : truncated;
}

__device__ __forceinline__ long long darray_rem(long long a, long long b) {
    long long truncated = darray_fmod(a, b == 0 ? 1 : b);
    return truncated != 0 && (truncated ^ b) < 0 ? truncated + b : truncated;
}

__device__ __forceinline__ unsigned long long darray_rem(unsigned long long a, unsigned long long b) {
    return darray_fmod(a, b);
}

__device__ __forceinline__ int darray_floor_divide(int a, int b) {
    if (b == 0) return 0;
    if (b == -1) return (int)(0u - (unsigned)a);
    int rest = a % b;
    return a / b - (rest != 0 && (rest ^ b) < 0);
}

__device__ __forceinline__ long long darray_floor_divide(long long a, long long b) {
    if (b == 0) return 0;
    if (b == -1) return (long long)(0ull - (unsigned long long)a);
    long long rest = a % b;
    return a / b - (rest != 0 && (rest ^ b) < 0);
}

__device__ __forceinline__ unsigned long long darray_floor_divide(unsigned long long a, unsigned long long b) {
    return b == 0 ? 0 : a / b;
}

__device__ __forceinline__ int darray_reciprocal(int a) {
    return a == 0 ? -2147483647 - 1 : a == 1 || a == -1 ? a : 0;
}

__device__ __forceinline__ long long darray_reciprocal(long long a) {
    return a == 0 ? -9223372036854775807ll - 1 : a == 1 || a == -1 ? a : 0;
}

__device__ __forceinline__ unsigned long long darray_reciprocal(unsigned long long a) {
    return a == 1;
}

__device__ __forceinline__ unsigned long long darray_pow(unsigned long long a, unsigned long long b) {
    unsigned long long product = 1;
    for (unsigned long long square = a; b > 0; b >>= 1) {
        if (b & 1) product *= square;
        square *= square;
    }
    return product;
}

__device__ __forceinline__ long long darray_pow(long long a, long long b) {
    if (b < 0) {
        return a == 0 ? -9223372036854775807ll - 1 : a == 1 ? 1 : a == -1 ? 1 - 2 * (b & 1) : 0;
    }
    return (long long)darray_pow((unsigned long long)a, (unsigned long long)b);
}

__device__ __forceinline__ int darray_pow(int a, int b) {
    return a == 0 && b < 0 ? -2147483647 - 1 : (int)darray_pow((long long)a, (long long)b);
}

__device__ __forceinline__ int darray_shift_left(int a, int b) {
    return (unsigned)b < 32 ? (int)((unsigned)a << b) : 0;
}

__device__ __forceinline__ long long darray_shift_left(long long a, long long b) {
    return (unsigned long long)b < 64 ? (long long)((unsigned long long)a << b) : 0;
}

__device__ __forceinline__ unsigned long long darray_shift_left(unsigned long long a, unsigned long long b) {
    return b < 64 ? a << b : 0;
}

__device__ __forceinline__ int darray_shift_right(int a, int b) {
    return a >> ((unsigned)b < 32 ? b : 31);
}

__device__ __forceinline__ long long darray_shift_right(long long a, long long b) {
    return a >> ((unsigned long long)b < 64 ? b : 63);
}

__device__ __forceinline__ unsigned long long darray_shift_right(unsigned long long a, unsigned long long b) {
    return b < 64 ? a >> b : 0;
}
