/* The operations of a tape (native_calls.py) on vectors of as many numbers as the processor takes at once.

   A coefficient of a stack is (panels, rows, PANEL): a panel is two vectors of samples, its rows are neighbours. In a
   product, a block of ROWS rows of W meets one panel: ROWS x 2 sums stay in registers, and each entry of W is read once
   for two vectors. The cotangent of W has its sums over samples in SIDE x SIDE vectors, added across at the end.

   Errors of the elementary functions, in units u = 2^-53 of the result, to first order. Operations round by u of their
   result or less (multiplication and addition may be fused: then once); a result below 2^-1022 has 2^-1074 besides.

   exp: x = n log 2 + r with |r| <= 0.347. n LN2_HIGH and x - n LN2_HIGH are exact (42 bits; Sterbenz), so that r is off
   by u |r| = 0.35. e^r - 1 = r + r^2 s: its series ends at r^13/13!, which leaves off 0.1; r^2 s <= 0.067 is off by six
   roundings, 0.4, and the sum by 0.42: together 0.92 <= 1.3 e^r. Adding 1 rounds once. In all 0.35 + 1.3 + 1 < 3.

   tanh: with q = e^r - 1 and a = 2 |x|, e^a - 1 = 2^n q + (2^n - 1) = E, tanh = E / (E + 2), which takes 2 / (E + 2) <= 1
   of E's error. n = 0: r = a, q is off by 1.2 (r^2 s) and 1, then E + 2 and the quotient by 1 each: < 5. n = 1, the worst:
   E >= 0.41 and q >= -0.293, off by 0.18 (r), 0.32 (r^2 s), 0.1 and 0.25 (a number below 1/2 rounds by u / 4): twice that
   is 4.2 of E, of which 0.83 count; with 0.5 for E, 0.9 for E + 2 and 1 for the quotient < 7.

   erfc, for z = |x|: exp(-z^2) p(t) / (1 + z) with t = (z - 15/4) / (z + 15/4). (1 + z) exp(z^2) erfc(z) lies between
   0.56 and 1; p is its Chebyshev series to degree 24, whose rounded coefficients are off by less than 1 (proved by the
   tests in ball arithmetic). z^2 = h^2 + (z - h)(z + h) with h the first 26 bits of z, so that h^2 is exact and the rest
   below 2^-15: exp is off by 3. t is off by 2 (1 - t) + |t| <= 5 and p' <= 0.24 there: 1.2. The terms of p decrease from
   0.69, 0.21, 0.11: the roundings of its sums come to 2.6 u, of the result to less than 4. Then 1 + z, the product and
   the quotient: in all < 13. For x < 0 it is 2 - y: y <= 1 gives 13 of at least 1, half of it less than y's: < 14.

   log1p: f = fl(1 + x) and what was rounded off, c: log f + c / f. log f = n log 2 + 2 (s + s^3/3 + ...), |s| <= 0.172,
   with s^23/23 the last term; n LN2_HIGH is exact. s is off by 3 and the sums by 1.1: < 6. */

#define NEAR (8 * SIDE)

INLINE vec v_fabs(vec x) { return (vec)((whole)x & 0x7fffffffffffffffLL); }
INLINE vec v_sign(vec to, vec from) { return (vec)((whole)to | ((whole)from & INT64_MIN)); }

#define ROUND 0x1.8p52
INLINE vec nearest(vec x) { return (x + ROUND) - ROUND; }
INLINE vec power(vec n) { return (vec)(((whole)(n + (ROUND + 1023.0))) << 52); }
#define LOG2E 0x1.71547652b82fep0
#define LN2_HIGH 0x1.62e42fefa3800p-1
#define LN2_LOW 0x1.ef35793c76730p-45

INLINE vec reduced(vec x, vec low, vec *n)
{
    *n = nearest(x * LOG2E);
    return (x - *n * LN2_HIGH) - (*n * LN2_LOW - low);
}
/* a + b x + c x^2 + d x^3 from x and x^2: chains of operations stay short, of which several vectors are under way. */
#define FOUR(x, x2, a, b, c, d) (((a) + (x) * (b)) + (x2) * ((c) + (x) * (d)))

