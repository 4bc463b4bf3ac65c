// Sorting along an axis by digits of eight bits, the least first; every pass is stable. Behind index.cuh,
// order.cuh and the definitions of Position, an unsigned type that holds the number of elements, of EACH, elements
// of a thread, of RESIDENT, blocks that a multiprocessor is to hold, and of PLAIN: whether elements are sorted without their
// positions, as they are and not as keys, for their values alone and in one lane.
//
// All lanes are sorted together: by their keys, and then by the number of their lane, which is the number
// of an element over the lane's length. So a pass has work for the whole GPU whatever the lanes.

// Digits, and threads of a block.
#define DIGITS 256
// Elements of a block.
#define TILE (DIGITS * EACH)
#define WARPS (DIGITS / 32)

struct Sort {
    const Key* input;
    Key* values;
    long long* indices;
    // What a pass reads, and what it writes.
    const Key* keys;
    const Position* positions;
    Key* sorted_keys;
    Position* sorted_positions;
    // How many elements of each tile have each digit, by digit, then tile; then before them.
    Position* counts;
    // How many have each digit.
    Position* totals;
    // Rows of `rank` numbers for the lanes: extents; strides of input, values and indices.
    const long long* rows;
    long long rank;
    long long count;
    long long tiles;
    // Along the axis: elements, strides of input, values and indices; the first element's index.
    long long extent;
    long long input_step;
    long long values_step;
    long long indices_step;
    long long origin;
    // The digit: of the lane's number or of the key, and how far to the right it stands.
    long long of_lane;
    long long shift;
};

__device__ __forceinline__ unsigned digit_of(const Sort& sort, Key key, Position position) {
    const Key ordered = PLAIN ? darray_key(key) : key;
    const unsigned long long word =
        !PLAIN && sort.of_lane ? darray_quotient((long long)position, sort.extent) : ordered;
    return (unsigned)(word >> sort.shift) & (DIGITS - 1);
}

__device__ __forceinline__ Position position_of(const Sort& sort, long long item) {
    return PLAIN ? 0 : sort.positions[item];
}

extern "C" __global__ void sort_keys(const Sort sort) {
    for (long long item = darray_first_item(); item < sort.count; item += darray_all_threads()) {
        const long long lane = darray_quotient(item, sort.extent), at = item - lane * sort.extent;
        const long long from =
            darray_offset(sort.rows, sort.rows + sort.rank, sort.rank, lane) + at * sort.input_step;
        sort.sorted_keys[item] = PLAIN ? sort.input[from] : darray_key(sort.input[from]);
        if (!PLAIN) sort.sorted_positions[item] = (Position)item;
    }
}

// Blocks of DIGITS threads, a tile at a time.
extern "C" __global__ void sort_count(const Sort sort) {
    __shared__ unsigned seen[DIGITS];
    for (long long tile = blockIdx.x; tile < sort.tiles; tile += gridDim.x) {
        seen[threadIdx.x] = 0;
        __syncthreads();
#pragma unroll
        for (int step = 0; step < EACH; ++step) {
            const long long item = tile * TILE + step * DIGITS + threadIdx.x;
            if (item >= sort.count) break;
            atomicAdd(&seen[digit_of(sort, sort.keys[item], position_of(sort, item))], 1u);
        }
        __syncthreads();
        sort.counts[threadIdx.x * sort.tiles + tile] = seen[threadIdx.x];
        __syncthreads();
    }
}

// The sum of what the threads before this one of a block of DIGITS have; `all` is the sum of all.
__device__ __forceinline__ Position before_this_thread(Position own, Position* warps, Position& all) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Position sum = own;
    for (int width = 1; width < 32; width *= 2) {
        const Position other = __shfl_up_sync(0xffffffffu, sum, width);
        if (lane >= width) sum += other;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    Position before = 0;
    all = 0;
    for (int other = 0; other < WARPS; ++other) {
        if (other < warp) before += warps[other];
        all += warps[other];
    }
    __syncthreads();
    return before + sum - own;
}

// A block for each digit: its counts become how many elements of earlier tiles have it.
extern "C" __global__ void sort_offsets(const Sort sort) {
    __shared__ Position warps[WARPS];
    for (long long digit = blockIdx.x; digit < DIGITS; digit += gridDim.x) {
        Position* counts = sort.counts + digit * sort.tiles;
        Position before = 0;
        for (long long first = 0; first < sort.tiles; first += DIGITS) {
            const long long tile = first + threadIdx.x;
            const Position own = tile < sort.tiles ? counts[tile] : 0;
            Position all;
            const Position at = before_this_thread(own, warps, all);
            if (tile < sort.tiles) counts[tile] = before + at;
            before += all;
        }
        if (threadIdx.x == 0) sort.totals[digit] = before;
    }
}

