// A CUDA kernel run on the CPU: the threads of a block are contexts that take turns.
//
// A shuffle is where a thread yields: it leaves its number, lets every other thread of the block come to the same
// shuffle, and takes its neighbour's. Two sets of numbers in turn, for the next shuffle begins before all have read.

#include "cuda_on_cpu.hpp"

#include <ucontext.h>
#include <vector>

Index threadIdx, blockIdx, blockDim;

static std::vector<ucontext_t> threads;
static ucontext_t scheduler;
static std::vector<double> numbers[2];
static std::vector<int> turns;
static std::vector<bool> running;
static void (*body)();

double __shfl_sync(unsigned, double x, int lane, int width)
{
    const unsigned self = threadIdx.x;
    const int turn = turns[self]++ % 2;
    numbers[turn][self] = x;
    swapcontext(&threads[self], &scheduler);
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
