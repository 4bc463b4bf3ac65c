// Numbered draws of NumPy's generators, see darray-kernel's `random`.

typedef unsigned __int128 darray_u128;

__device__ __forceinline__ darray_u128 darray_join(unsigned long long high, unsigned long long low) {
    return (darray_u128)high << 64 | low;
}

// PCG64 (XSL-RR): number n of the stream with state (k0, k1) and increment (k2, k3). The n-th state
// by doubling: s -> power s + sum increment is 1, 2, 4, .. steps.
__device__ __forceinline__ unsigned long long darray_pcg64(
    long long k0, long long k1, long long k2, long long k3, unsigned long long n) {
    const darray_u128 multiplier = darray_join(0x2360ed051fc65da4ull, 0x4385df649fccf645ull);
    darray_u128 state = darray_join(k0, k1), increment = darray_join(k2, k3);
    darray_u128 power = multiplier, sum = 1;
    for (unsigned long long rest = n; rest != 0; rest >>= 1) {
        if (rest & 1) state = power * state + sum * increment;
        sum = power * sum + sum;
        power *= power;
    }
    state = multiplier * state + increment;
    unsigned long long folded = (unsigned long long)(state >> 64) ^ (unsigned long long)state;
    unsigned turn = (unsigned)(state >> 122);
    return folded >> turn | folded << (-turn & 63);
}

// Philox4x64-10: number n of the stream with key (k0, k1) and upper half of the counter (k2, k3).
__device__ __forceinline__ unsigned long long darray_philox(
    long long k0, long long k1, long long k2, long long k3, unsigned long long n) {
    unsigned long long w0 = n / 4 + 1, w1 = 0, w2 = k2, w3 = k3, a = k0, b = k1;
    for (int round = 0; round < 10; round++) {
        unsigned long long high0 = __umul64hi(w0, 0xd2e7470ee14c6c93ull);
        unsigned long long low0 = w0 * 0xd2e7470ee14c6c93ull;
        unsigned long long high2 = __umul64hi(w2, 0xca5a826395121157ull);
        unsigned long long low2 = w2 * 0xca5a826395121157ull;
        w0 = high2 ^ w1 ^ a;
        w1 = low2;
        w2 = high0 ^ w3 ^ b;
        w3 = low0;
        a += 0x9e3779b97f4a7c15ull;
        b += 0xbb67ae8584caa73bull;
    }
    switch (n % 4) {
        case 0: return w0;
        case 1: return w1;
        case 2: return w2;
        default: return w3;
    }
}

// The top 53 bits over 2^53.
__device__ __forceinline__ double darray_unit(unsigned long long bits) {
    return __dmul_rn(__ull2double_rn(bits >> 11), 0x1p-53);
}

// The top 24 bits over 2^24 of half n of a stream, of which `number` is number n / 2.
__device__ __forceinline__ float darray_unit_half(unsigned long long number, unsigned long long n) {
    unsigned half = (unsigned)(number >> (32 * (n & 1)));
    return __fmul_rn(__uint2float_rn(half >> 8), 0x1p-24f);
}
