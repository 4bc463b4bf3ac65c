// Copies whose neighbours lie next to each other along one axis in the source and along another in the target:
// through tiles of shared memory, so that both sides are used in whole lines. By the elements' size.

typedef unsigned char byte_1;
typedef unsigned short byte_2;
typedef unsigned int byte_4;
typedef unsigned long long byte_8;

#define SIDE 32

struct Transpose {
    void* to;
    const void* from;
    // Along the axis of neighbours in the source: elements, and strides of both sides.
    long long rows;
    long long row_to;
    long long row_from;
    // Along that of neighbours in the target.
    long long columns;
    long long column_to;
    long long column_from;
    // Of the other axes, outermost first; strides in elements.
    long long others;
    long long rank;
    long long extents[6];
    long long to_strides[6];
    long long from_strides[6];
};

// Blocks of SIDE * 8 threads, a tile at a time.
template <typename Element>
__device__ void transpose(const Transpose& copy) {
    // One element more, so that a column lies in different banks.
    __shared__ Element tile[SIDE][SIDE + 1];
    const int near = threadIdx.x % SIDE, far = threadIdx.x / SIDE;
    const long long down = (copy.rows + SIDE - 1) / SIDE;
    const long long across = (copy.columns + SIDE - 1) / SIDE;
    for (long long item = blockIdx.x; item < down * across * copy.others; item += gridDim.x) {
        const long long other = item / (down * across), place = item % (down * across);
        const long long row = place % down * SIDE, column = place / down * SIDE;
        const Element* from = static_cast<const Element*>(copy.from)
            + darray_offset(copy.extents, copy.from_strides, copy.rank, other);
        Element* to = static_cast<Element*>(copy.to)
            + darray_offset(copy.extents, copy.to_strides, copy.rank, other);
        for (int step = far; step < SIDE; step += 8) {
            if (row + near < copy.rows && column + step < copy.columns) {
                tile[step][near] =
                    from[(row + near) * copy.row_from + (column + step) * copy.column_from];
            }
        }
        __syncthreads();
        for (int step = far; step < SIDE; step += 8) {
            if (row + step < copy.rows && column + near < copy.columns) {
                to[(row + step) * copy.row_to + (column + near) * copy.column_to] =
                    tile[near][step];
            }
        }
        __syncthreads();
    }
}

extern "C" __global__ void transpose_1(const Transpose arguments) { transpose<byte_1>(arguments); }
extern "C" __global__ void transpose_2(const Transpose arguments) { transpose<byte_2>(arguments); }
extern "C" __global__ void transpose_4(const Transpose arguments) { transpose<byte_4>(arguments); }
extern "C" __global__ void transpose_8(const Transpose arguments) { transpose<byte_8>(arguments); }
