// Running folds along an axis, in blocks. Behind index.cuh and the definitions of a reducer.
//
// A lane is one index of the other axes. Carries are one row per block, and one for the next tile.

struct Scan {
    darray_value* out;
    // The input of scan_blocks.
    const darray_value* input;
    darray_value* carries;
    // Rows of `rank` numbers for the other axes: extents; strides of out, input and carries.
    const long long* rows;
    long long rank;
    long long lanes;
    // Along the scanned axis: elements, elements of a block, blocks, and strides.
    long long extent;
    long long block;
    long long blocks;
    long long out_stride;
    long long input_stride;
    long long carries_stride;
    // Whether there is no carry into the tile.
    long long first;
};

__device__ __forceinline__ long long lane_offset(const Scan& scan, long long row, long long lane) {
    return darray_offset(scan.rows, scan.rows + row * scan.rank, scan.rank, lane);
}

// The lane of a block, and where it begins.
__device__ __forceinline__ void block_of(
    const Scan& scan, long long item, long long& lane, long long& start) {
    const long long block = darray_quotient(item, scan.lanes);
    lane = item - block * scan.lanes;
    start = block * scan.block;
}

__device__ darray_value fold(darray_value a, darray_value b) {
    return darray_value_of(darray_combine(darray_pair(a, 0), darray_pair(b, 0)));
}

// Each block by itself.
extern "C" __global__ void scan_blocks(const Scan scan) {
    for (long long item = darray_first_item(); item < scan.lanes * scan.blocks;
         item += darray_all_threads()) {
        long long lane, start;
        block_of(scan, item, lane, start);
        long long end = start + scan.block;
        if (end > scan.extent) end = scan.extent;
        darray_value* out = scan.out + lane_offset(scan, 1, lane) + start * scan.out_stride;
        const darray_value* in =
            scan.input + lane_offset(scan, 2, lane) + start * scan.input_stride;
        darray_value sum = *in;
        *out = sum;
        for (long long i = start + 1; i < end; ++i) {
            in += scan.input_stride;
            out += scan.out_stride;
            sum = fold(sum, *in);
            *out = sum;
        }
    }
}

// Threads of a block of the kernels below, and elements of a tile of theirs for each.
#define THREADS 256
#define EACH 8
// Elements that a chain reads ahead.
#define AHEAD 8

// A running fold in shared memory, of elements k to count, and what it ends with. Some are read before the first of them is
// written, so that the chain waits for shared memory once.
__device__ __forceinline__ darray_value chain(darray_value* at, int k, int count, darray_value sum) {
    for (; k + AHEAD <= count; k += AHEAD) {
        darray_value some[AHEAD];
#pragma unroll
        for (int e = 0; e < AHEAD; ++e) some[e] = at[k + e];
#pragma unroll
        for (int e = 0; e < AHEAD; ++e) {
            sum = fold(sum, some[e]);
            at[k + e] = sum;
        }
    }
    for (; k < count; ++k) {
        sum = fold(sum, at[k]);
        at[k] = sum;
    }
    return sum;
}

// Each block by itself, some of them together, a tile of so many elements of each at a time: the threads read and write tiles
// side by side, one thread folds a block. The next tile is on its way meanwhile.
template <int TOGETHER, int LENGTH>
__device__ __forceinline__ void blocks_in_tiles(const Scan& scan) {
    __shared__ darray_value tile[TOGETHER][LENGTH + 1];
    __shared__ long long inputs[TOGETHER], outs[TOGETHER], counts[TOGETHER];
    const long long items = scan.lanes * scan.blocks;
    const long long most = scan.block < scan.extent ? scan.block : scan.extent;
    const int own = threadIdx.x;
    for (long long first = (long long)blockIdx.x * TOGETHER; first < items;
         first += (long long)gridDim.x * TOGETHER) {
        if (own < TOGETHER) {
            const long long item = first + own;
            counts[own] = 0;
            if (item < items) {
                long long lane, start;
                block_of(scan, item, lane, start);
                const long long rest = scan.extent - start;
                counts[own] = rest < scan.block ? rest : scan.block;
                inputs[own] = lane_offset(scan, 2, lane) + start * scan.input_stride;
                outs[own] = lane_offset(scan, 1, lane) + start * scan.out_stride;
            }
        }
        __syncthreads();
        darray_value held[EACH], sum = darray_value();
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            const int which = (own + k * THREADS) / LENGTH, place = (own + k * THREADS) % LENGTH;
            held[k] = darray_value();
            if (place < counts[which]) {
                held[k] = scan.input[inputs[which] + place * scan.input_stride];
            }
        }
        for (long long at = 0; at < most; at += LENGTH) {
#pragma unroll
            for (int k = 0; k < EACH; ++k) {
                const int which = (own + k * THREADS) / LENGTH, place = (own + k * THREADS) % LENGTH;
                const long long next = at + LENGTH + place;
                tile[which][place] = held[k];
                if (next < counts[which]) {
                    held[k] = scan.input[inputs[which] + next * scan.input_stride];
                }
            }
            __syncthreads();
            if (own < TOGETHER) {
                const long long rest = counts[own] - at;
                const int count = rest < LENGTH ? (int)rest : LENGTH;
                int k = 0;
                if (at == 0 && count > 0) sum = tile[own][k++];
                sum = chain(tile[own], k, count, sum);
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < EACH; ++k) {
                const int which = (own + k * THREADS) / LENGTH, place = (own + k * THREADS) % LENGTH;
                if (at + place < counts[which]) {
                    scan.out[outs[which] + (at + place) * scan.out_stride] = tile[which][place];
                }
            }
            __syncthreads();
        }
    }
}