// The threads of a warp that have the same digit of eight bits, of those inside.
__device__ __forceinline__ unsigned with_same(unsigned digit, bool inside) {
    unsigned same = __ballot_sync(0xffffffffu, inside);
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
        const bool own = (digit >> bit & 1) != 0;
        const unsigned set = __ballot_sync(0xffffffffu, own);
        same &= own ? set : ~set;
    }
    return same;
}

// Blocks of DIGITS threads, a tile at a time: sorted in shared memory, then written digit by digit, so
// that neighbours go to neighbours.
extern "C" __global__ void __launch_bounds__(DIGITS, RESIDENT) sort_move(const Sort sort) {
    __shared__ Key keys[TILE];
    __shared__ Position positions[PLAIN ? 1 : TILE];
    // How often each warp has seen a digit; then how often the warps before it have.
    __shared__ unsigned seen[WARPS][DIGITS];
    __shared__ Position warps[WARPS];
    // Where the elements of a digit begin in the tile; what is added to that to get where they go.
    __shared__ unsigned begins[DIGITS];
    __shared__ Position shifts[DIGITS];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, earlier = (1u << lane) - 1;
    Position all;
    const Position digit_begins =
        before_this_thread(sort.totals[threadIdx.x], warps, all);
    for (long long tile = blockIdx.x; tile < sort.tiles; tile += gridDim.x) {
        for (int other = 0; other < WARPS; ++other) seen[other][threadIdx.x] = 0;
        // A warp has TILE / WARPS elements one after the other, 32 at a time. All are on their way before the first is used.
        const long long first = tile * TILE + warp * (TILE / WARPS) + lane;
        const long long left = sort.count - first;
        const int inside = left < TILE ? (int)left : TILE;
        Key own_keys[EACH];
        Position own_positions[EACH];
#pragma unroll
        for (int step = 0; step < EACH; ++step) {
            own_keys[step] = step * 32 < inside ? sort.keys[first + step * 32] : 0;
            own_positions[step] = step * 32 < inside ? position_of(sort, first + step * 32) : 0;
        }
        __syncthreads();
        // The digit, and behind it how many elements of the warp before this one have it too.
        unsigned digits[EACH];
#pragma unroll
        for (int step = 0; step < EACH; ++step) {
            const bool is_one = step * 32 < inside;
            const unsigned digit = is_one ? digit_of(sort, own_keys[step], own_positions[step]) : 0;
            const unsigned same = with_same(digit, is_one);
            const unsigned rank = __popc(same & earlier);
            const unsigned before = is_one ? seen[warp][digit] : 0;
            digits[step] = digit | (before + rank) * DIGITS;
            __syncwarp();
            if (is_one && rank == 0) seen[warp][digit] = before + __popc(same);
            __syncwarp();
        }
        __syncthreads();
        unsigned of_digit = 0;
        for (int other = 0; other < WARPS; ++other) {
            const unsigned there = seen[other][threadIdx.x];
            seen[other][threadIdx.x] = of_digit;
            of_digit += there;
        }
        const Position begin = before_this_thread(of_digit, warps, all);
        begins[threadIdx.x] = (unsigned)begin;
        shifts[threadIdx.x] =
            digit_begins + sort.counts[threadIdx.x * sort.tiles + tile] - begin;
        __syncthreads();
#pragma unroll
        for (int step = 0; step < EACH; ++step) {
            if (step * 32 >= inside) continue;
            const unsigned digit = digits[step] % DIGITS;
            const unsigned at = begins[digit] + seen[warp][digit] + digits[step] / DIGITS;
            keys[at] = own_keys[step];
            if (!PLAIN) positions[at] = own_positions[step];
        }
        __syncthreads();
        const long long here = sort.count - tile * TILE;
#pragma unroll 4
        for (int at = threadIdx.x; at < TILE && at < here; at += DIGITS) {
            const Key key = keys[at];
            const Position position = PLAIN ? 0 : positions[at];
            const Position to = shifts[digit_of(sort, key, position)] + (Position)at;
            sort.sorted_keys[to] = key;
            if (!PLAIN) sort.sorted_positions[to] = position;
        }
        __syncthreads();
    }
}

extern "C" __global__ void sort_write(const Sort sort) {
    for (long long item = darray_first_item(); item < sort.count; item += darray_all_threads()) {
        if (PLAIN) {
            sort.values[item * sort.values_step] = sort.keys[item];
            continue;
        }
        const long long lane = darray_quotient(item, sort.extent), at = item - lane * sort.extent;
        const long long from = (long long)sort.positions[item] - lane * sort.extent;
        const long long* rows = sort.rows + sort.rank;
        if (sort.values) {
            const Key value =
                sort.input[darray_offset(sort.rows, rows, sort.rank, lane) + from * sort.input_step];
            rows += sort.rank;
            sort.values[darray_offset(sort.rows, rows, sort.rank, lane) + at * sort.values_step] =
                value;
        }
        if (sort.indices) {
            rows = sort.rows + 3 * sort.rank;
            sort.indices[darray_offset(sort.rows, rows, sort.rank, lane) + at * sort.indices_step] =
                sort.origin + from;
        }
    }
}
