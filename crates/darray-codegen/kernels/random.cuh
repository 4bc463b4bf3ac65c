// Numbered draws of NumPy's generators, see darray-kernel's `random`.

typedef unsigned __int128 darray_u128;

__device__ constexpr darray_u128 darray_join(unsigned long long high, unsigned long long low) {
    return (darray_u128)high << 64 | low;
}

#define DARRAY_PCG64_MULTIPLIER darray_join(0x2360ed051fc65da4ull, 0x4385df649fccf645ull)

// m steps of s -> multiplier s + increment are s -> power s + sum increment. Here for m with one digit of six bits; words are
// the upper and the lower half of power, then of sum.
#define DARRAY_PCG64_DIGITS 11
struct darray_pcg64_table {
    alignas(16) unsigned long long words[DARRAY_PCG64_DIGITS][64][4];
    __device__ constexpr darray_pcg64_table() : words() {
        darray_u128 one = DARRAY_PCG64_MULTIPLIER, one_sum = 1;
        for (int place = 0; place < DARRAY_PCG64_DIGITS; place++) {
            darray_u128 power = 1, sum = 0;
            for (int digit = 0; digit < 64; digit++) {
                unsigned long long* row = words[place][digit];
                row[0] = (unsigned long long)(power >> 64);
                row[1] = (unsigned long long)power;
                row[2] = (unsigned long long)(sum >> 64);
                row[3] = (unsigned long long)sum;
                sum = one * sum + one_sum;
                power *= one;
            }
            one = power;
            one_sum = sum;
        }
    }
};
__device__ const darray_pcg64_table darray_pcg64_steps{};

// `sum` of so many steps more, which the digit at this place says.
__device__ __forceinline__ darray_u128 darray_pcg64_more(darray_u128 sum, int place, unsigned long long steps) {
    const ulonglong2* row = (const ulonglong2*)darray_pcg64_steps.words[place][steps & 63];
    const ulonglong2 power = row[0], own = row[1];
    return darray_join(own.x, own.y) + darray_join(power.x, power.y) * sum;
}

// PCG64 (XSL-RR): number n of the stream with state (k0, k1) and increment (k2, k3), its state after n + 1 steps. What one
// step adds is multiplied by each: all of them add the first one's `sum` times.
__device__ __forceinline__ unsigned long long darray_pcg64(
    long long k0, long long k1, long long k2, long long k3, unsigned long long n) {
    darray_u128 sum = 1;
#pragma unroll 1
    for (int place = 0; n != 0; place++, n >>= 6) sum = darray_pcg64_more(sum, place, n);
    const darray_u128 begin = darray_join(k0, k1);
    const darray_u128 first = (DARRAY_PCG64_MULTIPLIER - 1) * begin + darray_join(k2, k3);
    const darray_u128 state = begin + sum * first;
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
