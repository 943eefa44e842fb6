"""Products of many small matrices as CUDA source: of one after the other, with their adjoint, and each with another.

One after the other, by a block of threads for each stretch of factors. A factor is a series M = M_0 + M_1 t + ... +
M_K t^K of d x d matrices; LENGTH of them, or what is left, make a product P = M_L ... M_1. Thread (i, j) of a block
holds entry (i, j) of every coefficient:

    products     q_r = M_r q_{r-1} from q_0 = I; what is kept are q_0, ..., q_{L-1}, and P = q_L
    cotangents   c_{r-1} = M_r^T c_r from the cotangent c_L of P; that of M_r is c_r q_{r-1}^T

A thread fetches the next factor while it multiplies by this one. Where neighbouring threads read a column they find it
as a row, so that q_{r-1} is laid down transposed. Arrays are (coefficient, factor, i, j), the factors an array for each
coefficient.

Each with another: c_k = sum_j a_j b_{k-j}, all that are asked for in one go, a thread for each entry. Operands lie in
memory as they like, so that a transpose is no copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from resproof.numeric.network.kernel import Kernel

LENGTH = 32
"""Factors of a product. A step takes less than a microsecond, another kernel ten or more: few steps, few levels."""

SHARED = 48 * 1024
"""Bytes that a block's threads may share."""

THREADS = 1024
"""Threads of a block at most."""


def fits(width: int, order: int) -> bool:
    """Whether a block holds a factor, a product and a cotangent."""
    return width**2 <= THREADS and 3 * 8 * (order + 1) * width**2 <= SHARED


@lru_cache(maxsize=16)
def tree_kernels(width: int, order: int) -> tuple[Kernel, Kernel]:
    """`products` and `cotangents` for series of that order of matrices of that width."""
    each = range(order + 1)
    names = {
        "width": width,
        "order": order,
        "length": LENGTH,
        "factors": ", ".join(f"const double *__restrict__ m{k}" for k in each),
        "list": ", ".join(f"m{k}" for k in each),
    }
    forward, back = _filled(_PRELUDE + _PRODUCTS, names), _filled(_PRELUDE + _COTANGENTS, names)
    return Kernel("products", forward, width**2), Kernel("cotangents", back, width**2)


@lru_cache(maxsize=64)
def product_kernel(pairs: tuple[tuple[int, int], ...]) -> Kernel:
    """`product`: c_{j + k} = sum of a_j b_k over these pairs (j, k); parameters are the a, b and c that occur."""
    left, right, both = ({p[0] for p in pairs}, {p[1] for p in pairs}, {sum(p) for p in pairs})
    given = [*(f"const double *a{j}" for j in sorted(left)), *(f"const double *b{k}" for k in sorted(right))]
    reads = [*(f"p{j} = a{j}[a]" for j in sorted(left)), *(f"q{k} = b{k}[b]" for k in sorted(right))]
    names = {
        "arrays": ", ".join([*given, *(f"double *__restrict__ c{n}" for n in sorted(both))]),
        "start": ", ".join(f"x{n} = 0.0" for n in sorted(both)),
        "reads": ", ".join(reads),
        "sums": " ".join(f"x{j + k} += p{j} * q{k};" for j, k in pairs),
        "writes": " ".join(f"c{n}[place] = x{n};" for n in sorted(both)),
    }
    return Kernel("product", _filled(_PRODUCT, names), 1, strided=True)


def _filled(text: str, names: Mapping[str, object]) -> str:
    for name, value in names.items():
        text = text.replace(f"@{name}@", str(value))
    return text


