// Some elements of what sorted runs make together; equal ones in the order of the runs. Behind index.cuh and
// order.cuh.

struct Run {
    const Key* values;
    // None if the result is the elements.
    const long long* indices;
    long long length;
    long long values_step;
    long long indices_step;
};

struct Merge {
    void* out;
    const Run* runs;
    long long count_of_runs;
    long long start;
    long long count;
    long long out_step;
    // For each run the first of its elements that belongs to the result, then the end of them.
    long long* splits;
};

// How many elements of a run stand before an element of this key; those of its own key too, if they do.
__device__ long long merge_before(const Run& run, Key key, bool equal_too) {
    long long low = 0, high = run.length;
    while (low < high) {
        const long long middle = low + (high - low) / 2;
        const Key other = darray_key(run.values[middle * run.values_step]);
        if (other < key || (equal_too && other == key)) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The number of an element of a run among all.
__device__ long long merge_number(const Merge& merge, long long own, long long at) {
    const Run& run = merge.runs[own];
    const Key key = darray_key(run.values[at * run.values_step]);
    long long number = at;
    for (long long other = 0; other < merge.count_of_runs; ++other) {
        if (other != own) number += merge_before(merge.runs[other], key, other < own);
    }
    return number;
}

extern "C" __global__ void merge_splits(const Merge merge) {
    const long long all = 2 * merge.count_of_runs;
    for (long long item = darray_first_item(); item < all; item += darray_all_threads()) {
        const long long run = item % merge.count_of_runs;
        const long long wanted = merge.start + (item < merge.count_of_runs ? 0 : merge.count);
        long long low = 0, high = merge.runs[run].length;
        while (low < high) {
            const long long middle = low + (high - low) / 2;
            if (merge_number(merge, run, middle) < wanted) low = middle + 1;
            else high = middle;
        }
        merge.splits[item] = low;
    }
}

// Behind merge_splits.
extern "C" __global__ void merge_runs(const Merge merge) {
    for (long long item = darray_first_item(); item < merge.count; item += darray_all_threads()) {
        long long own = 0, at = item;
        for (; own < merge.count_of_runs; ++own) {
            const long long first = merge.splits[own];
            const long long length = merge.splits[merge.count_of_runs + own] - first;
            if (at < length) {
                at += first;
                break;
            }
            at -= length;
        }
        const Run& run = merge.runs[own];
        const long long to = (merge_number(merge, own, at) - merge.start) * merge.out_step;
        if (run.indices) {
            static_cast<long long*>(merge.out)[to] = run.indices[at * run.indices_step];
        } else {
            static_cast<Key*>(merge.out)[to] = run.values[at * run.values_step];
        }
    }
}
