// Products of matrices: out (m, n) = a (m, k) . b (k, n) for every product of a stack. Behind the
// definitions of Element, of BEGIN, the sum of nothing, and of step(sum, a, b), which adds a product to a
// sum; of TILE, rows and columns of the output that a block of 256 threads makes, of DEEP, what it holds of k
// at a time, of OWN, rows and columns of the tile that a thread makes, which all are powers of two, of RESIDENT, blocks that
// a multiprocessor holds; of BLOCK, how much of k is one chain of steps, or 0 if all of it is: a multiple of DEEP, and join(a, b) adds
// the sums of two blocks; and of MATRIX_STEPS: whether step is the fused multiply-add of f64, which the units for matrices
// of 16 x 8 and 8 x 8 make one after the other in the order of k.

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
    // Room for sums of blocks of k that wait: for every block of threads so many levels, at each of which every thread has as many
    // as it makes.
    Element* waiting;
    long long levels;
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

// A part of a or b: for each of DEEP k, the rows or columns of a tile. Behind them is some room, so that what belongs to one row
// or column, and what a warp reads of it for a step of matrices, lies in different banks.
#define PITCH (TILE + (MATRIX_STEPS ? 4 : WIDTH))
#define PART (DEEP * PITCH)
// What is loaded of a where there is nothing: times 0.0 of b it changes no sum, not even -0.0.
#define NOTHING (MATRIX_STEPS ? Element(-0.0) : Element(0))

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
        const bool along_k = llabs(k_stride) < llabs(stride);
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

    // Loads the next part, for which there are so many left of k; `nothing` where there is none.
    __device__ __forceinline__ void load(Element (&held)[SHARE], long long left, Element nothing) {
        const int ks = left < DEEP ? (int)left : DEEP;
#pragma unroll
        for (int e = 0; e < SHARE; ++e) {
            const bool inside = (there >> e & 1) != 0 && k + e * k_each < ks;
            held[e] = inside ? next[e * each] : nothing;
        }
        next += deep;
    }

    __device__ __forceinline__ void store(const Element (&held)[SHARE], Element* part) const {
#pragma unroll
        for (int e = 0; e < SHARE; ++e) part[to + e * to_each] = held[e];
    }
};

#if MATRIX_STEPS
// A block's warps share out its tile, two times four of them. Of its part a warp makes pieces of 16 x 8, of which a thread
// has four sums: in row g two columns from 2 t on, and the same eight rows below.
#define PIECES 4
#define WARP_ROWS (TILE / 2)
#define WARP_COLUMNS (TILE / 4)
#define SUMS (PIECES * PIECES * 4)

struct Sums {
    Element at[PIECES][PIECES][4];
    int row, column, g, t;

    __device__ Sums(Element begin) {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        row = warp / 4 * WARP_ROWS;
        column = warp % 4 * WARP_COLUMNS;
        g = lane / 4;
        t = lane % 4;
#pragma unroll
        for (int e = 0; e < SUMS; ++e) number(e) = begin;
    }

    // Adds the products of a part. Steps beyond k are -0.0 times 0.0, which changes no sum.
    __device__ __forceinline__ void add(const Element* left, const Element* right, long long) {
#pragma unroll
        for (int k = 0; k < DEEP; k += 8) {
            Element x[PIECES][4], y[PIECES][2];
#pragma unroll
            for (int p = 0; p < PIECES; ++p) {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    x[p][e] = left[(k + t + e / 2 * 4) * PITCH + row + p * 16 + g + e % 2 * 8];
                }
#pragma unroll
                for (int e = 0; e < 2; ++e) y[p][e] = right[(k + t + e * 4) * PITCH + column + p * 8 + g];
            }
#pragma unroll
            for (int r = 0; r < PIECES; ++r) {
#pragma unroll
                for (int c = 0; c < PIECES; ++c) {
                    Element(&sum)[4] = at[r][c];
                    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                        : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
                        : "d"(x[r][0]), "d"(x[r][1]), "d"(x[r][2]), "d"(x[r][3]), "d"(y[c][0]), "d"(y[c][1]));
                }
            }
        }
    }

    // Number e of the sums.
    __device__ __forceinline__ Element& number(int e) { return at[e / 4 / PIECES][e / 4 % PIECES][e % 4]; }

    // Calls this with the row and the column in the tile of each sum, and the sum.
    template <class To> __device__ __forceinline__ void each(To to) const {
#pragma unroll
        for (int e = 0; e < SUMS; ++e) {
            const int r = e / 4 / PIECES, c = e / 4 % PIECES, own = e % 4;
            to(row + r * 16 + g + own / 2 * 8, column + c * 8 + t * 2 + own % 2, at[r][c][own]);
        }
    }
};
#else
#define SUMS (OWN * OWN)

// Where number r of a thread's rows or columns lies in the tile.
__device__ __forceinline__ int place(int thread, int r) {
    return (r / WIDTH * (TILE / OWN) + thread) * WIDTH + r % WIDTH;
}

struct Sums {
    Element at[OWN][OWN];
    int row, column;

