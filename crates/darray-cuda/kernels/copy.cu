// Copies of strided elements, by their size.

typedef unsigned char byte_1;
typedef unsigned short byte_2;
typedef unsigned int byte_4;
typedef unsigned long long byte_8;

struct Copy {
    void* to;
    const void* from;
    long long count;
    long long rank;
    // Outermost first; strides in elements.
    long long extents[8];
    long long to_strides[8];
    long long from_strides[8];
};

// Indices in `Index`, which holds `count`.
template <typename Element, typename Index>
__device__ void copy(const Copy& copy) {
    Element* to = static_cast<Element*>(copy.to);
    const Element* from = static_cast<const Element*>(copy.from);
    const Index count = static_cast<Index>(copy.count);
    const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
    for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;) {
        Index rest = i;
        long long target = 0, source = 0;
        for (int axis = static_cast<int>(copy.rank) - 1; axis >= 0; --axis) {
            const Index extent = static_cast<Index>(copy.extents[axis]);
            const Index outer = rest / extent;
            const long long at = rest - outer * extent;
            target += at * copy.to_strides[axis];
            source += at * copy.from_strides[axis];
            rest = outer;
        }
        to[target] = from[source];
        // The last step may pass the largest index.
        if (count - i <= step) break;
        i += step;
    }
}

extern "C" __global__ void copy_1_32(const Copy arguments) { copy<byte_1, unsigned int>(arguments); }
extern "C" __global__ void copy_2_32(const Copy arguments) { copy<byte_2, unsigned int>(arguments); }
extern "C" __global__ void copy_4_32(const Copy arguments) { copy<byte_4, unsigned int>(arguments); }
extern "C" __global__ void copy_8_32(const Copy arguments) { copy<byte_8, unsigned int>(arguments); }
extern "C" __global__ void copy_1_64(const Copy arguments) { copy<byte_1, unsigned long long>(arguments); }
extern "C" __global__ void copy_2_64(const Copy arguments) { copy<byte_2, unsigned long long>(arguments); }
extern "C" __global__ void copy_4_64(const Copy arguments) { copy<byte_4, unsigned long long>(arguments); }
extern "C" __global__ void copy_8_64(const Copy arguments) { copy<byte_8, unsigned long long>(arguments); }
