/* A pass of networks of blocks there and back (blocks.py), one run at a time, and the steps of momentum.

   Transposed, H^T, a sample is a row with the units in vectors, filled up with zeros to whole panels. The products of a
   layer a = W H then read their second factor by vectors and their first one number by number,

       a^T = H^T W^T,    (dL/dH)^T = Delta^T W,    dL/dW = Delta H^T = (Delta^T)^T H^T,

   with no sum across a vector, and means over samples add rows. Kept for the way back are H and of both layers N(a) and
   r; phi(N(a)) is computed again. What is not finite goes where NumPy has it: phi keeps a NaN, and 0 times one is one. */

typedef struct {
    num samples, inputs, width, units, outputs, blocks, runs, stem, head, shortcut, relu, normalised, after;
} net;

/* Where the pass of a run keeps what: X^T, H_0 to H_B, N(a) and r of both layers; and what is used again. */
typedef struct {
    double *x, *states, *inner, *outer, *inner_scale, *outer_scale, *active, *slope, *delta, *packed, *gradient;
} room;

INLINE num wide(num count) { return (count + PANEL - 1) / PANEL * PANEL; }
INLINE num larger(num a, num b) { return a > b ? a : b; }

/* How many numbers that takes; nowhere yet without memory. */
static num placed(const net *n, double *memory, room *r)
{
    const num d = wide(n->width), u = wide(n->units), m = n->samples;
    const num side = larger(larger(wide(n->inputs), wide(n->outputs)), larger(d, u));
    num at = 0;
#define TAKE(name, count) r->name = memory ? memory + at : 0; at += (count);
    TAKE(x, m * wide(n->inputs)) TAKE(states, (n->blocks + 1) * m * d)
    TAKE(inner, n->blocks * m * u) TAKE(outer, n->blocks * m * d)
    TAKE(inner_scale, n->blocks * u) TAKE(outer_scale, n->blocks * d)
    TAKE(active, m * u) TAKE(slope, m * d) TAKE(delta, m * larger(d, u))
    TAKE(packed, side * side) TAKE(gradient, side * side)
    return at;
}
num memory_of(const net *n)
{
    room r;
    return placed(n, 0, &r);
}

/* products */
INLINE void tile(int rows, num inner, num width, const double *a, num rs, num cs, const double *b, double *out)
{
    vec sum[ROWS][2];
    UNROLL
    for (int i = 0; i < rows; ++i) sum[i][0] = sum[i][1] = (vec){0};
    for (num k = 0; k < inner; ++k, a += cs, b += width) {
        const vec left = *(const vec *)b, right = *(const vec *)(b + LANES);
        UNROLL
        for (int i = 0; i < rows; ++i) {
            sum[i][0] += a[i * rs] * left;
            sum[i][1] += a[i * rs] * right;
        }
    }
    UNROLL
    for (int i = 0; i < rows; ++i) {
        *(vec *)(out + i * width) = sum[i][0];
        *(vec *)(out + i * width + LANES) = sum[i][1];
    }
}
/* out = A B with B, inner x width, and out read by rows */
#define CASE(n) case n: tile(n, inner, width, a + first * rs, rs, cs, b + j, out + first * width + j); break;
static void product(num rows, num inner, num width, const double *a, num rs, num cs, const double *b, double *out)
{
    const num tiles = (rows + ROWS - 1) / ROWS;
    for (num j = 0; j < width; j += PANEL)
        for (num t = 0; t < tiles; ++t) {
            const num first = t * rows / tiles;
            switch ((t + 1) * rows / tiles - first) {
            CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#if ROWS > 6
            CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
#endif
            }
        }
}
/* out = H^T W^T */
static void pushed(num samples, num rows, num columns, const double *w, const double *h, double *packed, double *out)
{
    const num width = wide(rows);
    for (num k = 0; k < columns; ++k)
        for (num i = 0; i < width; ++i) packed[k * width + i] = i < rows ? w[i * columns + k] : 0.0;
    product(samples, columns, width, h, wide(columns), 1, packed, out);
}
/* out = Delta^T W */
static void pulled(num samples, num rows, num columns, const double *w, const double *delta, double *packed, double *out)
{
    const num width = wide(columns);
    for (num i = 0; i < rows; ++i)
        for (num k = 0; k < width; ++k) packed[i * width + k] = k < columns ? w[i * columns + k] : 0.0;
    product(samples, rows, width, delta, wide(rows), 1, packed, out);
}
/* out = Delta H^T */
static void slope_of(num samples, num rows, num columns, const double *delta, const double *h, double *whole_rows, double *out)
{
    const num width = wide(columns);
    product(rows, samples, width, delta, 1, wide(rows), h, whole_rows);
    for (num i = 0; i < rows; ++i)
        for (num k = 0; k < columns; ++k) out[i * columns + k] = whole_rows[i * width + k];
}

/* elementwise */
#define EACH(i, count) for (num i = 0; i < (count); i += LANES)
#define AT(a) (*(vec *)((double *)(a)))

INLINE vec positive(vec a) { return pick(a < 0.0, all(0.0), a); }
static void relu(num count, const double *a, double *out) { EACH(i, count) AT(out + i) = positive(AT(a + i)); }
static void masked(num count, const double *a, double *g)
{
    EACH(i, count) AT(g + i) *= (vec)((whole)(AT(a + i) > 0.0) & (whole)all(1.0));
}

