// Products of matrices: out (m, n) = a (m, k) . b (k, n) for every product of a stack. Behind the
// definitions of Element, of BEGIN, the sum of nothing, and of step(sum, a, b), which adds a product to a
// sum; of TILE, rows and columns of the output that a block of 256 threads makes, of DEEP, what it holds of k
// at a time, and of OWN, rows and columns of the tile that a thread makes.

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

#define THREADS 256
#define SHARE (TILE * DEEP / THREADS)

// Blocks of 256 threads. An element is one chain of steps in the order of k, from BEGIN; 0 if k is 0. While a part
// of k is multiplied, the next one is on its way.
extern "C" __global__ void __launch_bounds__(THREADS) matmul(const Product product) {
    __shared__ Element left[DEEP][TILE + 1];
    __shared__ Element right[DEEP][TILE + 1];
    const int row = threadIdx.x / (TILE / OWN), column = threadIdx.x % (TILE / OWN);
    const long long across = (product.n + TILE - 1) / TILE;
    const long long tiles = (product.m + TILE - 1) / TILE * across;
    // Neighbouring threads load neighbouring elements, along the axis with the smaller stride.
    const bool left_by_rows = product.a_strides[1] == 1;
    const bool right_by_rows = product.b_strides[1] == 1;
    for (long long item = blockIdx.x; item < tiles * product.products; item += gridDim.x) {
        const long long number = item / tiles, tile = item % tiles;
        const long long top = tile / across * TILE, side = tile % across * TILE;
        const Element* a = product.a + stack_offset(product, 2, number);
        const Element* b = product.b + stack_offset(product, 3, number);
        Element sums[OWN][OWN], next_left[SHARE], next_right[SHARE];
#pragma unroll
        for (int r = 0; r < OWN; ++r) {
#pragma unroll
            for (int c = 0; c < OWN; ++c) sums[r][c] = product.k == 0 ? Element(0) : BEGIN;
        }
        for (long long first = -DEEP; first < product.k; first += DEEP) {
            const long long next = first + DEEP;
#pragma unroll
            for (int e = 0; e < SHARE; ++e) {
                const int at = threadIdx.x + e * THREADS;
                const int i = left_by_rows ? at / DEEP : at % TILE;
                const int k = left_by_rows ? at % DEEP : at / TILE;
                next_left[e] = top + i < product.m && next + k < product.k
                    ? a[(top + i) * product.a_strides[0] + (next + k) * product.a_strides[1]]
                    : Element(0);
            }
#pragma unroll
            for (int e = 0; e < SHARE; ++e) {
                const int at = threadIdx.x + e * THREADS;
                const int j = right_by_rows ? at % TILE : at / DEEP;
                const int k = right_by_rows ? at / TILE : at % DEEP;
                next_right[e] = side + j < product.n && next + k < product.k
                    ? b[(next + k) * product.b_strides[0] + (side + j) * product.b_strides[1]]
                    : Element(0);
            }
            // Nothing is there before the first part.
            const int deep = first < 0 ? 0 : product.k - first < DEEP ? (int)(product.k - first) : DEEP;
#pragma unroll 8
            for (int k = 0; k < deep; ++k) {
                Element x[OWN], y[OWN];
#pragma unroll
                for (int r = 0; r < OWN; ++r) x[r] = left[k][row + r * (TILE / OWN)];
#pragma unroll
                for (int c = 0; c < OWN; ++c) y[c] = right[k][column + c * (TILE / OWN)];
#pragma unroll
                for (int r = 0; r < OWN; ++r) {
#pragma unroll
                    for (int c = 0; c < OWN; ++c) sums[r][c] = step(sums[r][c], x[r], y[c]);
                }
            }
            __syncthreads();
#pragma unroll
            for (int e = 0; e < SHARE; ++e) {
                const int at = threadIdx.x + e * THREADS;
                left[left_by_rows ? at % DEEP : at / TILE][left_by_rows ? at / DEEP : at % TILE]
                    = next_left[e];
                right[right_by_rows ? at / TILE : at % DEEP][right_by_rows ? at % TILE : at / DEEP]
                    = next_right[e];
            }
            __syncthreads();
        }
        Element* out = product.out + stack_offset(product, 1, number);
#pragma unroll
        for (int r = 0; r < OWN; ++r) {
            const long long i = top + row + r * (TILE / OWN);
#pragma unroll
            for (int c = 0; c < OWN; ++c) {
                const long long j = side + column + c * (TILE / OWN);
                if (i < product.m && j < product.n) {
                    out[i * product.out_strides[0] + j * product.out_strides[1]] = sums[r][c];
                }
            }
        }
    }
}