// Long blocks. Fewer together in longer tiles, and four times the blocks on a multiprocessor, take 1.7 times as long on an H200.
extern "C" __global__ void scan_tiles(const Scan scan) {
    blocks_in_tiles<8, 256>(scan);
}

// Short ones.
extern "C" __global__ void scan_short_tiles(const Scan scan) {
    blocks_in_tiles<64, 32>(scan);
}

// The carries out of the ends of the blocks.
extern "C" __global__ void scan_carries(const Scan scan) {
    for (long long lane = darray_first_item(); lane < scan.lanes; lane += darray_all_threads()) {
        const darray_value* out = scan.out + lane_offset(scan, 1, lane);
        darray_value* carries = scan.carries + lane_offset(scan, 3, lane);
        darray_value carry = scan.first ? out[0] : carries[0];
        for (long long block = 0; block < scan.blocks; ++block) {
            long long last = (block + 1) * scan.block;
            if (last > scan.extent) last = scan.extent;
            const darray_value total = out[(last - 1) * scan.out_stride];
            carry = scan.first && block == 0 ? total : fold(carry, total);
            carries[(block + 1) * scan.carries_stride] = carry;
        }
    }
}

// Ends of blocks that a warp reads at once.
#define ENDS 256

// The same of few lanes: a warp for each, which reads many ends, makes carries of them in one chain, and writes those.
extern "C" __global__ void scan_carries_by_warps(const Scan scan) {
    __shared__ darray_value ends[THREADS / 32][ENDS];
    const int warp = threadIdx.x / 32, own = threadIdx.x % 32;
    darray_value* const here = ends[warp];
    for (long long lane = darray_first_item() / 32; lane < scan.lanes; lane += darray_all_threads() / 32) {
        const darray_value* out = scan.out + lane_offset(scan, 1, lane);
        darray_value* carries = scan.carries + lane_offset(scan, 3, lane);
        darray_value carry = scan.first ? out[0] : carries[0];
        for (long long from = 0; from < scan.blocks; from += ENDS) {
            const int count = scan.blocks - from < ENDS ? (int)(scan.blocks - from) : ENDS;
#pragma unroll
            for (int k = 0; k < ENDS; k += 32) {
                if (k + own >= count) continue;
                long long last = (from + k + own + 1) * scan.block;
                if (last > scan.extent) last = scan.extent;
                here[k + own] = out[(last - 1) * scan.out_stride];
            }
            __syncwarp();
            if (own == 0) {
                int k = 0;
                if (scan.first && from == 0) carry = here[k++];
                carry = chain(here, k, count, carry);
            }
            __syncwarp();
            for (int k = own; k < count; k += 32) carries[(from + k + 1) * scan.carries_stride] = here[k];
            __syncwarp();
        }
    }
}

__device__ __forceinline__ void add_carry(
    const Scan& scan, darray_value* out, const darray_value* carries, long long at) {
    const long long block = darray_quotient(at, scan.block);
    if (block == 0 && scan.first) return;
    out[at * scan.out_stride] = fold(carries[block * scan.carries_stride], out[at * scan.out_stride]);
}

// The carries to the elements of the blocks.
extern "C" __global__ void scan_add(const Scan scan) {
    if (scan.lanes == 1) {
        // Most parts of the lane lie in one block, whose carry is read once.
        const long long part = THREADS * EACH;
        for (long long start = blockIdx.x * part; start < scan.extent; start += gridDim.x * part) {
            const long long block = darray_quotient(start, scan.block), end = start + part;
            if (end <= scan.extent && end <= (block + 1) * scan.block) {
                if (block == 0 && scan.first) continue;
                const darray_value carry = scan.carries[block * scan.carries_stride];
                darray_value* out = scan.out + (start + threadIdx.x) * scan.out_stride;
                darray_value held[EACH];
#pragma unroll
                for (int e = 0; e < EACH; ++e) held[e] = out[e * THREADS * scan.out_stride];
#pragma unroll
                for (int e = 0; e < EACH; ++e) out[e * THREADS * scan.out_stride] = fold(carry, held[e]);
                continue;
            }
            for (long long at = start + threadIdx.x; at < end && at < scan.extent; at += THREADS) {
                add_carry(scan, scan.out, scan.carries, at);
            }
        }
        return;
    }
    for (long long item = darray_first_item(); item < scan.lanes * scan.extent;
         item += darray_all_threads()) {
        const long long at = darray_quotient(item, scan.lanes), lane = item - at * scan.lanes;
        add_carry(
            scan, scan.out + lane_offset(scan, 1, lane), scan.carries + lane_offset(scan, 3, lane), at);
    }
}
