// What a mask holds: the elements of a source, or their places, in order. Behind index.cuh.
//
// Tiles of the mask are counted; what the tiles before one hold is where its part of the result begins.

typedef unsigned char byte_1;
typedef unsigned short byte_2;
typedef unsigned int byte_4;
typedef unsigned long long byte_8;

#define THREADS 256
#define WARPS (THREADS / 32)
// Elements of a thread, and of a tile.
#define EACH 16
#define TILE (THREADS * EACH)

struct Compact {
    void* out;
    const byte_1* mask;
    const void* source;
    // Of each tile: how many it holds; then how many the tiles before it do.
    long long* counts;
    long long tiles;
    long long bound;
    // The result's part: number of the first element, and elements.
    long long start;
    long long count;
    long long out_step;
    long long mask_step;
    long long source_step;
};

// Whether the mask holds the elements of this warp at one step: a bit for each lane.
__device__ __forceinline__ unsigned held(const Compact& compact, long long item) {
    const bool holds = item < compact.bound && compact.mask[item * compact.mask_step] != 0;
    return __ballot_sync(0xffffffffu, holds);
}

// The element of this thread at the first step: a warp has TILE / WARPS elements one after the other, 32 at a time.
__device__ __forceinline__ long long first_of(long long tile) {
    return tile * TILE + threadIdx.x / 32 * (TILE / WARPS) + threadIdx.x % 32;
}

// Blocks of THREADS, a tile at a time.
extern "C" __global__ void compact_count(const Compact compact) {
    __shared__ unsigned all;
    for (long long tile = blockIdx.x; tile < compact.tiles; tile += gridDim.x) {
        if (threadIdx.x == 0) all = 0;
        __syncthreads();
        unsigned own = 0;
#pragma unroll
        for (int step = 0; step < EACH; ++step) {
            own += __popc(held(compact, first_of(tile) + step * 32));
        }
        if (threadIdx.x % 32 == 0) atomicAdd(&all, own);
        __syncthreads();
        if (threadIdx.x == 0) compact.counts[tile] = all;
        __syncthreads();
    }
}

// One block: counts become how many the tiles before hold.
extern "C" __global__ void compact_offsets(const Compact compact) {
    __shared__ long long warps[WARPS];
    if (blockIdx.x > 0) return;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long long before = 0;
    for (long long first = 0; first < compact.tiles; first += THREADS) {
        const long long tile = first + threadIdx.x;
        const long long own = tile < compact.tiles ? compact.counts[tile] : 0;
        long long sum = own;
        for (int width = 1; width < 32; width *= 2) {
            const long long other = __shfl_up_sync(0xffffffffu, sum, width);
            if (lane >= width) sum += other;
        }
        if (lane == 31) warps[warp] = sum;
        __syncthreads();
        long long of_warps = 0, all = 0;
        for (int other = 0; other < WARPS; ++other) {
            if (other < warp) of_warps += warps[other];
            all += warps[other];
        }
        __syncthreads();
        if (tile < compact.tiles) compact.counts[tile] = before + of_warps + sum - own;
        before += all;
    }
}

// What is written for an element: itself, or, of no type, its place.
template <typename Element>
struct Taken {
    typedef Element Out;
    static __device__ Out of(const Compact& compact, long long item) {
        return static_cast<const Element*>(compact.source)[item * compact.source_step];
    }
};

template <>
struct Taken<void> {
    typedef long long Out;
    static __device__ Out of(const Compact&, long long item) { return item; }
};

// Blocks of THREADS, a tile at a time.
template <typename Element>
__device__ void compact_write(const Compact& compact) {
    __shared__ unsigned warps[WARPS];
    typename Taken<Element>::Out* out = static_cast<typename Taken<Element>::Out*>(compact.out);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, earlier = (1u << lane) - 1;
    for (long long tile = blockIdx.x; tile < compact.tiles; tile += gridDim.x) {
        unsigned holds[EACH], own = 0;
#pragma unroll
        for (int step = 0; step < EACH; ++step) {
            holds[step] = held(compact, first_of(tile) + step * 32);
            own += __popc(holds[step]);
        }
        if (lane == 0) warps[warp] = own;
        __syncthreads();
        long long number = compact.counts[tile] - compact.start;
        for (int other = 0; other < WARPS; ++other) {
            if (other < warp) number += warps[other];
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < EACH; ++step) {
            const long long at = number + __popc(holds[step] & earlier);
            if ((holds[step] >> lane & 1) != 0 && at >= 0 && at < compact.count) {
                out[at * compact.out_step] =
                    Taken<Element>::of(compact, first_of(tile) + step * 32);
            }
            number += __popc(holds[step]);
        }
    }
}

extern "C" __global__ void compact_places(const Compact arguments) { compact_write<void>(arguments); }
extern "C" __global__ void compact_1(const Compact arguments) { compact_write<byte_1>(arguments); }
extern "C" __global__ void compact_2(const Compact arguments) { compact_write<byte_2>(arguments); }
extern "C" __global__ void compact_4(const Compact arguments) { compact_write<byte_4>(arguments); }
extern "C" __global__ void compact_8(const Compact arguments) { compact_write<byte_8>(arguments); }
