/*
 * A*, as specified in astar.h.
 *
 * A sample is unseen, open (in the heap, which alone knows its g) or closed. The heap is ordered by (f, g, index), and the
 * index is (y, x): the order is total, so the next sample does not depend on the heap's history. Of two ways of equal cost
 * to a sample the first one found stays. The octile distance is a lower bound of any way's cost (a diagonal costs 362 or
 * more, a side 256 or more) and falls by at most a step's cost with each step: closed samples are final.
 *
 * Costs are computed in doubles with our own polynomials: relative errors are below 2^-40, and the same everywhere.
 */
#include "astar.h"

#include <string.h>

#define SQRT2 1.4142135623730951

enum { DIAGONAL = 362 /* the cost of one on flat ground: 256 sqrt 2, rounded */ };

static const double cost_max = 0x1p36;

struct open {
    uint64_t f, g;
    uint32_t at;
};

struct search {
    const struct astar_grid *grid;
    const struct astar_cost *cost;
    int to_x, to_y;
    struct open *heap;
    uint32_t count;
    uint32_t *place; /* UNSEEN, CLOSED, or where in the heap, plus 1 */
    uint8_t *step;   /* number of the step that led here */
};

#define UNSEEN 0u
#define CLOSED UINT32_MAX

static const int step_x[8] = {1, -1, 0, 0, 1, -1, 1, -1};
static const int step_y[8] = {0, 0, 1, -1, 1, 1, -1, -1};

/* x^y for normal x > 0; 0 and 2^64 if the result is outside 2^-64 .. 2^64. */
static double power(double x, double y)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0xFFFFFFFFFFFFF) | UINT64_C(1023) << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > SQRT2) {
        m *= 0.5;
        exponent++;
    }
    /* ln m = 2 artanh t, |t| < 0.172: t^15 is below 2^-38 of it, and what follows below 2^-45. */
    const double t = (m - 1) / (m + 1), tt = t * t;
    double p = 1.0 / 15;
    for (int k = 13; k > 0; k -= 2)
        p = p * tt + 1.0 / k;
    const double log2_of = y * ((double)exponent + p * t * 2.885390081777927);
    if (!(log2_of > -64))
        return 0;
    if (!(log2_of < 64))
        return 0x1p64;

    const int whole = (int)(log2_of + 64.5) - 64; /* nearest: the rest is within half */
    const double rest = (log2_of - whole) * 0.6931471805599453;
    double e = 1;
    for (int k = 11; k > 0; k--) /* rest^12 / 12! is below 2^-47 */
        e = e * (rest * (1.0 / k)) + 1;
    bits = (uint64_t)(whole + 1023) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return e * scale;
}

static double slope_of(const struct astar_cost *cost, int64_t rise, bool diagonal)
{
    const double up = rise < 0 ? -(double)rise : (double)rise;
    return up * cost->per_unit * (diagonal ? 1 / SQRT2 : 1);
}

static uint64_t cost_of(const struct astar_cost *cost, double slope, bool diagonal)
{
    const double flat = diagonal ? DIAGONAL : ASTAR_ONE;
    if (!(slope > 0x1p-900))
        return diagonal ? DIAGONAL : ASTAR_ONE;
    const double all = flat + flat * (cost->alpha * power(slope, cost->beta));
    return all < cost_max ? (uint64_t)(all + 0.5) : (uint64_t)cost_max;
}

uint64_t astar_step(const struct astar_cost *cost, int64_t rise, bool diagonal)
{
    return cost_of(cost, slope_of(cost, rise, diagonal), diagonal);
}

/* ---- Heap ---------------------------------------------------------------------------------------------- */

static bool before(const struct open *a, const struct open *b)
{
    if (a->f != b->f)
        return a->f < b->f;
    if (a->g != b->g)
        return a->g < b->g;
    return a->at < b->at;
}

static void put(struct search *s, uint32_t slot, struct open entry)
{
    s->heap[slot] = entry;
    s->place[entry.at] = slot + 1;
}

/* Moves an entry from a free slot up to its place. */
static void rise_in_heap(struct search *s, uint32_t slot, struct open entry)
{
    while (slot > 0 && before(&entry, &s->heap[(slot - 1) / 2])) {
        put(s, slot, s->heap[(slot - 1) / 2]);
        slot = (slot - 1) / 2;
    }
    put(s, slot, entry);
}

