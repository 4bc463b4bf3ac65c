// Black-Scholes by hand, with every operation rounded as darray rounds it (compile with --fmad=false): what
// the fused kernel is measured against. CUDA's own exp and log.

template <class T> __device__ __forceinline__ T normal(T d) {
    const T k = T(1) / (T(1) + T(0.2316419) * fabs(d));
    T series = T(1.781477937) + k * (T(-1.821255978) + k * T(1.330274429));
    series = k * (T(0.31938153) + k * (T(-0.356563782) + k * series));
    const T tail = T(0.3989422804) * exp(T(-0.5) * d * d) * series;
    return d > T(0) ? T(1) - tail : tail;
}

template <class T>
__device__ __forceinline__ void price(T s, T x, T t, T rate, T volatility, T* call, T* put) {
    const T deviation = volatility * sqrt(t);
    const T drift = (rate + T(0.5) * volatility * volatility) * t;
    const T d1 = (log(s / x) + drift) / deviation;
    const T n1 = normal(d1), n2 = normal(d1 - deviation);
    const T discounted = x * exp(-rate * t);
    *call = s * n1 - discounted * n2;
    *put = discounted * (T(1) - n2) - s * (T(1) - n1);
}

// Numbers of 16 bytes.
template <class T> struct alignas(16) Pack { T at[16 / sizeof(T)]; };

template <class T>
__device__ __forceinline__ void prices(
    const T* s, const T* x, const T* t, T rate, T volatility, T* call, T* put, long long n) {
    constexpr int width = 16 / sizeof(T);
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n / width; i += step) {
        const Pack<T> a = ((const Pack<T>*)s)[i], b = ((const Pack<T>*)x)[i];
        const Pack<T> c = ((const Pack<T>*)t)[i];
        Pack<T> p, q;
#pragma unroll
        for (int k = 0; k < width; ++k) {
            price(a.at[k], b.at[k], c.at[k], rate, volatility, &p.at[k], &q.at[k]);
        }
        ((Pack<T>*)call)[i] = p;
        ((Pack<T>*)put)[i] = q;
    }
}

extern "C" __global__ void black_scholes_f32(
    const float* s, const float* x, const float* t, float rate, float volatility, float* call,
    float* put, long long n) {
    prices(s, x, t, rate, volatility, call, put, n);
}

extern "C" __global__ void black_scholes_f64(
    const double* s, const double* x, const double* t, double rate, double volatility, double* call,
    double* put, long long n) {
    prices(s, x, t, rate, volatility, call, put, n);
}

// Copies 16 bytes at a time.
extern "C" __global__ void copy(const uint4* from, uint4* to, long long n) {
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        to[i] = from[i];
    }
}
