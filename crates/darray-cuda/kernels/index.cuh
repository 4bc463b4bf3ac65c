// Index arithmetic of builtins: threads over items, items as coordinates, indices from both ends.

__device__ __forceinline__ long long darray_first_item() {
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ long long darray_all_threads() {
    return (long long)gridDim.x * blockDim.x;
}

// The quotient of numbers that are not negative: most need no more than 32 bits, whose division takes a fraction of the time.
__device__ __forceinline__ long long darray_quotient(long long number, long long by) {
    if (((number | by) >> 32) == 0) return (unsigned)number / (unsigned)by;
    return number / by;
}

// Where the item of this row-major number lies, in elements. `extents` and `strides` have `rank` numbers,
// outermost first.
__device__ __forceinline__ long long darray_offset(
    const long long* extents, const long long* strides, long long rank, long long item) {
    long long at = 0;
    for (long long axis = rank - 1; axis > 0; --axis) {
        const long long extent = extents[axis], outer = darray_quotient(item, extent);
        at += (item - outer * extent) * strides[axis];
        item = outer;
    }
    return rank > 0 ? at + item * strides[0] : at;
}

// An index counted from the front; below 0 if it is out of range.
__device__ __forceinline__ long long darray_resolve(long long index, long long bound) {
    if (index < 0) index += bound;
    return index < bound ? index : -1;
}

// The index of an item, counted from the front; below 0 if it is out of range, and then `wrong` has the least such item.
__device__ __forceinline__ long long darray_index_of(
    const long long* index, const long long* extents, const long long* strides, long long rank,
    long long item, long long bound, unsigned long long* wrong) {
    const long long found = darray_resolve(index[darray_offset(extents, strides, rank, item)], bound);
    if (found < 0) atomicMin(wrong, (unsigned long long)item);
    return found;
}

// Behind all items: `wrong[1]` is the index of the item that is out of range, if one is. One thread.
__device__ __forceinline__ void darray_name_wrong(
    const long long* index, const long long* extents, const long long* strides, long long rank,
    unsigned long long* wrong) {
    if (darray_first_item() > 0 || wrong[0] == ~0ull) return;
    wrong[1] = (unsigned long long)index[darray_offset(extents, strides, rank, (long long)wrong[0])];
}