_PRELUDE = """\
#define D @width@
#define SIZE (D * D)
#define COEFFICIENTS (@order@ + 1)
#define LENGTH @length@
#define EACH(k) _Pragma("unroll") for (int k = 0; k < COEFFICIENTS; ++k)
// Pairs of coefficients a and k - a of a product's coefficient k.
#define PAIRS(k, a) EACH(k) _Pragma("unroll") for (int a = 0; a <= k; ++a)
#define AT(k, count, r) (((long long)(k) * (count) + (r)) * SIZE + here)
#define START \\
    const double *const factors[] = {@list@}; \\
    const int here = threadIdx.x, i = here / D, j = here % D; \\
    const long long first = (long long)blockIdx.x * LENGTH; \\
    const long long last = first + LENGTH < count ? first + LENGTH : count;
"""

_PRODUCTS = """
extern "C" __launch_bounds__(SIZE) __global__ void products(int count, double *before, double *product, @factors@)
{
    __shared__ double m[COEFFICIENTS][SIZE], q[COEFFICIENTS][SIZE];
    START
    double x[COEFFICIENTS], next[COEFFICIENTS];
    EACH(k) x[k] = k == 0 && i == j;
    EACH(k) next[k] = factors[k][first * SIZE + here];
    for (long long r = first; r < last; ++r) {
        EACH(k) before[AT(k, count, r)] = q[k][here] = x[k];
        EACH(k) m[k][here] = next[k];
        __syncthreads();
        if (r + 1 < last)
            EACH(k) next[k] = factors[k][(r + 1) * SIZE + here];
        EACH(k) x[k] = 0.0;
#pragma unroll
        for (int l = 0; l < D; ++l)
            PAIRS(k, a) x[k] += m[a][i * D + l] * q[k - a][l * D + j];
        __syncthreads();
    }
    EACH(k) product[AT(k, gridDim.x, blockIdx.x)] = x[k];
}
"""

_COTANGENTS = """
extern "C" __launch_bounds__(SIZE) __global__ void cotangents(int count, const double *__restrict__ before, \
const double *__restrict__ cotangent, double *found, @factors@)
{
    __shared__ double m[COEFFICIENTS][SIZE], q[COEFFICIENTS][SIZE], c[COEFFICIENTS][SIZE];
    START
    double x[COEFFICIENTS], y[COEFFICIENTS], next[COEFFICIENTS], prefix[COEFFICIENTS];
    EACH(k) x[k] = cotangent[AT(k, gridDim.x, blockIdx.x)];
    EACH(k) next[k] = factors[k][(last - 1) * SIZE + here];
    EACH(k) prefix[k] = before[AT(k, count, last - 1)];
    for (long long r = last - 1; r >= first; --r) {
        EACH(k) c[k][here] = x[k];
        EACH(k) m[k][here] = next[k];
        EACH(k) q[k][j * D + i] = prefix[k];
        __syncthreads();
        if (r > first) {
            EACH(k) next[k] = factors[k][(r - 1) * SIZE + here];
            EACH(k) prefix[k] = before[AT(k, count, r - 1)];
        }
        EACH(k) x[k] = y[k] = 0.0;
#pragma unroll
        for (int l = 0; l < D; ++l) {
            PAIRS(k, a) x[k] += m[a][l * D + i] * c[k - a][l * D + j];
            PAIRS(k, a) y[k] += c[k - a][i * D + l] * q[a][l * D + j];
        }
        EACH(k) found[AT(k, count, r)] = y[k];
        __syncthreads();
    }
}
"""

# a and b are walked through: from one unit, row and column to the next.
_PRODUCT = """
extern "C" __global__ void product(int count, int rows, int inner, int columns, \
int a_unit, int a_row, int a_column, int b_unit, int b_row, int b_column, @arrays@)
{
    const long long place = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= (long long)count * rows * columns)
        return;
    const long long unit = place / (rows * columns);
    const int i = place / columns % rows, j = place % columns;
    long long a = unit * a_unit + i * a_row, b = unit * b_unit + j * b_column;
    double @start@;
    for (int l = 0; l < inner; ++l, a += a_column, b += b_row) {
        const double @reads@;
        @sums@
    }
    @writes@
}
"""
