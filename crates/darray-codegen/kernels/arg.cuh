// Accumulators of argmin and argmax: NaN first, then the better value, then the lowest index; zeros
// are equal.

template <class T> struct darray_arg {
    T value;
    long long index;
};

// In place of `darray_arg<T>{value, index}`: where `value` comes from a kernel's constant parameter,
// NVRTC 13.0 takes the index from the parameter as well.
template <class T> __device__ __forceinline__ darray_arg<T> darray_arg_of(T value, long long index) {
    darray_arg<T> arg;
    arg.value = value;
    arg.index = index;
    return arg;
}

template <class T> __device__ __forceinline__ darray_arg<T> darray_prefer(
    darray_arg<T> a, darray_arg<T> b, bool better) {
    bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    bool tie = (a.value == b.value) | (a_nan & b_nan);
    bool take = (!a_nan & (better | b_nan)) | (tie & (b.index < a.index));
    return take ? b : a;
}

template <class T> __device__ __forceinline__ darray_arg<T> darray_argmin(
    darray_arg<T> a, darray_arg<T> b) {
    return darray_prefer(a, b, b.value < a.value);
}

template <class T> __device__ __forceinline__ darray_arg<T> darray_argmax(
    darray_arg<T> a, darray_arg<T> b) {
    return darray_prefer(a, b, b.value > a.value);
}
