// Additions by indices along an axis: out[.., index[.., i, ..], ..] += value[.., i, ..], in the order of i. Behind the reducer of sums,
// index.cuh and the definitions of ANY_ORDER, whether sums are the same in any order, and of Position, an unsigned type that
// holds the number of indices.
//
// Sums that are the same in any order are made by atomic additions. For the others the indices are sorted by the element that they
// add to, stably; a warp then adds the values of one element, one after the other.

typedef unsigned long long Key;

struct Scatter {
    darray_value* out;
    const long long* index;
    const darray_value* value;
    // By index: the number of the element of the tile that it adds to, row-major; the number of all elements for none.
    Key* keys;
    Position* positions;
    // Rows of `rank` numbers. For the indices: extents; strides of index and value; strides of the elements' numbers, 0 along the
    // axis. For the tile: extents; strides of out.
    const long long* rows;
    long long rank;
    long long count;
    long long elements;
    // Along the axis: the whole's extent; the tile's first element and its extent; the stride of the elements' numbers.
    long long bound;
    long long origin;
    long long extent;
    long long number_step;
    // The least number of an index that is out of range, then that index.
    unsigned long long* wrong;
};

// The number of the element that an index adds to.
__device__ __forceinline__ Key element_of(const Scatter& scatter, long long item) {
    const long long rank = scatter.rank;
    const long long found = darray_index_of(
        scatter.index, scatter.rows, scatter.rows + rank, rank, item, scatter.bound, scatter.wrong);
    if (found < 0) return (Key)scatter.elements;
    const long long target = found - scatter.origin;
    if (target < 0 || target >= scatter.extent) return (Key)scatter.elements;
    return (Key)(darray_offset(scatter.rows, scatter.rows + 3 * rank, rank, item)
        + target * scatter.number_step);
}

__device__ __forceinline__ darray_value* place_of(const Scatter& scatter, Key element) {
    const long long* rows = scatter.rows + 4 * scatter.rank;
    return scatter.out
        + darray_offset(rows, rows + scatter.rank, scatter.rank, (long long)element);
}

__device__ __forceinline__ darray_value value_of(const Scatter& scatter, long long item) {
    return scatter.value[darray_offset(
        scatter.rows, scatter.rows + 2 * scatter.rank, scatter.rank, item)];
}

__device__ __forceinline__ darray_value sum_of(darray_value a, darray_value b) {
    return darray_value_of(darray_combine(darray_pair(a, 0), darray_pair(b, 0)));
}

#if ANY_ORDER
extern "C" __global__ void scatter_add(const Scatter scatter) {
    for (long long item = darray_first_item(); item < scatter.count; item += darray_all_threads()) {
        const Key element = element_of(scatter, item);
        if (element == (Key)scatter.elements) continue;
        atomicAdd(
            reinterpret_cast<unsigned long long*>(place_of(scatter, element)),
            (unsigned long long)value_of(scatter, item));
    }
}
#else
extern "C" __global__ void scatter_keys(const Scatter scatter) {
    for (long long item = darray_first_item(); item < scatter.count; item += darray_all_threads()) {
        scatter.keys[item] = element_of(scatter, item);
        scatter.positions[item] = (Position)item;
    }
}

// Behind a sort by the keys. A warp looks at 32 indices, and adds the values of each element whose first index is among them.
extern "C" __global__ void scatter_add(const Scatter scatter) {
    const int lane = threadIdx.x % 32;
    const unsigned all = 0xffffffffu;
    for (long long first = darray_first_item() / 32 * 32; first < scatter.count;
         first += darray_all_threads()) {
        const long long item = first + lane;
        const Key key = item < scatter.count ? scatter.keys[item] : (Key)scatter.elements;
        const bool begins =
            key != (Key)scatter.elements && (item == 0 || scatter.keys[item - 1] != key);
        for (unsigned heads = __ballot_sync(all, begins); heads != 0; heads &= heads - 1) {
            const int head = __ffs(heads) - 1;
            const Key element = __shfl_sync(all, key, head);
            darray_value* out = place_of(scatter, element);
            darray_value sum = *out;
            int some = 32;
            for (long long from = first + head; some == 32; from += 32) {
                const bool inside =
                    from + lane < scatter.count && scatter.keys[from + lane] == element;
                const darray_value own = inside
                    ? value_of(scatter, (long long)scatter.positions[from + lane])
                    : darray_value();
                some = __popc(__ballot_sync(all, inside));
                for (int k = 0; k < some; ++k) sum = sum_of(sum, __shfl_sync(all, own, k));
            }
            __syncwarp();
            if (lane == 0) *out = sum;
        }
    }
}
#endif

// Behind all.
extern "C" __global__ void scatter_wrong(const Scatter scatter) {
    darray_name_wrong(
        scatter.index, scatter.rows, scatter.rows + scatter.rank, scatter.rank, scatter.wrong);
}
