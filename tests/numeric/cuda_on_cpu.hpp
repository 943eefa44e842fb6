// What a CUDA kernel takes from its surroundings; cuda_on_cpu.cpp has it on the CPU.

#include <cmath>

#define __global__

struct Index {
    unsigned x;
};
extern Index threadIdx, blockIdx, blockDim;

double __shfl_sync(unsigned, double x, int lane, int width);

void run_blocks(void (*kernel)(), int blocks, int size);
