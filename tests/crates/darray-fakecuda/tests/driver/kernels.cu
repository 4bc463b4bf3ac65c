// Kernels of the tests of the driver.

#define AT int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;

extern "C" __global__ void add(const float* a, const float* b, float* c, int n) { AT c[i] = a[i] + b[i]; }
extern "C" __global__ void affine(const float* x, float* y, float a, float b, int n) { AT y[i] = a * x[i] + b; }

__device__ int offset = 3;
extern "C" __global__ void shifted(int* out, int n) { extern __shared__ int tile[]; AT tile[threadIdx.x] = i + offset; out[i] = tile[threadIdx.x]; }