/* e^r - 1 */
INLINE vec less_one(vec r)
{
    const vec r2 = r * r, r4 = r2 * r2;
    const vec a = FOUR(r, r2, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0);
    const vec b = FOUR(r, r2, 1.0 / 720.0, 1.0 / 5040.0, 1.0 / 40320.0, 1.0 / 362880.0);
    const vec c = FOUR(r, r2, 1.0 / 3628800.0, 1.0 / 39916800.0, 1.0 / 479001600.0, 1.0 / 6227020800.0);
    return r + r2 * (a + r4 * (b + r4 * c));
}
INLINE vec exp_sum(vec x, vec low)
{
    x = pick(x > 710.0, all(710.0), x);
    x = pick(x < -750.0, all(-750.0), x);
    vec n, r = reduced(x, low, &n), half = nearest(n * 0.5);
    return (1.0 + less_one(r)) * power(half) * power(n - half);
}
INLINE vec v_exp(vec x) { return exp_sum(x, all(0.0)); }
INLINE vec v_tanh(vec x)
{
    vec a = 2.0 * v_fabs(x), n;
    a = pick(a > 40.0, all(40.0), a);
    vec q = less_one(reduced(a, all(0.0), &n)), two = power(n);
    q = two * q + (two - 1.0);
    return v_sign(q / (q + 2.0), x);
}
INLINE vec v_erfc(vec x)
{
    vec z = v_fabs(x);
    z = pick(z > 28.0, all(28.0), z);
    vec t = 1.0 - 7.5 / (z + 3.75);
    const vec t2 = t * t, t4 = t2 * t2, t8 = t4 * t4;
    const vec a = FOUR(t, t2, 0x1.6212fee9586e8p-1, -0x1.a79726791d142p-3, 0x1.d6351b92556c3p-4, -0x1.4cfc268c884b0p-5);
    const vec b = FOUR(t, t2, -0x1.964c550738b8bp-9, 0x1.333761f87299dp-6, -0x1.1b08f7c1a968bp-6, 0x1.4a003abc297dbp-7);
    const vec c = FOUR(t, t2, -0x1.044be3eab9f2fp-8, 0x1.c58868fcff65ap-11, 0x1.28398dbe7b7cep-14, -0x1.fc0bd8648af47p-14);
    const vec d = FOUR(t, t2, 0x1.cf53908b37611p-16, 0x1.0fce79c4fa4e6p-17, -0x1.66e28b2456c30p-18, -0x1.518d8f65df224p-23);
    const vec e = FOUR(t, t2, 0x1.a4f9cc04abcd6p-21, -0x1.160006d6a3b39p-24, -0x1.e7f7a0289b9aep-24, 0x1.135c3e7c6aceap-26);
    const vec f = FOUR(t, t2, 0x1.229837f8e32d2p-26, -0x1.4b3c756e29cfcp-29, -0x1.38464e41c42cep-29, 0x1.b67d3cbe434e2p-33);
    const vec p = (a + t4 * b) + t8 * ((c + t4 * d) + t8 * ((e + t4 * f) + t8 * 0x1.9d080eb3d1bbcp-33));
    vec head = (vec)((whole)z & (int64_t)0xfffffffff8000000LL);
    vec y = exp_sum(-head * head, (head - z) * (head + z)) * p / (1.0 + z);
    return pick(x < 0.0, 2.0 - y, y);
}

INLINE vec v_log1p(vec x)
{
    const vec f = 1.0 + x, low = x - (f - 1.0);
    /* f = 2^n m with m from sqrt(1/2) to sqrt(2) */
    const whole above = ((whole)f - 0x3fe6a09e667f3bcdLL) >> 52;
    const vec n = __builtin_convertvector(above, vec), m = (vec)((whole)f - (above << 52));
    const vec s = (m - 1.0) / (m + 1.0), q = s * s;
    vec p = all(1.0 / 23.0);
    p = p * q + 1.0 / 21.0;
    p = p * q + 1.0 / 19.0;
    p = p * q + 1.0 / 17.0;
    p = p * q + 1.0 / 15.0;
    p = p * q + 1.0 / 13.0;
    p = p * q + 1.0 / 11.0;
    p = p * q + 1.0 / 9.0;
    p = p * q + 1.0 / 7.0;
    p = p * q + 1.0 / 5.0;
    p = p * q + 1.0 / 3.0;
    vec y = n * LN2_HIGH + (2.0 * s + (2.0 * s * q * p + (n * LN2_LOW + low / f)));
    y = pick(x < 0x1p1023, y, x);
    y = pick(x == -1.0, all(-1.0 / 0.0), pick(x < -1.0, all(0.0 / 0.0), y));
    return pick(x == 0.0, x, y);
}

