// The order of sorting: elements as unsigned numbers. Behind the definitions of Key, the unsigned type of the
// elements' size, and of ORDER: 0 for unsigned elements, 1 for signed ones, 2 for floats, whose infinity
// has the bits INFINITY_BITS.

__device__ __forceinline__ Key darray_key(Key bits) {
    const Key sign = (Key)((Key)1 << (8 * sizeof(Key) - 1));
#if ORDER == 0
    return bits;
#elif ORDER == 1
    return bits ^ sign;
#else
    const Key size = bits & (Key)~sign;
    if (size > (Key)INFINITY_BITS) return (Key)~(Key)0;
    return size == 0 || (bits & sign) == 0 ? size | sign : (Key)~bits;
#endif
}
