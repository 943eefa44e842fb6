/* Gradient descent on linear networks (networks.py, descent.py): LANES runs at once, one in each lane of the vectors.

   A matrix of all these runs is d x d vectors: whatever d is, no product leaves lanes empty or sums across a vector. With
   g_l the derivative of the loss in h_l times the rate,

       h_l = W_l h_{l-1} + [n | l] h_{l-n},    g_{l-1} = W_l^T g_l + [n | l - 1] g_{l-1+n},    W_l <- W_l - g_l h_{l-1}^T.

   A run that has diverged stays in its lane, unseen; the call ends with the last of the others. */

typedef struct { num layers, d, shortcut, epochs, records, snapshots; } plan;

/* S, T, F* and S^{1/2}, the same in every lane */
typedef struct { const vec *inputs, *targets, *solution, *root; } data;

/* Epochs to record, ascending, with a vector for each; those at which the weights are kept; when a run diverged, or -1. */
typedef struct {
    const num *epochs;
    vec *excess, *norms, *slopes;
    const num *kept;
    vec *weights;
    num *diverged;
} record;

INLINE void tile(int rows, int columns, num d, const vec *a, num ai, num ak, const vec *b, num bk, num bj, vec *out)
{
    vec sum[SIDE][SIDE];
    UNROLL
    for (int i = 0; i < rows; ++i) { UNROLL for (int j = 0; j < columns; ++j) sum[i][j] = (vec){0}; }
    for (num k = 0; k < d; ++k, a += ak, b += bk) {
        vec right[SIDE];
        UNROLL
        for (int j = 0; j < columns; ++j) right[j] = b[j * bj];
        UNROLL
        for (int i = 0; i < rows; ++i) { UNROLL for (int j = 0; j < columns; ++j) sum[i][j] += a[i * ai] * right[j]; }
    }
    UNROLL
    for (int i = 0; i < rows; ++i) { UNROLL for (int j = 0; j < columns; ++j) out[i * d + j] = sum[i][j]; }
}
/* out = A B with A(i, k) at a[i ai + k ak] and B(k, j) at b[k bk + j bj]; the sides of tiles differ by one at most. */
static void product(num d, const vec *a, num ai, num ak, const vec *b, num bk, num bj, vec *out)
{
    const num tiles = (d + SIDE - 1) / SIDE;
    for (num t = 0; t < tiles; ++t)
        for (num s = 0; s < tiles; ++s) {
            const num i = t * d / tiles, j = s * d / tiles, rows = (t + 1) * d / tiles - i, columns = (s + 1) * d / tiles - j;
#define CASE(r, c) case 8 * r + c: tile(r, c, d, a + i * ai, ai, ak, b + j * bj, bk, bj, out + i * d + j); break;
            switch (8 * rows + columns) {
            CASE(1, 1) CASE(2, 2) CASE(2, 3) CASE(3, 2) CASE(3, 3)
#if SIDE > 3
            CASE(3, 4) CASE(4, 3) CASE(4, 4) CASE(4, 5) CASE(5, 4) CASE(5, 5)
#endif
            }
        }
}
#define TIMES(a, b, out) product(d, a, d, 1, b, d, 1, out)
#define TRANSPOSED_TIMES(a, b, out) product(d, a, 1, d, b, d, 1, out)
#define TIMES_TRANSPOSED(a, b, out) product(d, a, d, 1, b, 1, d, out)
#define EACH(i) for (num i = 0; i < d * d; ++i)

INLINE vec root(vec x)
{
    for (int i = 0; i < LANES; ++i) x[i] = __builtin_sqrt(x[i]);
    return x;
}

/* h_1, ..., h_L, one behind the other */
static void states(const plan *p, const vec *w, vec *h)
{
    const num d = p->d, n = p->shortcut, size = d * d;
    for (num l = 1; l <= p->layers; ++l, w += size, h += size) {
        if (l > 1) TIMES(w, h - size, h);
        else EACH(i) h[i] = w[i];
        if (n && l == n) for (num i = 0; i < d; ++i) h[i * d + i] += 1.0;
        else if (n && l % n == 0) EACH(i) h[i] += h[i - n * size];
    }
}

/* |(F - F*) S^{1/2}|^2 / 2 */
static vec excess_of(const plan *p, const data *given, const vec *f, vec *a, vec *b)
{
    const num d = p->d;
    vec sum = {0};
    EACH(i) a[i] = f[i] - given->solution[i];
    TIMES(a, given->root, b);
    EACH(i) sum += b[i] * b[i];
    return 0.5 * sum;
}

/* A step, unless there is none at this rate, from g = g_L; the square of its norm. Four matrices of room. */
static vec moved(const plan *p, vec *w, const vec *h, vec *g, vec *below, vec *joint, vec *step, int moves)
{
    const num d = p->d, n = p->shortcut, size = d * d;
    vec total = {0};
    EACH(i) joint[i] = g[i];
    w += p->layers * size;
    h += p->layers * size;
    for (num l = p->layers; l; --l) {
        w -= size;
        h -= size; /* h_l */
        if (l > 1) {
            TIMES_TRANSPOSED(g, h - size, step);
            TRANSPOSED_TIMES(w, g, below);
            if (n && (l - 1) % n == 0) EACH(i) joint[i] = below[i] += joint[i];
        } else EACH(i) step[i] = g[i];
        EACH(i) total += step[i] * step[i];
        if (moves) EACH(i) w[i] -= step[i];
        vec *other = g;
        g = below;
        below = other;
    }
    return total;
}

static vec mean_norm(const plan *p, const vec *w)
{
    const num d = p->d;
    vec total = {0};
    for (num l = 0; l < p->layers; ++l, w += d * d) {
        vec sum = {0};
        EACH(i) sum += w[i] * w[i];
        total += root(sum);
    }
    return total / (double)p->layers;
}

/* `most` is the loss above the least from which on a run has diverged; memory for L + 4 matrices. */
void descend(const plan *p, const data *given, const vec *rates, double factor, double least, vec *w, vec *memory, record *r)
{
    const num d = p->d, size = d * d;
    vec *h = memory, *room = h + p->layers * size, most = {0};
    const vec *f = h + (p->layers - 1) * size;
    for (num epoch = 0, row = 0, kept = 0; epoch <= p->epochs; ++epoch) {
        num left = 0;
        states(p, w, h);
        const vec excess = excess_of(p, given, f, room, room + size);
        if (!epoch) most = factor * pick(excess > least, excess, all(least));
        for (int i = 0; i < LANES; ++i) {
            if (r->diverged[i] < 0 && !(excess[i] <= most[i])) r->diverged[i] = epoch;
            left += r->diverged[i] < 0;
        }
        if (!left) return;
        if (kept < p->snapshots && r->kept[kept] == epoch) {
            vec *to = r->weights + kept++ * p->layers * size;
            for (num i = 0; i < p->layers * size; ++i) to[i] = w[i];
        }
        const int records = row < p->records && r->epochs[row] == epoch, last = epoch == p->epochs;
        if (last && !records) return;
        if (records) r->excess[row] = excess, r->norms[row] = mean_norm(p, w);
        TIMES(f, given->inputs, room);
        EACH(i) room[i] = (room[i] - given->targets[i]) * *rates;
        const vec total = moved(p, w, h, room, room + size, room + 2 * size, room + 3 * size, !last);
        if (records) r->slopes[row++] = root(total) / *rates;
    }
}