    __device__ Sums(Element begin) {
        row = threadIdx.x / (TILE / OWN);
        column = threadIdx.x % (TILE / OWN);
#pragma unroll
        for (int e = 0; e < SUMS; ++e) number(e) = begin;
    }

    // Adds the products of one k.
    __device__ __forceinline__ void add_one(const Element* left, const Element* right) {
        Pack x[OWN / WIDTH], y[OWN / WIDTH];
#pragma unroll
        for (int r = 0; r < OWN / WIDTH; ++r) {
            x[r] = *(const Pack*)(left + place(row, r * WIDTH));
            y[r] = *(const Pack*)(right + place(column, r * WIDTH));
        }
#pragma unroll
        for (int e = 0; e < SUMS; ++e) {
            const int r = e / OWN, c = e % OWN;
            at[r][c] = step(at[r][c], x[r / WIDTH].at[r % WIDTH], y[c / WIDTH].at[c % WIDTH]);
        }
    }

    // Adds the products of a part, for which so many of k are left.
    __device__ __forceinline__ void add(const Element* left, const Element* right, long long rest) {
        if (rest >= DEEP) {
#pragma unroll
            for (int k = 0; k < DEEP; ++k) add_one(left + k * PITCH, right + k * PITCH);
        } else {
#pragma unroll 1
            for (int k = 0; k < (int)rest; ++k) add_one(left + k * PITCH, right + k * PITCH);
        }
    }

    // Number e of the sums.
    __device__ __forceinline__ Element& number(int e) { return at[e / OWN][e % OWN]; }

    // Calls this with the row and the column in the tile of each sum, and the sum.
    template <class To> __device__ __forceinline__ void each(To to) const {
#pragma unroll
        for (int e = 0; e < SUMS; ++e) to(place(row, e / OWN), place(column, e % OWN), at[e / OWN][e % OWN]);
    }
};
#endif

#if BLOCK
// What becomes of the sums of a block of k, by its number: what waits at lower levels is added before them, as a binary counter
// carries, and they wait in turn, BEGIN in their place; of the last one all is added that waits, and they are the elements.
__device__ __forceinline__ void join_block(Sums& sums, Element* waiting, long long number, bool last) {
    Element* level = waiting;
    for (long long left = number; last ? left != 0 : (left & 1) != 0; left >>= 1) {
        if ((left & 1) != 0) {
#pragma unroll
            for (int e = 0; e < SUMS; ++e) sums.number(e) = join(level[e * THREADS], sums.number(e));
        }
        level += SUMS * THREADS;
    }
    if (last) return;
#pragma unroll
    for (int e = 0; e < SUMS; ++e) {
        level[e * THREADS] = sums.number(e);
        sums.number(e) = BEGIN;
    }
}
#endif

// Blocks of 256 threads. An element is a chain of steps in the order of k, from BEGIN, or of a chain for each BLOCK of k; 0 if k
// is 0. While a part of k is multiplied, the next one is on its way to the other half of shared memory.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) matmul(const Product product) {
    __shared__ alignas(16) Element left[2 * PART], right[2 * PART];
    const long long across = (product.n + TILE - 1) / TILE;
    const long long tiles = (product.m + TILE - 1) / TILE * across;
#if BLOCK
    // A warp's accesses are side by side.
    Element* waiting = product.waiting + blockIdx.x * product.levels * (SUMS * THREADS) + threadIdx.x;
#endif
    for (long long item = blockIdx.x; item < tiles * product.products; item += gridDim.x) {
        const long long number = item / tiles, tile = item % tiles;
        const long long top = tile / across * TILE, side = tile % across * TILE;
        Carrier a(
            product.a + stack_offset(product, 2, number) + top * product.a_strides[0], product.a_strides[1],
            product.a_strides[0], product.m - top);
        Carrier b(
            product.b + stack_offset(product, 3, number) + side * product.b_strides[1], product.b_strides[0],
            product.b_strides[1], product.n - side);
        Sums sums(product.k == 0 ? Element(0) : BEGIN);
        Element next_left[SHARE], next_right[SHARE];
        a.load(next_left, product.k, NOTHING);
        b.load(next_right, product.k, Element(0));
        a.store(next_left, left);
        b.store(next_right, right);
        __syncthreads();
        int half = 0;
        for (long long rest = product.k; rest > 0; rest -= DEEP) {
            a.load(next_left, rest - DEEP, NOTHING);
            b.load(next_right, rest - DEEP, Element(0));
            sums.add(left + half, right + half, rest);
            half = PART - half;
            a.store(next_left, left + half);
            b.store(next_right, right + half);
#if BLOCK
            const long long done = product.k - rest + DEEP;
            const bool last = done >= product.k;
            if (last || done % BLOCK == 0) join_block(sums, waiting, (done - 1) / BLOCK, last);
#endif
            __syncthreads();
        }
        Element* out = product.out + stack_offset(product, 1, number);
        sums.each([&](int row, int column, Element sum) {
            const long long i = top + row, j = side + column;
            if (i < product.m && j < product.n) {
                out[i * product.out_strides[0] + j * product.out_strides[1]] = sum;
            }
        });
    }
}
