// The last step of a reduction over tiles: for every kept element the slots of all tiles, combined in
// the order of a list of steps. Behind the definitions of a reducer and of DEPTH, the size of the stack.

struct Step {
    // Addresses of the slot's value and index at kept element 0.
    const darray_value* value;
    const long long* index;
    // Where the value goes; or for a combination the complement of where its left operand is.
    int position;
    // Whose strides the slot has.
    int tile;
};

struct Finish {
    darray_value* value;
    long long* index;
    const Step* steps;
    // Rows of `rank` numbers: extents of the kept axes; strides of the output's values and indices;
    // then of every tile's values and indices.
    const long long* rows;
    long long count;
    long long kept;
    long long rank;
};

__device__ long long offset(const Finish& finish, long long row, long long element) {
    long long at = 0;
    for (long long axis = finish.rank - 1; axis >= 0; --axis) {
        const long long extent = finish.rows[axis];
        at += element % extent * finish.rows[row * finish.rank + axis];
        element /= extent;
    }
    return at;
}

extern "C" __global__ void reduce_finish(const Finish finish) {
    const long long threads = (long long)gridDim.x * blockDim.x;
    const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (long long element = first; element < finish.kept; element += threads) {
        darray_accumulator stack[DEPTH];
        for (long long number = 0; number < finish.count; ++number) {
            const Step step = finish.steps[number];
            if (step.position < 0) {
                const int left = ~step.position;
                stack[left] = darray_combine(stack[left], stack[left + 1]);
                continue;
            }
            const long long row = 3 + 2 * (long long)step.tile;
            const darray_value value = step.value[offset(finish, row, element)];
            const long long index =
                step.index ? step.index[offset(finish, row + 1, element)] : 0;
            stack[step.position] = darray_pair(value, index);
        }
        finish.value[offset(finish, 1, element)] = darray_value_of(stack[0]);
        if (finish.index) {
            finish.index[offset(finish, 2, element)] = darray_index_of(stack[0]);
        }
    }
}
