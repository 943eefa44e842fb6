// A CUDA kernel run on the CPU: the threads of a block are contexts that take turns.
//
// Where threads meet, one yields and lets every other thread of the block come to the same place. In a shuffle it leaves
// its number before and takes its neighbour's after. Two sets of numbers in turn, for the next shuffle begins before all
// have read.

#include "cuda_on_cpu.hpp"

#include <ucontext.h>
#include <vector>

Index threadIdx, blockIdx, blockDim, gridDim;

static std::vector<ucontext_t> threads;
static ucontext_t scheduler;
static std::vector<double> numbers[2];
static std::vector<int> turns;
static std::vector<bool> running;
static void (*body)();

void __syncthreads()
{
    swapcontext(&threads[threadIdx.x], &scheduler);
}

double __shfl_sync(unsigned, double x, int lane, int width)
{
    const unsigned self = threadIdx.x;
    const int turn = turns[self]++ % 2;
    numbers[turn][self] = x;
    __syncthreads();
    return numbers[turn][self / width * width + lane];
}

static void thread_body()
{
    body();
    running[threadIdx.x] = false;
}

void run_blocks(void (*kernel)(), int blocks, int size)
{
    const size_t stack = 1 << 16;
    std::vector<char> stacks(stack * size);
    body = kernel;
    blockDim.x = size;
    gridDim.x = blocks;
    for (int block = 0; block < blocks; ++block) {
        blockIdx.x = block;
        threads.assign(size, ucontext_t());
        turns.assign(size, 0);
        running.assign(size, true);
        numbers[0].assign(size, 0.0);
        numbers[1].assign(size, 0.0);
        for (int k = 0; k < size; ++k) {
            getcontext(&threads[k]);
            threads[k].uc_stack.ss_sp = &stacks[stack * k];
            threads[k].uc_stack.ss_size = stack;
            threads[k].uc_link = &scheduler;
            makecontext(&threads[k], thread_body, 0);
        }
        for (bool some = true; some;) {
            some = false;
            for (int k = 0; k < size; ++k) {
                if (running[k]) {
                    some = true;
                    threadIdx.x = k;
                    swapcontext(&scheduler, &threads[k]);
                }
            }
        }
    }
}