static struct open take_first(struct search *s)
{
    const struct open first = s->heap[0], last = s->heap[--s->count];
    s->place[first.at] = CLOSED;
    if (s->count == 0)
        return first;
    uint32_t slot = 0;
    for (;;) {
        uint32_t child = 2 * slot + 1;
        if (child >= s->count)
            break;
        if (child + 1 < s->count && before(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (!before(&s->heap[child], &last))
            break;
        put(s, slot, s->heap[child]);
        slot = child;
    }
    put(s, slot, last);
    return first;
}

/* ---- Search -------------------------------------------------------------------------------------------- */

static uint64_t octile(const struct search *s, int x, int y)
{
    const int dx = x < s->to_x ? s->to_x - x : x - s->to_x;
    const int dy = y < s->to_y ? s->to_y - y : y - s->to_y;
    const int shorter = dx < dy ? dx : dy, longer = dx < dy ? dy : dx;
    return (uint64_t)shorter * DIAGONAL + (uint64_t)(longer - shorter) * ASTAR_ONE;
}

static void look_around(struct search *s, const struct open *here)
{
    const int width = s->grid->width, height = s->grid->height;
    const int x = (int)(here->at % (uint32_t)width), y = (int)(here->at / (uint32_t)width);
    for (int k = 0; k < 8; k++) {
        const int nx = x + step_x[k], ny = y + step_y[k];
        if (nx < 0 || nx >= width || ny < 0 || ny >= height)
            continue;
        const uint32_t at = (uint32_t)ny * (uint32_t)width + (uint32_t)nx;
        const uint32_t place = s->place[at];
        if (place == CLOSED || (s->grid->blocked && s->grid->blocked[at]))
            continue;
        const int64_t rise = (int64_t)s->grid->ground[at] - s->grid->ground[here->at];
        const double slope = slope_of(s->cost, rise, k >= 4);
        if (s->cost->steepest > 0 && slope > s->cost->steepest)
            continue;
        const uint64_t toll = s->grid->toll ? (uint64_t)s->grid->toll[at] * ASTAR_ONE : 0;
        const uint64_t g = here->g + cost_of(s->cost, slope, k >= 4) + toll;
        if (place != UNSEEN && g >= s->heap[place - 1].g)
            continue;
        s->step[at] = (uint8_t)k;
        rise_in_heap(s, place == UNSEEN ? s->count++ : place - 1,
                     (struct open){g + octile(s, nx, ny), g, at});
    }
}

static size_t samples_of(int width, int height)
{
    return (size_t)width * (size_t)height;
}

size_t astar_bytes(int width, int height)
{
    return samples_of(width, height) * (sizeof(struct open) + sizeof(uint32_t) + sizeof(uint8_t));
}

/* Follows the way back from the end, and writes it from its end: n samples. */
static int trace(const struct search *s, uint32_t from, uint32_t to, uint32_t *way, int max)
{
    const uint32_t width = (uint32_t)s->grid->width;
    int n = 1;
    for (uint32_t at = to; at != from; n++) {
        const int k = s->step[at];
        at -= (uint32_t)step_y[k] * width + (uint32_t)step_x[k];
    }
    if (n > max)
        return 0;
    for (int i = n - 1; i >= 0; i--) {
        way[i] = to;
        const int k = s->step[to];
        if (i > 0)
            to -= (uint32_t)step_y[k] * width + (uint32_t)step_x[k];
    }
    return n;
}

int astar_find(const struct astar_grid *grid, const struct astar_cost *cost, uint32_t from, uint32_t to,
               void *memory, uint32_t *way, int max)
{
    const size_t samples = samples_of(grid->width, grid->height);
    struct search s = {.grid = grid, .cost = cost};
    s.to_x = (int)(to % (uint32_t)grid->width);
    s.to_y = (int)(to / (uint32_t)grid->width);
    s.heap = memory;
    s.place = (uint32_t *)(void *)(s.heap + samples);
    s.step = (uint8_t *)(s.place + samples);
    memset(s.place, 0, samples * sizeof *s.place);
    s.step[from] = 0;

    const int x = (int)(from % (uint32_t)grid->width), y = (int)(from / (uint32_t)grid->width);
    rise_in_heap(&s, s.count++, (struct open){octile(&s, x, y), 0, from});
    while (s.count > 0) {
        const struct open here = take_first(&s);
        if (here.at == to)
            return trace(&s, from, to, way, max);
        look_around(&s, &here);
    }
    return 0;
}
