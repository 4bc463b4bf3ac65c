// Running folds along an axis, in blocks. Behind the definitions of a reducer.
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

__device__ long long lane_offset(const Scan& scan, long long row, long long lane) {
    long long at = 0;
    for (long long axis = scan.rank - 1; axis >= 0; --axis) {
        const long long extent = scan.rows[axis];
        at += lane % extent * scan.rows[row * scan.rank + axis];
        lane /= extent;
    }
    return at;
}

__device__ long long first_item() {
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ long long all_threads() {
    return (long long)gridDim.x * blockDim.x;
}

__device__ darray_value fold(darray_value a, darray_value b) {
    return darray_value_of(darray_combine(darray_pair(a, 0), darray_pair(b, 0)));
}

// Each block by itself.
extern "C" __global__ void scan_blocks(const Scan scan) {
    for (long long item = first_item(); item < scan.lanes * scan.blocks; item += all_threads()) {
        const long long lane = item % scan.lanes, start = item / scan.lanes * scan.block;
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

// The carries out of the ends of the blocks.
extern "C" __global__ void scan_carries(const Scan scan) {
    for (long long lane = first_item(); lane < scan.lanes; lane += all_threads()) {
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

// The carries to the elements of the blocks.
extern "C" __global__ void scan_add(const Scan scan) {
    for (long long item = first_item(); item < scan.lanes * scan.extent; item += all_threads()) {
        const long long lane = item % scan.lanes, at = item / scan.lanes;
        const long long block = at / scan.block;
        if (block == 0 && scan.first) continue;
        darray_value* out = scan.out + lane_offset(scan, 1, lane) + at * scan.out_stride;
        const darray_value* carries = scan.carries + lane_offset(scan, 3, lane);
        *out = fold(carries[block * scan.carries_stride], *out);
    }
}
