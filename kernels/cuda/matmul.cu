// Products of matrices: out (m, n) = a (m, k) . b (k, n) for every product of a stack. Behind the
// definitions of Element, of BEGIN, the sum of nothing, and of step(sum, a, b), which adds a product to a
// sum.

struct Product {
    Element* out;
    const Element* a;
    const Element* b;
    long long m;
    long long k;
    long long n;
    // Elements from row to row and from column to column.
    long long out_strides[2];
    long long a_strides[2];
    long long b_strides[2];
    long long products;
    // Rows of `rank` numbers for the stack: extents; strides of out, a and b.
    const long long* rows;
    long long rank;
};

__device__ long long stack_offset(const Product& product, long long row, long long number) {
    long long at = 0;
    for (long long axis = product.rank - 1; axis >= 0; --axis) {
        const long long extent = product.rows[axis];
        at += number % extent * product.rows[row * product.rank + axis];
        number /= extent;
    }
    return at;
}

// The tile of the output that a block of threads makes, what it holds of k at a time, and the part of
// the tile that a thread makes.
#define HIGH 64
#define WIDE 64
#define DEEP 16
#define ROWS 4
#define COLUMNS 4

// Blocks of 256 threads. An element is one chain of steps in the order of k, from BEGIN; 0 if k is 0.
extern "C" __global__ void matmul(const Product product) {
    __shared__ Element left[DEEP][HIGH + 1];
    __shared__ Element right[DEEP][WIDE + 1];
    const int row = threadIdx.x / (WIDE / COLUMNS), column = threadIdx.x % (WIDE / COLUMNS);
    const long long across = (product.n + WIDE - 1) / WIDE;
    const long long tiles = (product.m + HIGH - 1) / HIGH * across;
    // Neighbouring threads load neighbouring elements, along the axis with the smaller stride.
    const bool left_by_rows = product.a_strides[1] == 1;
    const bool right_by_rows = product.b_strides[1] == 1;
    for (long long item = blockIdx.x; item < tiles * product.products; item += gridDim.x) {
        const long long number = item / tiles, tile = item % tiles;
        const long long top = tile / across * HIGH, side = tile % across * WIDE;
        const Element* a = product.a + stack_offset(product, 2, number);
        const Element* b = product.b + stack_offset(product, 3, number);
        Element sums[ROWS][COLUMNS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) sums[r][c] = product.k == 0 ? Element(0) : BEGIN;
        }
        for (long long first = 0; first < product.k; first += DEEP) {
            for (int at = threadIdx.x; at < HIGH * DEEP; at += blockDim.x) {
                const int i = left_by_rows ? at / DEEP : at % HIGH;
                const int k = left_by_rows ? at % DEEP : at / HIGH;
                left[k][i] = top + i < product.m && first + k < product.k
                    ? a[(top + i) * product.a_strides[0] + (first + k) * product.a_strides[1]]
                    : Element(0);
            }
            for (int at = threadIdx.x; at < WIDE * DEEP; at += blockDim.x) {
                const int j = right_by_rows ? at % WIDE : at / DEEP;
                const int k = right_by_rows ? at / WIDE : at % DEEP;
                right[k][j] = side + j < product.n && first + k < product.k
                    ? b[(first + k) * product.b_strides[0] + (side + j) * product.b_strides[1]]
                    : Element(0);
            }
            __syncthreads();
            const int deep = product.k - first < DEEP ? (int)(product.k - first) : DEEP;
            for (int k = 0; k < deep; ++k) {
                Element x[ROWS], y[COLUMNS];
#pragma unroll
                for (int r = 0; r < ROWS; ++r) x[r] = left[k][row + r * (HIGH / ROWS)];
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) y[c] = right[k][column + c * (WIDE / COLUMNS)];
#pragma unroll
                for (int r = 0; r < ROWS; ++r) {
#pragma unroll
                    for (int c = 0; c < COLUMNS; ++c) sums[r][c] = step(sums[r][c], x[r], y[c]);
                }
            }
            __syncthreads();
        }
        Element* out = product.out + stack_offset(product, 1, number);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const long long i = top + row + r * (HIGH / ROWS);
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                const long long j = side + column + c * (WIDE / COLUMNS);
                if (i < product.m && j < product.n) {
                    out[i * product.out_strides[0] + j * product.out_strides[1]] = sums[r][c];
                }
            }
        }
    }
}
