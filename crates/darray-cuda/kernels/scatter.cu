// Writes by indices along an axis: out[.., index[.., i, ..], ..] = value[.., i, ..], the last i first of
// all. Behind the definition of Winner, an unsigned type that holds the number of indices.
//
// A first pass finds for every element the last index that writes it; a second lets that one write. So
// no element is written twice, and no order among threads is needed.

typedef unsigned char byte_1;
typedef unsigned short byte_2;
typedef unsigned int byte_4;
typedef unsigned long long byte_8;

struct Scatter {
    void* out;
    const long long* index;
    const void* value;
    // By element of the tile, row-major: the number of the last index that writes it, from 1; or 0.
    Winner* winners;
    // Rows of `rank` numbers. For the indices: extents; strides of index, value, out and winners, of
    // which those of out and winners are 0 along the axis.
    const long long* rows;
    long long rank;
    long long count;
    long long elements;
    // Along the axis: indices; the whole's extent; the tile's first element and its extent; strides
    // of out and winners.
    long long indices;
    long long bound;
    long long origin;
    long long extent;
    long long out_step;
    long long winner_step;
    // Items from index to index along the axis, in row-major order.
    long long inner;
    // The least number of an index that is out of range, then that index.
    unsigned long long* wrong;
};

extern "C" __global__ void scatter_clear(const Scatter scatter) {
    for (long long item = darray_first_item(); item < scatter.elements;
         item += darray_all_threads()) {
        scatter.winners[item] = 0;
    }
}

// Where item number `item` writes along the axis of the tile; below 0 if nowhere.
__device__ long long scatter_target(const Scatter& scatter, long long item) {
    const long long rank = scatter.rank;
    const long long found = darray_index_of(
        scatter.index, scatter.rows, scatter.rows + rank, rank, item, scatter.bound, scatter.wrong);
    if (found < 0) return -1;
    const long long target = found - scatter.origin;
    return target < scatter.extent ? target : -1;
}

__device__ Winner* scatter_winner(const Scatter& scatter, long long item, long long target) {
    const long long rank = scatter.rank;
    return scatter.winners + darray_offset(scatter.rows, scatter.rows + 4 * rank, rank, item)
        + target * scatter.winner_step;
}

// The number of its index along the axis, from 1 on: the winner of an element is the last one.
__device__ long long number_of(const Scatter& scatter, long long item) {
    const long long row = darray_quotient(item, scatter.inner);
    return row - darray_quotient(row, scatter.indices) * scatter.indices + 1;
}

extern "C" __global__ void scatter_mark(const Scatter scatter) {
    for (long long item = darray_first_item(); item < scatter.count;
         item += darray_all_threads()) {
        const long long target = scatter_target(scatter, item);
        if (target < 0) continue;
        const long long number = number_of(scatter, item);
        atomicMax(scatter_winner(scatter, item, target), (Winner)number);
    }
}

template <typename Element>
__device__ void scatter_write(const Scatter& scatter) {
    const long long rank = scatter.rank;
    for (long long item = darray_first_item(); item < scatter.count;
         item += darray_all_threads()) {
        const long long target = scatter_target(scatter, item);
        if (target < 0) continue;
        const long long number = number_of(scatter, item);
        if (*scatter_winner(scatter, item, target) != (Winner)number) continue;
        const long long from = darray_offset(scatter.rows, scatter.rows + 2 * rank, rank, item);
        const long long to = darray_offset(scatter.rows, scatter.rows + 3 * rank, rank, item);
        static_cast<Element*>(scatter.out)[to + target * scatter.out_step] =
            static_cast<const Element*>(scatter.value)[from];
    }
}

extern "C" __global__ void scatter_1(const Scatter arguments) { scatter_write<byte_1>(arguments); }
extern "C" __global__ void scatter_2(const Scatter arguments) { scatter_write<byte_2>(arguments); }
extern "C" __global__ void scatter_4(const Scatter arguments) { scatter_write<byte_4>(arguments); }
extern "C" __global__ void scatter_8(const Scatter arguments) { scatter_write<byte_8>(arguments); }

// Behind a scatter.
extern "C" __global__ void scatter_wrong(const Scatter scatter) {
    darray_name_wrong(
        scatter.index, scatter.rows, scatter.rows + scatter.rank, scatter.rank, scatter.wrong);
}
