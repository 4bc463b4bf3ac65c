// Products of matrices: out (m, n) = a (m, k) . b (k, n) for every product of a stack. Behind the
// definitions of Element, of step(sum, a, b), which adds a product to a sum, of add and of multiply.

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
    // Rows of a panel. Sums over `short_part` or `long_part` of k begin at 0 and are then added: the
    // first in panels of at most 64 rows of at most 64 columns, the second in others.
    long long panel;
    long long short_part;
    long long long_part;
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

#define TILE 16

// Blocks of TILE * TILE threads, each with a tile of the output; a thread has one element, and adds its
// products in the order of k. The first product is the first sum where k is at most 2, of which each is
// rounded, and in panels of one row.
extern "C" __global__ void matmul(const Product product) {
    __shared__ Element left[TILE][TILE + 1];
    __shared__ Element right[TILE][TILE + 1];
    const int row = threadIdx.x / TILE, column = threadIdx.x % TILE;
    const long long across = (product.n + TILE - 1) / TILE;
    const long long tiles = (product.m + TILE - 1) / TILE * across;
    for (long long item = blockIdx.x; item < tiles * product.products; item += gridDim.x) {
        const long long number = item / tiles, tile = item % tiles;
        const long long i = tile / across * TILE + row, j = tile % across * TILE + column;
        const Element* a = product.a + stack_offset(product, 2, number);
        const Element* b = product.b + stack_offset(product, 3, number);
        long long rows = product.m - i / product.panel * product.panel;
        if (rows > product.panel) rows = product.panel;
        const bool shallow = product.k <= 2;
        long long part = rows <= 64 && product.n <= 64 ? product.short_part : product.long_part;
        if (rows == 1) part = product.k;
        Element total = 0, sum = 0;
        long long next = part;
        for (long long first = 0; first < product.k; first += TILE) {
            const long long ka = first + column, kb = first + row;
            left[row][column] = i < product.m && ka < product.k
                ? a[i * product.a_strides[0] + ka * product.a_strides[1]] : Element(0);
            right[row][column] = kb < product.k && j < product.n
                ? b[kb * product.b_strides[0] + j * product.b_strides[1]] : Element(0);
            __syncthreads();
            for (int at = 0; at < TILE && first + at < product.k; ++at) {
                const long long k = first + at;
                const Element x = left[row][at], y = right[at][column];
                if (k == next) {
                    total = next == part ? sum : add(total, sum);
                    sum = 0;
                    next += part;
                }
                if (k == 0 && (shallow || rows == 1)) sum = multiply(x, y);
                else if (shallow) sum = add(multiply(x, y), sum);
                else sum = step(sum, x, y);
            }
            __syncthreads();
        }
        if (i < product.m && j < product.n) {
            Element* out = product.out + stack_offset(product, 1, number);
            out[i * product.out_strides[0] + j * product.out_strides[1]] =
                product.k > part ? add(total, sum) : sum;
        }
    }
}

// One column: a warp per row. Product k is added to lane k mod 32, then lane l and lane l + w are added
// for w = 16, 8, 4, 2, 1.
extern "C" __global__ void matmul_column(const Product product) {
    const int lane = threadIdx.x % 32;
    const long long warps = (long long)gridDim.x * (blockDim.x / 32);
    const long long first = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    for (long long item = first; item < product.m * product.products; item += warps) {
        const long long number = item / product.m, row = item % product.m;
        const Element* a =
            product.a + stack_offset(product, 2, number) + row * product.a_strides[0];
        const Element* b = product.b + stack_offset(product, 3, number);
        Element sum = 0;
        for (long long k = lane; k < product.k; k += 32) {
            sum = add(sum, multiply(a[k * product.a_strides[1]], b[k * product.b_strides[0]]));
        }
        for (int width = 16; width > 0; width /= 2) {
            sum = add(sum, __shfl_down_sync(0xffffffffu, sum, width));
        }
        if (lane == 0) {
            product.out[stack_offset(product, 1, number) + row * product.out_strides[0]] = sum;
        }
    }
}
