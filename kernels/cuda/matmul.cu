// Products of matrices: out (m, n) = a (m, k) . b (k, n) for every product of a stack. Behind the
// definitions of Element, of BEGIN, the sum of nothing, and of step(sum, a, b), which adds a product to a
// sum; of TILE, rows and columns of the output that a block of 256 threads makes, of DEEP, what it holds of k
// at a time, of OWN, rows and columns of the tile that a thread makes, which all are powers of two, and of RESIDENT, blocks that
// a multiprocessor holds.

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
// Neighbours of a row or column that a thread makes, which it reads from shared memory at once: 16 bytes of them.
#define FIT (16 / (int)sizeof(Element))
#define WIDTH (FIT < OWN ? FIT : OWN)
struct alignas(WIDTH * sizeof(Element)) Pack {
    Element at[WIDTH];
};

// A part of a or b: for each of DEEP k, the rows or columns of a tile. Behind them is a Pack, so that what belongs to one row
// or column lies in different banks.
#define PITCH (TILE + WIDTH)
#define PART (DEEP * PITCH)

// Where number r of a thread's rows or columns lies in the tile.
__device__ __forceinline__ int place(int thread, int r) {
    return (r / WIDTH * (TILE / OWN) + thread) * WIDTH + r % WIDTH;
}

// What a thread brings of a or b into shared memory: SHARE elements of each part.
struct Carrier {
    // Its first element of the next part; elements from one of its own to the next, and from part to part.
    const Element* next;
    long long each;
    long long deep;
    // Where that lies along k in the part, and how far on the next ones do.
    int k, k_each;
    // Where it is stored in the part, and how far on the next ones are.
    int to, to_each;
    // Bit e: number e is a row or column that there is.
    unsigned there;

    // Neighbouring threads load neighbouring elements, along the axis with the smaller stride. So many rows or columns are
    // left from the tile's first one.
    __device__ Carrier(const Element* from, long long k_stride, long long stride, long long left) : there(0) {
        const bool along_k = k_stride == 1;
        const int thread = threadIdx.x;
        const int at = along_k ? thread / DEEP : thread % TILE, at_each = along_k ? THREADS / DEEP : 0;
        k = along_k ? thread % DEEP : thread / TILE;
        k_each = along_k ? 0 : THREADS / TILE;
        to = k * PITCH + at;
        to_each = k_each * PITCH + at_each;
        next = from + k * k_stride + at * stride;
        each = along_k ? at_each * stride : k_each * k_stride;
        deep = DEEP * k_stride;
        for (int e = 0; e < SHARE; ++e) {
            if (at + e * at_each < left) there |= 1u << e;
        }
    }

    // Loads the next part, for which there are so many left of k.
    __device__ __forceinline__ void load(Element (&held)[SHARE], long long left) {
        const int ks = left < DEEP ? (int)left : DEEP;
#pragma unroll
        for (int e = 0; e < SHARE; ++e) {
            const bool inside = (there >> e & 1) != 0 && k + e * k_each < ks;
            held[e] = inside ? next[e * each] : Element(0);
        }
        next += deep;
    }

    __device__ __forceinline__ void store(const Element (&held)[SHARE], Element* part) const {
#pragma unroll
        for (int e = 0; e < SHARE; ++e) part[to + e * to_each] = held[e];
    }
};

// Adds to a thread's sums the products of one k.
__device__ __forceinline__ void add(
    Element (&sums)[OWN][OWN], const Element* left, const Element* right, int row, int column) {
    Pack x[OWN / WIDTH], y[OWN / WIDTH];
#pragma unroll
    for (int r = 0; r < OWN / WIDTH; ++r) {
        x[r] = *(const Pack*)(left + place(row, r * WIDTH));
        y[r] = *(const Pack*)(right + place(column, r * WIDTH));
    }
#pragma unroll
    for (int r = 0; r < OWN; ++r) {
#pragma unroll
        for (int c = 0; c < OWN; ++c) {
            sums[r][c] = step(sums[r][c], x[r / WIDTH].at[r % WIDTH], y[c / WIDTH].at[c % WIDTH]);
        }
    }
}

// Blocks of 256 threads. An element is one chain of steps in the order of k, from BEGIN; 0 if k is 0. While a part
// of k is multiplied, the next one is on its way to the other half of shared memory.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) matmul(const Product product) {
    __shared__ alignas(16) Element left[2 * PART], right[2 * PART];
    const int row = threadIdx.x / (TILE / OWN), column = threadIdx.x % (TILE / OWN);
    const long long across = (product.n + TILE - 1) / TILE;
    const long long tiles = (product.m + TILE - 1) / TILE * across;
    for (long long item = blockIdx.x; item < tiles * product.products; item += gridDim.x) {
        const long long number = item / tiles, tile = item % tiles;
        const long long top = tile / across * TILE, side = tile % across * TILE;
        Carrier a(
            product.a + stack_offset(product, 2, number) + top * product.a_strides[0], product.a_strides[1],
            product.a_strides[0], product.m - top);
        Carrier b(
            product.b + stack_offset(product, 3, number) + side * product.b_strides[1], product.b_strides[0],
            product.b_strides[1], product.n - side);
        Element sums[OWN][OWN], next_left[SHARE], next_right[SHARE];
#pragma unroll
        for (int r = 0; r < OWN; ++r) {
#pragma unroll
            for (int c = 0; c < OWN; ++c) sums[r][c] = product.k == 0 ? Element(0) : BEGIN;
        }
        a.load(next_left, product.k);
        b.load(next_right, product.k);
        a.store(next_left, left);
        b.store(next_right, right);
        __syncthreads();
        int half = 0;
        for (long long rest = product.k; rest > 0; rest -= DEEP) {
            a.load(next_left, rest - DEEP);
            b.load(next_right, rest - DEEP);
            if (rest >= DEEP) {
#pragma unroll
                for (int k = 0; k < DEEP; ++k) {
                    add(sums, left + half + k * PITCH, right + half + k * PITCH, row, column);
                }
            } else {
#pragma unroll 1
                for (int k = 0; k < (int)rest; ++k) {
                    add(sums, left + half + k * PITCH, right + half + k * PITCH, row, column);
                }
            }
            half = PART - half;
            a.store(next_left, left + half);
            b.store(next_right, right + half);
            __syncthreads();
        }
        Element* out = product.out + stack_offset(product, 1, number);
#pragma unroll
        for (int r = 0; r < OWN; ++r) {
            const long long i = top + place(row, r);
#pragma unroll
            for (int c = 0; c < OWN; ++c) {
                const long long j = side + place(column, c);
                if (i < product.m && j < product.n) {
                    out[i * product.out_strides[0] + j * product.out_strides[1]] = sums[r][c];
                }
            }
        }
    }
}
