// European options by Black and Scholes: what element-wise programs look like.

__device__ double normal(double d) { return 0.5 * erfc(-d * 0.70710678118654752440); }
extern "C" __global__ void black_scholes(const double* price, const double* strike, const double* years, double* call, double* put, long long n) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
        double s = price[i], k = strike[i], t = years[i], rate = 0.02, volatility = 0.3;
        double root = sqrt(t), d1 = (log(s / k) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
        double d2 = d1 - volatility * root, discount = k * exp(-rate * t);
        double value = s * normal(d1) - discount * normal(d2);
        call[i] = value; put[i] = value + discount - s;
    }
}
extern "C" __global__ void axpy(const float* x, float* y, float a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = fmaf(a, x[i], y[i]);
}