/* products */
INLINE void terms(int rows, num inner, const double *w, num rs, num cs, const double *h, vec sum[][2])
{
    for (num k = 0; k < inner; ++k) {
        const vec left = *(const vec *)(h + k * PANEL), right = *(const vec *)(h + k * PANEL + LANES);
        UNROLL
        for (int i = 0; i < rows; ++i) {
            const double x = w[i * rs + k * cs];
            sum[i][0] += x * left;
            sum[i][1] += x * right;
        }
    }
}
INLINE void some_rows(int rows, num inner, const double *w, const double *v, num rs, num cs, const double *h, const double *g, double *out)
{
    vec sum[ROWS][2];
    UNROLL
    for (int i = 0; i < rows; ++i) sum[i][0] = sum[i][1] = (vec){0};
    terms(rows, inner, w, rs, cs, h, sum);
    if (v) terms(rows, inner, v, rs, cs, g, sum);
    UNROLL
    for (int i = 0; i < rows; ++i) {
        *(vec *)(out + i * PANEL) = sum[i][0];
        *(vec *)(out + i * PANEL + LANES) = sum[i][1];
    }
}
#define CASE(n) case n: some_rows(n, inner, w, v, rs, cs, h, g, out); break;
static void few_rows(num rows, num inner, const double *w, const double *v, num rs, num cs, const double *h, const double *g, double *out)
{
    switch (rows) {
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#if ROWS > 6
    CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
#endif
    }
}
static void product(num depth, num panels, num rows, num inner, num rs, num cs, const double *w, const double *v, const double *h, double *out)
{
    const num blocks = (rows + ROWS - 1) / ROWS;
    const double *h0 = h + (depth - 1) * panels * inner * PANEL;
    double *out0 = out + (depth - 1) * panels * rows * PANEL;
    for (num b = 0; b < blocks; ++b) {
        const num first = b * rows / blocks, count = (b + 1) * rows / blocks - first;
        for (num p = 0; p < panels; ++p) {
            const num from = p * inner * PANEL, to = (p * rows + first) * PANEL;
            few_rows(count, inner, w + first * rs, 0, rs, cs, h0 + from, 0, out0 + to);
            if (depth > 1)
                few_rows(count, inner, w + first * rs, v ? v + first * rs : 0, rs, cs, h + from, h0 + from, out + to);
        }
    }
}
INLINE double across(vec x)
{
    double s = 0.0;
    for (int i = 0; i < LANES; ++i) s += x[i];
    return s;
}
INLINE void square(int rows, int columns, num panels, num gs, num hs, const double *g, const double *h, vec sum[SIDE][SIDE])
{
    for (num p = 0; p < panels; ++p, g += gs, h += hs)
        for (int half = 0; half < PANEL; half += LANES) {
            vec x[SIDE];
            UNROLL
            for (int j = 0; j < columns; ++j) x[j] = *(const vec *)(h + j * PANEL + half);
            UNROLL
            for (int i = 0; i < rows; ++i) {
                const vec y = *(const vec *)(g + i * PANEL + half);
                UNROLL
                for (int j = 0; j < columns; ++j) sum[i][j] += y * x[j];
            }
        }
}
INLINE void some_square(int rows, int columns, num depth, num panels, num gs, num hs, const double *g, const double *g0, const double *h, const double *h0, num rs, num cs, double *out)
{
    vec sum[SIDE][SIDE];
    UNROLL
    for (int i = 0; i < rows; ++i) { UNROLL for (int j = 0; j < columns; ++j) sum[i][j] = (vec){0}; }
    square(rows, columns, panels, gs, hs, g, h0, sum);
    if (depth > 1) square(rows, columns, panels, gs, hs, g0, h, sum);
    UNROLL
    for (int i = 0; i < rows; ++i) { UNROLL for (int j = 0; j < columns; ++j) out[i * rs + j * cs] += across(sum[i][j]); }
}
static void outer(num depth, num panels, num rows, num columns, num rs, num cs, const double *g, const double *h, double *out)
{
    const num gs = rows * PANEL, hs = columns * PANEL;
    const double *g0 = g + (depth - 1) * panels * gs, *h0 = h + (depth - 1) * panels * hs;
    /* A few rows of h at a time, which stay near for all rows of g. */
    for (num start = 0; start < columns; start += NEAR) {
        const num stop = start + NEAR < columns ? start + NEAR : columns;
        num i = 0;
#define BLOCK(r, c) some_square(r, c, depth, panels, gs, hs, g + i * PANEL, g0 + i * PANEL, h + j * PANEL, h0 + j * PANEL, rs, cs, out + i * rs + j * cs)
        for (; i + SIDE <= rows; i += SIDE) {
            num j = start;
            for (; j + SIDE <= stop; j += SIDE) BLOCK(SIDE, SIDE);
            for (; j < stop; ++j) BLOCK(SIDE, 1);
        }
        for (; i < rows; ++i) {
            num j = start;
            for (; j + SIDE <= stop; j += SIDE) BLOCK(1, SIDE);
            for (; j < stop; ++j) BLOCK(1, 1);
        }
    }
}

