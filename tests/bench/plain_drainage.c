#include "plain_drainage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS = 256,    /* over any step's cost with its grain */
    COST_MOST = 1200, /* of a way */
    STREAM_CELLS = 5, /* of the lattice above, that it drains at least */
    BOX_MOST = 256,   /* cells of the box of a step of a stream */
};

static const int dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};

static void *memory(size_t bytes)
{
    void *block = malloc(bytes);
    if (block == NULL)
        abort();
    return block;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9;
    x ^= x >> 27;
    x *= 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* 0 .. 1 */
static float hashed(const struct plain_drainage *g, int salt, int64_t x, int64_t y)
{
    const uint64_t h = mix(mix(g->seed * 0x9e3779b97f4a7c15 + (uint64_t)(g->level + salt)) +
                           (uint64_t)x * 0xd6e8feb86659fd93 + mix((uint64_t)y * 0xa0761d6478bd642f));
    return (float)(h >> 40) * 0x1p-24f;
}

/* Of a step that falls by slope in direction k. */
static inline int step_cost(float slope, int k)
{
    const float length = k & 1 ? 22.6f : 16.0f;
    const int cost =
        (int)(length * (slope >= 0.0f ? 1.0f / (1.0f + 4.0f * slope) : 1.0f - 24.0f * slope)) + 1;
    return cost < 10 ? 10 : cost > 200 ? 200 : cost;
}

/* ---- Growth -------------------------------------------------------------------------------------------- */

/* Cells by cost; one may stand in several. They stay from run to run. */
static struct bucket {
    int *cell, count, room;
} buckets[BUCKETS];

static void bucket_put(int cost, int cell)
{
    struct bucket *b = &buckets[cost & (BUCKETS - 1)];
    if (b->count == b->room) {
        b->room = b->room ? b->room * 2 : 1024;
        b->cell = realloc(b->cell, (size_t)b->room * sizeof *b->cell);
        if (b->cell == NULL)
            abort();
    }
    b->cell[b->count++] = cell;
}

/* Marks what is known, and puts in the first bucket what of that has a neighbour that is not. Returns the cells there. */
static int start(struct plain_drainage *g, unsigned char *fixed)
{
    int live = 0;
    for (int y = 0; y < g->height; y++)
        for (int x = 0; x < g->width; x++) {
            const int c = y * g->width + x;
            int edge = 0;
            fixed[c] = g->to[c] != PLAIN_NONE;
            g->cost[c] = fixed[c] ? 0 : INT32_MAX;
            for (int k = 0; fixed[c] && k < 8; k++) {
                const int a = x + dx[k], b = y + dy[k];
                edge |= a >= 0 && b >= 0 && a < g->width && b < g->height &&
                        g->to[b * g->width + a] == PLAIN_NONE;
            }
            if (edge) {
                bucket_put(0, c);
                live++;
            }
        }
    return live;
}

/* Grows from a cell to its neighbours. Returns how many it put in buckets. */
static int spread(struct plain_drainage *g, const unsigned char *fixed, const unsigned char *done,
                  const unsigned char *grain, int from)
{
    const int w = g->width, off[8] = {1, w + 1, w, w - 1, -1, -w - 1, -w, -w + 1};
    const float per_m = ldexpf(1.0f, -g->level);
    int put = 0;
    for (int k = 0; k < 8; k++) {
        const int c = from + off[k];
        if (fixed[c] || done[c])
            continue;
        float slope = (g->ground[c] - g->ground[from]) * per_m;
        if (g->to[from] == PLAIN_SEA && slope < 0.0f)
            slope = 0.0f;
        const int cost = g->cost[from] + step_cost(slope, k) + grain[c], to = (k + 4) & 7;
        if (cost > COST_MOST || cost > g->cost[c])
            continue;
        if (cost == g->cost[c]) {
            if (to < g->to[c])
                g->to[c] = (unsigned char)to;
            continue;
        }
        g->cost[c] = cost;
        g->to[c] = (unsigned char)to;
        bucket_put(cost, c);
        put++;
    }
    return put;
}

/* Fills order with what grows, receivers first. Returns how many. */
static int grow(struct plain_drainage *g, unsigned char *fixed, int *order)
{
    const int w = g->width, cells = w * g->height;
    unsigned char *grain = memory((size_t)cells), *done = memory((size_t)cells);
    int ordered = 0, live = start(g, fixed);
    memset(done, 0, (size_t)cells);
    for (int c = 0; c < cells; c++)
        grain[c] = (unsigned char)(hashed(g, 0, g->gi + c % w, g->gj + c / w) * 8.0f);
    for (int cost = 0; live > 0; cost++) {
        struct bucket *b = &buckets[cost & (BUCKETS - 1)];
        for (int i = 0; i < b->count; i++) {
            const int c = b->cell[i], x = c % w, y = c / w;
            live--;
            if (done[c] || g->cost[c] != cost)
                continue;
            done[c] = 1;
            if (!fixed[c])
                order[ordered++] = c;
            if (x > 0 && y > 0 && x < w - 1 && y < g->height - 1)
                live += spread(g, fixed, done, grain, c);
        }
        b->count = 0;
    }
    free(grain);
    free(done);
    return ordered;
}

/* ---- Runoff and heights -------------------------------------------------------------------------------- */

static inline int receiver(const struct plain_drainage *g, int c)
{
    return c + dx[g->to[c]] + dy[g->to[c]] * g->width;
}

/* The least of a cell's 3 x 3 neighbours, which finer octaves may be; land stays land. */
static double low_ground(const struct plain_drainage *g, int x, int y)
{
    const float own = g->ground[y * g->width + x];
    float least = own;
    for (int k = 0; k < 8 && !g->finest; k++) {
        const int a = x + dx[k], b = y + dy[k];
        if (a >= 0 && b >= 0 && a < g->width && b < g->height && g->ground[b * g->width + a] < least)
            least = g->ground[b * g->width + a];
    }
    return own >= 0.0f && least < 0.0f ? 0.0 : (double)least;
}

static double steepness(const double *power, float height, float area)
{
    const int quarters = (int)(log2((double)area) * 4.0);
    return (12.0 + 0.08 * fmax(0.0, (double)height)) * power[quarters < 0     ? 0
                                                             : quarters > 255 ? 255
                                                                              : quarters];
}

static void settle(struct plain_drainage *g, const unsigned char *fixed, const int *order, int ordered)
{
    const int cells = g->width * g->height;
    const double side = ldexp(1.0, g->level);
    double *low = memory((size_t)cells * sizeof *low), power[256];
    for (int k = 0; k < 256; k++)
        power[k] = pow(2.0, -0.45 * k / 4.0);
    for (int y = 0; y < g->height; y++)
        for (int x = 0; x < g->width; x++)
            low[y * g->width + x] = low_ground(g, x, y);
    for (int q = ordered - 1; q >= 0; q--) {
        const int c = order[q], to = receiver(g, c);
        if (fixed[to])
            continue;
        g->area[to] += g->area[c];
        if (low[c] < low[to])
            low[to] = low[c];
    }
    for (int q = 0; q < ordered; q++) {
        const int c = order[q], to = receiver(g, c);
        const double length = side * (g->to[c] & 1 ? 1.4142135623730951 : 1.0);
        const double below = g->to[to] == PLAIN_SEA ? 0.0 : g->z[to];
        const double least = below + 2e-5 * length;
        const double most = fmax(least, below + steepness(power, g->ground[c], g->area[c]) * length);
        g->z[c] = low[c] < least ? least : low[c] > most ? most : low[c];
    }
    free(low);
}

/* ---- Streams ------------------------------------------------------------------------------------------- */

static int within(const struct plain_drainage *g, int64_t x, int64_t y)
{
    return x >= g->gi && y >= g->gj && x < g->gi + g->width && y < g->gj + g->height;
}

static int at(const struct plain_drainage *g, int64_t x, int64_t y)
{
    return (int)((y - g->gj) * g->width + (x - g->gi));
}

static int sea_near(const struct plain_drainage *above, int64_t x, int64_t y)
{
    for (int k = 0; k < 9; k++) {
        const int64_t a = x + k % 3 - 1, b = y + k / 3 - 1;
        if (within(above, a, b) && above->to[at(above, a, b)] == PLAIN_SEA)
            return 1;
    }
    return 0;
}

/* Nothing is known but the sea: what lies below it, next to sea of the lattice above. */
static void sea_fill(const struct plain_drainage *above, struct plain_drainage *g)
{
    const float area = ldexpf(1.0f, 2 * g->level);
    for (int y = 0; y < g->height; y++)
        for (int x = 0; x < g->width; x++) {
            const int c = y * g->width + x;
            const int sea =
                g->ground[c] < 0.0f && sea_near(above, (g->gi + x + 2) >> 2, (g->gj + y + 2) >> 2);
            g->z[c] = sea ? (double)g->ground[c] : 1e30;
            g->to[c] = sea ? PLAIN_SEA : PLAIN_NONE;
            g->area[c] = area;
        }
}

/* Where in its block of 4 x 4 a cell of the lattice above is: low, and hashed. The sea is sea there. */
static unsigned char home_of(const struct plain_drainage *above, struct plain_drainage *g, int i, int j)
{
    const int64_t x = (above->gi + i) * 4 - 2, y = (above->gj + j) * 4 - 2;
    const int sea = above->to[j * above->width + i] == PLAIN_SEA;
    const float side = ldexpf(1.0f, g->level);
    float least = 1e30f;
    int home = 5;
    for (int q = 0; q < 16; q++) {
        if (!within(g, x + (q & 3), y + (q >> 2)))
            continue;
        const int c = at(g, x + (q & 3), y + (q >> 2));
        const float value = sea ? g->ground[c]
                                : g->ground[c] / side + 3.0f * hashed(g, 100, x + (q & 3), y + (q >> 2)) +
                                      (g->to[c] == PLAIN_SEA ? 1e6f : 0.0f);
        if (value < least) {
            least = value;
            home = q;
        }
    }
    if (sea && within(g, x + (home & 3), y + (home >> 2))) {
        const int c = at(g, x + (home & 3), y + (home >> 2));
        if (g->to[c] != PLAIN_SEA) {
            g->to[c] = PLAIN_SEA;
            g->z[c] = -0.5;
        }
    }
    return (unsigned char)home;
}

/* The box around a step of a stream, and its two ends in it. */
struct box {
    int64_t x, y;
    int width, height, head, foot;
    int cost[BOX_MOST];
    unsigned char to[BOX_MOST], done[BOX_MOST];
};

/* The way of least cost from everywhere nearer than the head to the foot. */
static void box_search(const struct plain_drainage *g, struct box *b)
{
    const int cells = b->width * b->height;
    const float side = ldexpf(1.0f, g->level);
    for (int q = 0; q < cells; q++) {
        b->cost[q] = q == b->foot ? 0 : INT32_MAX;
        b->done[q] = 0;
    }
    for (;;) {
        int u = -1;
        for (int q = 0; q < cells; q++)
            if (!b->done[q] && b->cost[q] < INT32_MAX && (u < 0 || b->cost[q] < b->cost[u]))
                u = q;
        if (u < 0 || u == b->head)
            return;
        b->done[u] = 1;
        for (int k = 0; k < 8; k++) {
            const int x = u % b->width + dx[k], y = u / b->width + dy[k], v = y * b->width + x;
            if (x < 0 || y < 0 || x >= b->width || y >= b->height || b->done[v])
                continue;
            const int t = at(g, b->x + u % b->width, b->y + u / b->width);
            float slope = (g->ground[at(g, b->x + x, b->y + y)] - g->ground[t]) / side;
            if (g->to[t] == PLAIN_SEA && slope < 0.0f)
                slope = 0.0f;
            const int cost =
                b->cost[u] + step_cost(slope, k) + (int)(hashed(g, 50, b->x + x, b->y + y) * 24.0f);
            if (cost < b->cost[v]) {
                b->cost[v] = cost;
                b->to[v] = (unsigned char)((k + 4) & 7);
            }
        }
    }
}

/* Lays it down, from one height to the other; of ways that meet the lower one goes on. */
static void box_lay(struct plain_drainage *g, const struct box *b, double from, double to, float area)
{
    int steps = 0, step = 0;
    for (int q = b->head; q != b->foot; q += dx[b->to[q]] + dy[b->to[q]] * b->width)
        steps++;
    for (int q = b->head; q != b->foot; q += dx[b->to[q]] + dy[b->to[q]] * b->width, step++) {
        const double z = from + (to - from) * step / steps;
        const int c = at(g, b->x + q % b->width, b->y + q / b->width);
        if (g->to[c] == PLAIN_SEA || z > g->z[c] || (z >= g->z[c] && b->to[q] >= g->to[c]))
            continue;
        g->z[c] = z;
        g->to[c] = b->to[q];
        if (area > g->area[c])
            g->area[c] = area;
    }
}

/* A step of a stream, from a cell of the lattice above to its receiver. */
static void trace(const struct plain_drainage *above, struct plain_drainage *g, const unsigned char *home,
                  int c)
{
    const int t = receiver(above, c), w = above->width;
    const int64_t ax = (above->gi + c % w) * 4 - 2 + (home[c] & 3),
                  ay = (above->gj + c / w) * 4 - 2 + (home[c] >> 2);
    const int64_t bx = (above->gi + t % w) * 4 - 2 + (home[t] & 3),
                  by = (above->gj + t / w) * 4 - 2 + (home[t] >> 2);
    struct box b;
    b.x = (ax < bx ? ax : bx) - 1;
    b.y = (ay < by ? ay : by) - 1;
    b.width = abs((int)(ax - bx)) + 3;
    b.height = abs((int)(ay - by)) + 3;
    if (!within(g, b.x, b.y) || !within(g, b.x + b.width - 1, b.y + b.height - 1))
        return;
    b.head = (int)((ay - b.y) * b.width + ax - b.x);
    b.foot = (int)((by - b.y) * b.width + bx - b.x);
    box_search(g, &b);
    box_lay(g, &b, above->z[c], above->to[t] == PLAIN_SEA ? 0.0 : above->z[t], above->area[c]);
}

static void streams_trace(const struct plain_drainage *above, struct plain_drainage *g)
{
    const int w = above->width;
    const float least = STREAM_CELLS * ldexpf(1.0f, 2 * above->level);
    unsigned char *home = memory((size_t)w * (size_t)above->height);
    for (int j = 0; j < above->height; j++)
        for (int i = 0; i < w; i++)
            home[j * w + i] = home_of(above, g, i, j);
    for (int j = 1; j < above->height - 1; j++)
        for (int i = 1; i < w - 1; i++)
            if (above->to[j * w + i] < 8 && above->area[j * w + i] >= least)
                trace(above, g, home, j * w + i);
    free(home);
}

void plain_drainage_run(const struct plain_drainage *above, struct plain_drainage *fine)
{
    const size_t cells = (size_t)fine->width * (size_t)fine->height;
    unsigned char *fixed = memory(cells);
    int *order = memory(cells * sizeof *order);
    sea_fill(above, fine);
    streams_trace(above, fine);
    const int ordered = grow(fine, fixed, order);
    settle(fine, fixed, order, ordered);
    free(fixed);
    free(order);
}