#define EPSILON 1e-5
/* a becomes N(a) = r (a - mean(a)) */
static void normalise(num samples, num width, double *a, double *r)
{
    EACH(j, width) {
        vec sum = {0}, square = {0};
        for (num s = 0; s < samples; ++s) sum += AT(a + s * width + j);
        const vec mean = sum / (double)samples;
        for (num s = 0; s < samples; ++s) {
            const vec c = AT(a + s * width + j) - mean;
            AT(a + s * width + j) = c;
            square += c * c;
        }
        square = square / (double)samples + EPSILON;
        for (int i = 0; i < LANES; ++i) r[j + i] = 1.0 / __builtin_sqrt(square[i]);
        for (num s = 0; s < samples; ++s) AT(a + s * width + j) *= AT(r + j);
    }
}
/* From g in N(a) to r (g - mean(g) - N(a) mean(g N(a))) in a */
static void back_normalised(num samples, num width, const double *n, const double *r, const double *g, double *out)
{
    EACH(j, width) {
        vec sum = {0}, along = {0};
        for (num s = 0; s < samples; ++s) {
            const num at = s * width + j;
            sum += AT(g + at);
            along += AT(g + at) * AT(n + at);
        }
        sum /= (double)samples;
        along /= (double)samples;
        for (num s = 0; s < samples; ++s) {
            const num at = s * width + j;
            AT(out + at) = AT(r + j) * (AT(g + at) - sum - AT(n + at) * along);
        }
    }
}

/* The weights, and their gradients, of one run among `runs`: stem, inner, outer, head. */
typedef struct { double *stem, *inner, *outer, *head; } weights;

#define INNER(b) (w->inner + (b) * n->runs * n->units * n->width)
#define OUTER(b) (w->outer + (b) * n->runs * n->units * n->width)

void forward(const net *n, const weights *w, double *memory, double *output)
{
    room r;
    placed(n, memory, &r);
    const num d = wide(n->width), u = wide(n->units), m = n->samples;
    double *h = r.states;
    if (n->stem) pushed(m, n->width, n->inputs, w->stem, r.x, r.packed, h);
    else EACH(i, m * d) AT(h + i) = AT(r.x + i);
    if (n->stem && n->relu) relu(m * d, h, h);
    for (num b = 0; b < n->blocks; ++b, h += m * d) {
        double *first = r.inner + b * m * u, *second = r.outer + b * m * d, *active = n->relu ? r.active : first;
        pushed(m, n->units, n->width, INNER(b), h, r.packed, first);
        if (n->normalised) normalise(m, u, first, r.inner_scale + b * u);
        if (n->relu) relu(m * u, first, active);
        pushed(m, n->width, n->units, OUTER(b), active, r.packed, second);
        if (n->normalised) normalise(m, d, second, r.outer_scale + b * d);
        double *next = h + m * d;
        EACH(i, m * d) {
            vec sum = AT(second + i);
            if (n->shortcut) sum += AT(h + i);
            AT(next + i) = n->relu && n->after ? positive(sum) : sum;
        }
    }
    if (n->head) pushed(m, n->outputs, n->width, w->head, h, r.packed, output);
    else EACH(i, m * d) AT(output + i) = AT(h + i);
}

/* `slope` is the derivative of the loss in f, transposed; found the gradients. */
void backward(const net *n, const weights *w, double *memory, const double *slope, const weights *found)
{
    room r;
    placed(n, memory, &r);
    const num d = wide(n->width), u = wide(n->units), m = n->samples, runs = n->runs * n->units * n->width;
    double *h = r.states + n->blocks * m * d, *g = r.slope;
    if (n->head) {
        slope_of(m, n->outputs, n->width, slope, h, r.gradient, found->head);
        pulled(m, n->outputs, n->width, w->head, slope, r.packed, g);
    } else EACH(i, m * d) AT(g + i) = AT(slope + i);
    for (num b = n->blocks - 1; b >= 0; --b) {
        double *first = r.inner + b * m * u, *second = r.outer + b * m * d, *active = n->relu ? r.active : first;
        if (n->relu && n->after) masked(m * d, h, g);
        h -= m * d;
        const double *delta = g;
        if (n->normalised) back_normalised(m, d, second, r.outer_scale + b * d, g, r.delta), delta = r.delta;
        if (n->relu) relu(m * u, first, active);
        slope_of(m, n->width, n->units, delta, active, r.gradient, found->outer + b * runs);
        /* phi(N(a)) is done with: its place takes the slope in it. */
        double *inside = r.active;
        pulled(m, n->width, n->units, OUTER(b), delta, r.packed, inside);
        if (n->relu) masked(m * u, first, inside);
        if (n->normalised) back_normalised(m, u, first, r.inner_scale + b * u, inside, inside);
        slope_of(m, n->units, n->width, inside, h, r.gradient, found->inner + b * runs);
        pulled(m, n->units, n->width, INNER(b), inside, r.packed, r.delta);
        EACH(i, m * d) AT(g + i) = (n->shortcut ? AT(g + i) : (vec){0}) + AT(r.delta + i);
    }
    if (n->stem) {
        if (n->relu) masked(m * d, h, g);
        slope_of(m, n->width, n->inputs, g, r.x, r.gradient, found->stem);
    }
}

/* v <- mu v + g + lambda w, w <- w - eta v for weights of shape (many, runs, size) */
void momentum(num many, num runs, num size, const double *rates, double mu, double lambda, const double *g, double *v, double *w)
{
    typedef double some __attribute__((vector_size(8 * LANES), may_alias, aligned(8)));
    for (num part = 0; part < many * runs; ++part, g += size, v += size, w += size) {
        const double rate = rates[part % runs];
        num i = 0;
        for (; i + LANES <= size; i += LANES) {
            const some now = mu * *(some *)(v + i) + *(some *)(g + i) + lambda * *(some *)(w + i);
            *(some *)(v + i) = now;
            *(some *)(w + i) -= rate * now;
        }
        for (; i < size; ++i) {
            v[i] = mu * v[i] + g[i] + lambda * w[i];
            w[i] -= rate * v[i];
        }
    }
}
