// What threads do together, functions, and memories other than the device's.

struct Parts { const double* from; double* to; long long count; double weights[4]; unsigned char flag; };

__constant__ double table[4] = {1.0, -2.5, 3.0, 1e300};
__constant__ double* const nothing = 0;
__device__ int counter = 7;
__device__ int* const pointer = &counter;

__noinline__ __device__ double helper(double x, int i, Parts p) { return x * table[i & 3] + p.weights[i & 3] + p.flag; }
__noinline__ __device__ unsigned factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }

extern "C" __global__ void by_value(const __grid_constant__ Parts p, int rotation) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    double kept[8];
    for (int k = 0; k < 8; k++) kept[k] = p.weights[(k + rotation) & 3] * k;
    if (i < p.count) p.to[i] = helper(p.from[i], rotation + (int)i, p) + kept[(rotation + threadIdx.x) & 7];
}

extern "C" __global__ void recursion(unsigned* out) { out[threadIdx.x] = factorial(threadIdx.x % 13); }

extern "C" __global__ void shuffles(const int* x, int* out) {
    int i = threadIdx.x, v = x[i];
    out[i] = __shfl_xor_sync(~0u, v, 5);
    out[64 + i] = __shfl_up_sync(~0u, v, 3);
    out[128 + i] = __shfl_down_sync(~0u, v, 7, 16);
    out[192 + i] = __shfl_sync(~0u, v, i * 3);
    double d = __shfl_down_sync(~0u, (double)v * 1.5, 1);
    out[256 + i] = (int)(d * 2);
}

extern "C" __global__ void votes(const int* x, unsigned* out) {
    int i = threadIdx.x; bool odd = x[i] & 1;
    out[i] = __ballot_sync(~0u, odd);
    out[64 + i] = __any_sync(~0u, x[i] > 1000) | __all_sync(~0u, x[i] >= 0) << 1;
    out[128 + i] = __match_any_sync(~0u, x[i] & 3);
    out[192 + i] = __reduce_add_sync(~0u, (unsigned)x[i]);
    out[256 + i] = __reduce_max_sync(~0u, (unsigned)x[i]);
    if (odd) out[320 + i] = __activemask(); else out[320 + i] = __popc(__activemask());
}

// Lanes part and meet again before they shuffle.
extern "C" __global__ void parting(const int* x, int* out) {
    int i = threadIdx.x, v = x[i], steps = 0;
    while (v != 1 && steps < 1000) { v = v & 1 ? 3 * v + 1 : v / 2; steps++; }
    __syncwarp();
    int most = steps;
    for (int k = 16; k; k /= 2) { int other = __shfl_xor_sync(~0u, most, k); most = other > most ? other : most; }
    out[i] = steps; out[blockDim.x + i] = most;
}

extern "C" __global__ void reverse(const float* x, float* out) {
    __shared__ float tile[256];
    extern __shared__ float more[];
    int i = threadIdx.x, n = blockDim.x, at = blockIdx.x * n + i;
    tile[i] = x[at]; more[i] = 2 * x[at];
    __syncthreads();
    out[at] = tile[n - 1 - i] + more[n - 1 - i];
}

extern "C" __global__ void block_sum(const double* x, double* out, int n) {
    __shared__ double part[256];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    part[threadIdx.x] = sum;
    for (int k = blockDim.x / 2; k; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void counts(const int* x, int* out) {
    int i = threadIdx.x;
    out[i] = __syncthreads_count(x[i] & 1);
    out[blockDim.x + i] = __syncthreads_and(x[i] >= 0) * 2 + __syncthreads_or(x[i] > 1000);
}

extern "C" __global__ void atomics(int* i, unsigned* u, double* d, float* f, unsigned long long* l) {
    __shared__ int local;
    if (threadIdx.x == 0) local = 0;
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&local, t); atomicAdd(i, t); atomicMax(i + 1, t); atomicMin(i + 2, -t); atomicAdd(&counter, 1);
    atomicOr(u, 1u << (t & 31)); atomicAnd(u + 1, ~(1u << (t & 7))); atomicXor(u + 2, t); atomicInc(u + 3, 9); atomicDec(u + 4, 9);
    atomicAdd(d, 0.5); atomicAdd(f, 0.25f); atomicAdd(l, (unsigned long long)t << 32); atomicExch(i + 3, t);
    unsigned long long old = l[1], assumed;
    do { assumed = old; old = atomicCAS(l + 1, assumed, assumed * 3 + 1); } while (assumed != old && t < 4);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(i + 4, local);
    if (t == 0) i[5] = *pointer;
}

extern "C" __global__ void vectors(const float4* a, double2* b, uchar4* c, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    float4 x = a[i];
    b[i] = make_double2(x.x + x.y, x.z * x.w);
    c[i] = make_uchar4(i, i + 1, (unsigned char)x.x, 255 - i);
}

extern "C" __global__ void branches(const int* x, int* out) {
    int i = threadIdx.x;
    switch (x[i]) {
        case 0: out[i] = i * 3; break;
        case 1: out[i] = i - 100; break;
        case 2: out[i] = ~i; break;
        case 3: out[i] = i << 4; break;
        case 4: out[i] = __popc(i); break;
        case 5: out[i] = 5 * i + out[i]; break;
        case 6: out[i] = i ^ 0x55; break;
        case 7: out[i] = i % 7; break;
        default: out[i] = -1;
    }
}
