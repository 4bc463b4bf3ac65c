// Elements by indices: out[c] = source[c, index[c]], by the elements' size.

typedef unsigned char byte_1;
typedef unsigned short byte_2;
typedef unsigned int byte_4;
typedef unsigned long long byte_8;

struct Gather {
    void* out;
    const long long* index;
    const void* source;
    // Rows of `rank` numbers: extents; strides of out, index and source.
    const long long* rows;
    long long rank;
    long long count;
    // Of the source's axis that is looked up: its extent, and elements from index to index.
    long long bound;
    long long step;
    // The least number of an element whose index is out of range, then that index.
    unsigned long long* wrong;
};

template <typename Element>
__device__ void gather(const Gather& gather) {
    Element* out = static_cast<Element*>(gather.out);
    const Element* source = static_cast<const Element*>(gather.source);
    const long long rank = gather.rank;
    const long long* extents = gather.rows;
    for (long long item = darray_first_item(); item < gather.count; item += darray_all_threads()) {
        const long long found = darray_index_of(
            gather.index, extents, extents + 2 * rank, rank, item, gather.bound, gather.wrong);
        if (found < 0) continue;
        const long long from = darray_offset(extents, extents + 3 * rank, rank, item);
        out[darray_offset(extents, extents + rank, rank, item)] =
            source[from + found * gather.step];
    }
}

extern "C" __global__ void gather_1(const Gather arguments) { gather<byte_1>(arguments); }
extern "C" __global__ void gather_2(const Gather arguments) { gather<byte_2>(arguments); }
extern "C" __global__ void gather_4(const Gather arguments) { gather<byte_4>(arguments); }
extern "C" __global__ void gather_8(const Gather arguments) { gather<byte_8>(arguments); }

// Behind a gather.
extern "C" __global__ void gather_wrong(const Gather gather) {
    darray_name_wrong(
        gather.index, gather.rows, gather.rows + 2 * gather.rank, gather.rank, gather.wrong);
}