/* Elementwise: `size` numbers of a coefficient; a side gives one number to a row, or one to all (row = 0). */

static void copy(num count, const double *a, double *out)
{
    for (num i = 0; i < count; i += LANES) *(vec *)(out + i) = *(const vec *)(a + i);
}

static void add(num count, const double *a, const double *b, double *out)
{
    for (num i = 0; i < count; i += LANES) *(vec *)(out + i) = *(const vec *)(a + i) + *(const vec *)(b + i);
}

static void times(num depth, num size, const double *a, const double *b, double *out)
{
    const double *a0 = a + (depth - 1) * size, *b0 = b + (depth - 1) * size;
    double *out0 = out + (depth - 1) * size;
    for (num i = 0; i < size; i += LANES) {
        const vec x = *(const vec *)(a0 + i), y = *(const vec *)(b0 + i);
        if (depth > 1) *(vec *)(out + i) = *(const vec *)(a + i) * y + x * *(const vec *)(b + i);
        *(vec *)(out0 + i) = x * y;
    }
}

static void add_side(num panels, num rows, num row, const double *w, const double *a, double *out)
{
    for (num p = 0; p < panels; ++p)
        for (num i = 0; i < rows; ++i)
            for (num half = 0; half < PANEL; half += LANES) {
                const num at = (p * rows + i) * PANEL + half;
                *(vec *)(out + at) = *(const vec *)(a + at) + (w ? w[i * row] : 0.0);
            }
}

static void times_side(num depth, num panels, num rows, num row, const double *w, const double *v, const double *a, double *out)
{
    const num size = panels * rows * PANEL;
    for (num p = 0; p < panels; ++p)
        for (num i = 0; i < rows; ++i)
            for (num half = 0; half < PANEL; half += LANES) {
                const num at = (p * rows + i) * PANEL + half;
                const vec x = *(const vec *)(a + (depth - 1) * size + at);
                if (depth > 1) *(vec *)(out + at) = *(const vec *)(a + at) * w[i * row] + x * (v ? v[i * row] : 0.0);
                *(vec *)(out + (depth - 1) * size + at) = x * w[i * row];
            }
}

static void total(num panels, num rows, num row, const double *g, double *out)
{
    for (num i = 0; i < rows; ++i) {
        vec sum = {0};
        for (num p = 0; p < panels; ++p)
            for (num half = 0; half < PANEL; half += LANES) sum += *(const vec *)(g + (p * rows + i) * PANEL + half);
        out[i * row] += across(sum);
    }
}

/* ACTIVATIONS */

/* A record is 16 numbers: what is done, five sizes, and five operands as an address and a step in bytes for each unit.
   The first two operands are sides, whose units count from the network's first; the others count from the segment's. */

enum { PRODUCT, COPY, ADD, TIMES, ADD_SIDE, TIMES_SIDE, OUTER, TOTAL, APPLY };

void play(const num *tape, num count, num depth, num panels, num unit, num place, num units, num step)
{
    for (; units; --units, place += step, unit += step)
        for (num o = 0; o < count; ++o) {
            const num *r = tape + 16 * o, *s = r + 1, size = panels * s[0] * PANEL;
            double *p[5];
            for (int i = 0; i < 5; ++i)
                p[i] = r[6 + 2 * i] ? (double *)(r[6 + 2 * i] + r[7 + 2 * i] * (i < 2 ? unit : place)) : 0;
            switch (r[0]) {
            case PRODUCT: product(depth, panels, s[0], s[1], s[2], s[3], p[0], p[1], p[2], p[4]); break;
            case COPY: copy(depth * size, p[2], p[4]); break;
            case ADD: add(depth * size, p[2], p[3], p[4]); break;
            case TIMES: times(depth, size, p[2], p[3], p[4]); break;
            case ADD_SIDE:
                add_side(panels, s[0], s[1], p[0], p[2] + (depth - 1) * size, p[4] + (depth - 1) * size);
                if (depth > 1) add_side(panels, s[0], s[1], p[1], p[2], p[4]);
                break;
            case TIMES_SIDE: times_side(depth, panels, s[0], s[1], p[0], p[1], p[2], p[4]); break;
            case OUTER: outer(depth, panels, s[0], s[1], s[2], s[3], p[2], p[3], p[4]); break;
            case TOTAL: total(panels, s[0], s[1], p[2], p[4]); break;
            default: apply(r[0] - APPLY, depth, size, p[2], p[3], p[4]);
            }
        }
}
