// Kernels that go wrong.

extern "C" __global__ void overrun(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = x[i] * 2;
}
extern "C" __global__ void copy(const float* x, float* out) { out[threadIdx.x] = x[threadIdx.x]; }
extern "C" __global__ void misaligned(const char* x, int* out) { out[0] = *(const int*)(x + 1); }
extern "C" __global__ void shared_overrun(int* out, int k) {
    __shared__ int tile[32];
    tile[threadIdx.x + k] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}
__noinline__ __device__ float inner(const float* x, int i) { return x[i] + 1; }
extern "C" __global__ void outer(const float* x, float* out) { out[threadIdx.x] = inner(x, threadIdx.x + 1); }
extern "C" __global__ void traps(int* out) { if (threadIdx.x == 5) __trap(); out[threadIdx.x] = 1; }
extern "C" __global__ void never_meets(int* out) {
    if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(~0u, threadIdx.x, 0);
    else while (true) __syncwarp(~0u << 16 | 1);
}
