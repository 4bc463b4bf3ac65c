// Every family of arithmetic, one kernel per operation: outputs of element i from inputs of element i.

typedef unsigned char u8;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

#define AT long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; if (i >= n) return;
#define ONE(name, A, R, expression) \
    extern "C" __global__ void name(const A* x, R* out, long long n) { AT A a = x[i]; out[i] = expression; }
#define TWO(name, A, R, expression) \
    extern "C" __global__ void name(const A* x, const A* y, R* out, long long n) { AT A a = x[i], b = y[i]; out[i] = expression; }
#define THREE(name, A, R, expression) \
    extern "C" __global__ void name(const A* x, const A* y, const A* z, R* out, long long n) { AT A a = x[i], b = y[i], c = z[i]; out[i] = expression; }

#define FLOATS(T, p) \
    TWO(p##_add, T, T, a + b) TWO(p##_sub, T, T, a - b) TWO(p##_mul, T, T, a * b) TWO(p##_div, T, T, a / b) \
    ONE(p##_neg, T, T, -a) \
    TWO(p##_lt, T, bool, a < b) TWO(p##_le, T, bool, a <= b) TWO(p##_eq, T, bool, a == b) TWO(p##_ne, T, bool, a != b) \
    TWO(p##_nlt, T, bool, !(a < b)) TWO(p##_select, T, T, a > b ? a : b) \
    ONE(p##_to_i32, T, int, (int)a) ONE(p##_to_i64, T, i64, (i64)a) ONE(p##_to_u32, T, u32, (u32)a) ONE(p##_to_u64, T, u64, (u64)a) \
    ONE(p##_to_u8, T, u8, (u8)(int)a) ONE(p##_to_bool, T, bool, a != (T)0)

FLOATS(float, f32)
FLOATS(double, f64)

TWO(f32_min, float, float, fminf(a, b)) TWO(f32_max, float, float, fmaxf(a, b))
TWO(f64_min, double, double, fmin(a, b)) TWO(f64_max, double, double, fmax(a, b))
TWO(f32_copysign, float, float, copysignf(a, b)) TWO(f64_copysign, double, double, copysign(a, b))
ONE(f32_abs, float, float, fabsf(a)) ONE(f64_abs, double, double, fabs(a))
ONE(f32_sqrt, float, float, sqrtf(a)) ONE(f64_sqrt, double, double, sqrt(a))
ONE(f32_rcp, float, float, __frcp_rn(a)) ONE(f64_rcp, double, double, __drcp_rn(a))
ONE(f32_rint, float, float, rintf(a)) ONE(f64_rint, double, double, rint(a))
ONE(f32_floor, float, float, floorf(a)) ONE(f64_floor, double, double, floor(a))
ONE(f32_ceil, float, float, ceilf(a)) ONE(f64_ceil, double, double, ceil(a))
ONE(f32_trunc, float, float, truncf(a)) ONE(f64_trunc, double, double, trunc(a))
ONE(f32_saturate, float, float, __saturatef(a))
THREE(f32_fma, float, float, fmaf(a, b, c)) THREE(f64_fma, double, double, fma(a, b, c))
TWO(f32_add_down, float, float, __fadd_rd(a, b)) TWO(f32_mul_up, float, float, __fmul_ru(a, b))
TWO(f32_div_zero, float, float, __fdiv_rz(a, b)) TWO(f64_add_up, double, double, __dadd_ru(a, b))
TWO(f64_mul_down, double, double, __dmul_rd(a, b)) TWO(f64_div_zero, double, double, __ddiv_rz(a, b))
ONE(f64_to_f32, double, float, (float)a) ONE(f32_to_f64, float, double, (double)a)
ONE(f64_to_f32_down, double, float, __double2float_rd(a)) ONE(f64_to_f32_up, double, float, __double2float_ru(a))
ONE(f64_to_i32_nearest, double, int, __double2int_rn(a)) ONE(f32_to_i32_up, float, int, __float2int_ru(a))
ONE(f64_to_i32_down, double, int, __double2int_rd(a)) ONE(f32_to_i64_nearest, float, i64, __float2ll_rn(a))

#define INTEGERS(T, p) \
    TWO(p##_add, T, T, a + b) TWO(p##_sub, T, T, a - b) TWO(p##_mul, T, T, a * b) \
    TWO(p##_div, T, T, b ? a / b : 0) TWO(p##_rem, T, T, b ? a % b : 0) \
    TWO(p##_min, T, T, a < b ? a : b) TWO(p##_max, T, T, a > b ? a : b) \
    TWO(p##_and, T, T, a & b) TWO(p##_or, T, T, a | b) TWO(p##_xor, T, T, a ^ b) ONE(p##_not, T, T, ~a) ONE(p##_neg, T, T, -a) \
    TWO(p##_shl, T, T, a << (b & (8 * sizeof(T) - 1))) TWO(p##_shr, T, T, a >> (b & (8 * sizeof(T) - 1))) \
    TWO(p##_lt, T, bool, a < b) TWO(p##_eq, T, bool, a == b) \
    ONE(p##_to_f32, T, float, (float)a) ONE(p##_to_f64, T, double, (double)a) ONE(p##_to_bool, T, bool, a != 0) \
    ONE(p##_to_u8, T, u8, (u8)a) ONE(p##_to_i32, T, int, (int)a) ONE(p##_to_i64, T, i64, (i64)a)

INTEGERS(u8, u8)
INTEGERS(int, i32)
INTEGERS(u32, u32)
INTEGERS(i64, i64)
INTEGERS(u64, u64)
INTEGERS(short, i16)

ONE(i32_abs, int, int, abs(a)) ONE(i64_abs, i64, i64, llabs(a))
TWO(i32_mulhi, int, int, __mulhi(a, b)) TWO(u32_mulhi, u32, u32, __umulhi(a, b))
TWO(i64_mulhi, i64, i64, __mul64hi(a, b)) TWO(u64_mulhi, u64, u64, __umul64hi(a, b))
TWO(i32_mulwide, int, i64, (i64)a * b) TWO(u32_mulwide, u32, u64, (u64)a * b)
ONE(u32_popc, u32, int, __popc(a)) ONE(u64_popc, u64, int, __popcll(a))
ONE(u32_clz, u32, int, __clz(a)) ONE(u64_clz, u64, int, __clzll(a))
ONE(u32_brev, u32, u32, __brev(a)) ONE(u64_brev, u64, u64, __brevll(a)) ONE(u32_ffs, u32, int, __ffs(a))
THREE(u32_funnel_left, u32, u32, __funnelshift_l(a, b, c)) THREE(u32_funnel_right, u32, u32, __funnelshift_rc(a, b, c))
THREE(u32_permute, u32, u32, __byte_perm(a, b, c)) THREE(u32_sad, u32, u32, __usad(a, b, c)) THREE(i32_sad, int, u32, __sad(a, b, c))
THREE(u32_mad, u32, u32, a * b + c) THREE(i64_mad, i64, i64, a * b + c)
THREE(u32_lop3, u32, u32, (a & b) ^ (~c | a)) THREE(i32_dot, int, int, __dp4a(a, b, c))

#define ASM3(name, T, letter, text) \
    extern "C" __global__ void name(const T* x, const T* y, const T* z, T* out, long long n) { \
        AT T d; asm(text : "=" letter(d) : letter(x[i]), "r"((int)y[i]), "r"((int)z[i])); out[i] = d; }
ASM3(u32_bfe, u32, "r", "bfe.u32 %0, %1, %2, %3;")
ASM3(i32_bfe, int, "r", "bfe.s32 %0, %1, %2, %3;")
ASM3(i64_bfe, i64, "l", "bfe.s64 %0, %1, %2, %3;")
extern "C" __global__ void u32_bfi(const u32* x, const u32* y, const u32* z, u32* out, long long n) {
    AT u32 d; asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(x[i]), "r"(y[i]), "r"(z[i] & 255), "r"(z[i] >> 8 & 255)); out[i] = d; }

// 128 bits: the lower half of a product, and sums and differences that carry.
extern "C" __global__ void wide(const u64* x, const u64* y, const u64* z, u64* out, long long n) {
    AT
    unsigned __int128 a = (unsigned __int128)x[i] << 64 | y[i], b = (unsigned __int128)z[i] << 64 | x[i];
    unsigned __int128 product = a * b, sum = a + b, difference = a - b;
    out[6 * i] = (u64)product; out[6 * i + 1] = (u64)(product >> 64);
    out[6 * i + 2] = (u64)sum; out[6 * i + 3] = (u64)(sum >> 64);
    out[6 * i + 4] = (u64)difference; out[6 * i + 5] = (u64)(difference >> 64);
}
extern "C" __global__ void wide32(const u32* x, const u32* y, const u32* z, u32* out, long long n) {
    AT u32 low, high;
    asm("{ mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %4; }" : "=&r"(low), "=r"(high) : "r"(x[i]), "r"(y[i]), "r"(z[i]));
    out[2 * i] = low; out[2 * i + 1] = high;
}
