// What a CUDA kernel takes from its surroundings; cuda_on_cpu.cpp has it on the CPU.

// Of C: that of C++ takes longer to read than any kernel to compile.
#include <math.h>

#define __global__
#define __launch_bounds__(threads)
// Blocks run one after the other.
#define __shared__ static

struct Index {
    unsigned x;
};
extern Index threadIdx, blockIdx, blockDim, gridDim;

void __syncthreads();
double __shfl_sync(unsigned, double x, int lane, int width);

void run_blocks(void (*kernel)(), int blocks, int size);
