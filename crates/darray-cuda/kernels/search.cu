// How many elements of a sorted array stand before each value. Behind index.cuh and order.cuh.

struct Search {
    long long* out;
    const Key* values;
    const Key* sorted;
    // Rows of `rank` numbers: extents; strides of out, values and sorted.
    const long long* rows;
    long long rank;
    long long count;
    // Of the sorted array: its extent, and elements from one to the next.
    long long bound;
    long long step;
    // Whether equal elements stand before a value.
    long long right;
};

extern "C" __global__ void search(const Search search) {
    const long long rank = search.rank;
    const long long* extents = search.rows;
    for (long long item = darray_first_item(); item < search.count; item += darray_all_threads()) {
        const Key key =
            darray_key(search.values[darray_offset(extents, extents + 2 * rank, rank, item)]);
        const Key* sorted = search.sorted + darray_offset(extents, extents + 3 * rank, rank, item);
        long long found = 0, left = search.bound;
        while (left > 0) {
            const long long half = left / 2;
            const Key other = darray_key(sorted[(found + half) * search.step]);
            if (other < key || (search.right && other == key)) {
                found += half + 1;
                left -= half + 1;
            } else {
                left = half;
            }
        }
        search.out[darray_offset(extents, extents + rank, rank, item)] = found;
    }
}
