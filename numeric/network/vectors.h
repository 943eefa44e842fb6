/* Vectors of as many numbers as the processor takes at once.

   ROWS x 2 sums of vectors stay in registers beside what they are added from, and so do SIDE x SIDE. */

#include <stdint.h>

#if defined(__AVX512F__)
#define LANES 8
#define ROWS 12
#define SIDE 5
#elif defined(__AVX__)
#define LANES 4
#define ROWS 6
#define SIDE 3
#elif defined(__aarch64__)
#define LANES 2
#define ROWS 12
#define SIDE 5
#else
#define LANES 2
#define ROWS 6
#define SIDE 3
#endif
#define PANEL (2 * LANES)

typedef double vec __attribute__((vector_size(8 * LANES), may_alias));
typedef int64_t whole __attribute__((vector_size(8 * LANES), may_alias));
typedef int64_t num;

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

INLINE vec all(double x) { return x - (vec){0}; }
INLINE vec pick(whole when, vec yes, vec no) { return (vec)((when & (whole)yes) | (~when & (whole)no)); }

int panel(void) { return PANEL; }
