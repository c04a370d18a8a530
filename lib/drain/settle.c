/*
 * What follows from the trees: runoff from the leaves down, heights from the receivers up.
 *
 *     z(c) = clamp(lowered ground, z(receiver) + least fall, z(receiver) + steepness(runoff) * length)
 *
 * Lowered: a bar is cut down to the lowest ground behind it, as far as the recipe lets it be cut; the rest is a lake. Slope and
 * runoff then have the concavity of rivers. Below a lattice octaves go both ways: low is the least of 3 x 3 there.
 */
#include <string.h>

#include "../window.h"
#include "drain.h"

#define RUNOFF_MOST 16384.0f /* mm a year */

static inline bool is_fixed(const struct drain_field *field, int32_t c)
{
    return field->mark[c] & DRAIN_FIXED;
}

/* Whether it is in the order: what can be done in any order is done row by row, which memory likes better. */
static inline bool has_grown(const struct drain_field *field, int32_t c)
{
    return !is_fixed(field, c) && (field->to[c] & TERRANE_DRAIN_WAY) < 8;
}

static inline int32_t receiver(const struct drain_field *field, int32_t c)
{
    return c + field->off[field->to[c] & TERRANE_DRAIN_WAY];
}

/* ---- Runoff -------------------------------------------------------------------------------------------- */

/* What runs off each cell by itself. */
static int spring(struct drain_field *field, const struct terrane_memory *memory)
{
    const int coarser = field->law->level - field->law->bottom, term = field->world->recipe->rivers.runoff;
    float *runoff = (float *)(void *)field->cost; /* which comes later */
    const int error = term >= 0 ? window_term(field->world, &field->window, term, memory, runoff) : 0;
    for (int c = 0; c < field->cells && error == 0; c++) {
        uint64_t mm = field->law->runoff;
        if (!drain_gathers(field, c))
            continue;
        if (term >= 0)
            mm = runoff[c] > 0 ? (uint64_t)(runoff[c] < RUNOFF_MOST ? runoff[c] : RUNOFF_MOST) : 0;
        field->link[c].area = mm << 2 * coarser;
    }
    return error;
}

/* From the leaves down; count: cells, as far as a stream needs them. */
static void gather(struct drain_field *field)
{
    uint8_t *count = (uint8_t *)field->d; /* costs have done their work */
    memset(count, 1, (size_t)field->cells);
    for (int k = field->ordered - 1; k >= 0; k--) {
        const int32_t c = field->order[k], t = receiver(field, c);
        if (count[c] >= DRAIN_STREAM_CELLS)
            field->to[c] |= TERRANE_DRAIN_STREAM;
        if (!drain_gathers(field, t))
            continue;
        field->mark[t] |= field->mark[c] & DRAIN_DIRTY;
        field->link[t].area += field->link[c].area;
        const int sum = count[t] + count[c];
        count[t] = (uint8_t)(sum < DRAIN_STREAM_CELLS ? sum : DRAIN_STREAM_CELLS);
    }
}

/* ---- Low ground ---------------------------------------------------------------------------------------- */

static inline int32_t lesser(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* The least of 3 x 3, but no dry ground falls under the sea by it. */
static void low_around(const struct drain_field *field, int32_t first, int count,
                       union drain_cost *restrict cost)
{
    const int32_t *row[3] = {field->ground + first - field->width, field->ground + first,
                             field->ground + first + field->width};
    const int32_t sea = field->law->sea;
    for (int i = 0; i < count; i++) {
        int32_t low = row[1][i], high = low;
        for (int j = 0; j < 3; j++)
            for (int k = -1; k <= 1; k++) {
                low = lesser(low, row[j][i + k]);
                high = high < row[j][i + k] ? row[j][i + k] : high;
            }
        low -= (high - low) >> 3;
        cost[i].low = cost[i].spill = row[1][i] >= sea && low < sea ? sea : low;
    }
}

static void find_low(struct drain_field *field)
{
    if (field->law->finest)
        for (int c = 0; c < field->cells; c++)
            field->cost[c].low = field->cost[c].spill = field->ground[c];
    else
        for (int y = 1; y < field->height - 1; y++)
            low_around(field, y * field->width + 1, field->width - 2, field->cost + y * field->width + 1);
    for (int k = field->ordered - 1; k >= 0; k--) {
        const int32_t c = field->order[k], t = receiver(field, c);
        if (!is_fixed(field, t))
            field->cost[t].low = lesser(field->cost[t].low, field->cost[c].low);
    }
}

/* ---- Heights ------------------------------------------------------------------------------------------- */

/* Units that a step may rise at most. */
static int64_t rise_most(const struct drain_law *law, int32_t ground, uint64_t area, int diagonal)
{
    if (area < law->sources)
        return law->talus[diagonal];
    const int64_t over = ground > law->sea ? ground - law->sea : 0;
    const int64_t steepness = law->steepness + (law->rise * over >> 32);
    int64_t rise = steepness * law->slope[drain_log2(area)] >> 16;
    if (diagonal)
        rise = rise * 181 >> 7;
    return rise < law->talus[diagonal] ? rise : law->talus[diagonal];
}

/* Lowered ground of a cell whose receiver is known. */
static int64_t lowered(struct drain_field *field, int32_t c, int32_t below)
{
    union drain_cost *cost = &field->cost[c];
    if (cost->spill < below)
        cost->spill = below;
    const int64_t depth = (int64_t)cost->spill - cost->low;
    const int64_t filled = depth * field->law->fill >> 8, held = depth - field->law->cut;
    return cost->low + (filled > held ? filled : held);
}

/* Of a lake that begins here: whole parts of what is shallow, so that cells along a stream that all flood have one level. */
static int32_t lake_level(const struct drain_law *law, int64_t z)
{
    const int64_t part = law->shallow / 8 + 1;
    const int64_t over = z - law->sea, rest = over % part;
    return (int32_t)(rest > 0 ? z + part - rest : z - rest);
}

static void raise_one(struct drain_field *field, int32_t c)
{
    const struct drain_law *law = field->law;
    const int32_t t = receiver(field, c);
    const uint8_t at = field->to[t];
    const bool sea = (at & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA;
    const int diagonal = field->to[c] & 1;
    const int64_t base = sea ? law->sea : field->z[t];
    const int32_t below = sea ? law->sea : is_fixed(field, t) ? field->z[t] : field->cost[t].spill;
    if (!sea && field->link[c].area > field->link[t].area)
        field->link[c].area = field->link[t].area;
    const int64_t want = lowered(field, c, below);
    const bool shore = at & TERRANE_DRAIN_LAKE;
    const int64_t least = base + (shore ? 0 : law->fall[diagonal]);
    int64_t most = base + rise_most(law, field->ground[c], field->link[c].area, diagonal);
    const int64_t floor = field->ground[c] - law->incision;
    most = most > floor ? most : floor;
    most = most > least ? most : least;
    const int64_t z = want < least ? least : want > most ? most : want;
    const int32_t base_ground = field->z[c];
    field->cost[c].low = base_ground;
    field->z[c] = (int32_t)z;
    if (z == least &&
        z - base_ground > (shore ? 0 : law->shallow)) { /* a lake's shore is where its water ends */
        field->to[c] |= TERRANE_DRAIN_LAKE;
        field->z[c] = shore ? (int32_t)z : lake_level(law, z);
    } else if (shore && z == base)
        field->z[c] = (int32_t)(base + law->fall[diagonal]);
}

static void raise_all(struct drain_field *field)
{
    for (int k = 0; k < field->ordered; k++) {
        const int32_t c = field->order[k], t = receiver(field, c);
        raise_one(field, c);
        if (!is_fixed(field, t))
            field->mark[c] |= field->mark[t] & DRAIN_DIRTY;
    }
}

/* ---- Lakes side by side -------------------------------------------------------------------------------- */

/* The lowest lake beside a flooded cell that stands lower than it, as a direction; -1: there is none. */
static int lower_lake(const struct drain_field *field, int32_t c)
{
    int32_t low = field->z[c];
    int way = -1;
    for (int k = 0; k < 8; k++) {
        const int32_t n = c + field->off[k];
        if (field->to[n] & TERRANE_DRAIN_LAKE && field->z[n] < low) {
            low = field->z[n];
            way = k;
        }
    }
    return way;
}

static bool near_dirty(const struct drain_field *field, int32_t c)
{
    uint8_t marks = 0;
    for (int k = 0; k < 8; k++)
        marks |= field->mark[c + field->off[k]];
    return marks & (DRAIN_DIRTY | DRAIN_UNSURE);
}

/* What may choose otherwise in another field: it, what it drains into, and the lakes that it may drain into instead. */
static void doubt(struct drain_field *field, int32_t c)
{
    field->mark[c] |= DRAIN_DIRTY;
    field->mark[receiver(field, c)] |= DRAIN_DIRTY;
    for (int k = 0; k < 8; k++)
        if (field->to[c + field->off[k]] & TERRANE_DRAIN_LAKE)
            field->mark[c + field->off[k]] |= DRAIN_DIRTY;
}

/* Down the trees, then up. */
static void spread(struct drain_field *field)
{
    for (int k = field->ordered - 1; k >= 0; k--) {
        const int32_t c = field->order[k], t = receiver(field, c);
        if (drain_gathers(field, t))
            field->mark[t] |= field->mark[c] & DRAIN_DIRTY;
    }
    for (int k = 0; k < field->ordered; k++) {
        const int32_t c = field->order[k], t = receiver(field, c);
        if (!is_fixed(field, t))
            field->mark[c] |= field->mark[t] & DRAIN_DIRTY;
    }
}

/*
 * Where water would stand beside lower water it runs there: what is lower is not upstream, so nothing circles. Heights are kept
 * until all have chosen; their marks are, too. false: nobody has.
 */
static bool divert(struct drain_field *field)
{
    int8_t *way = (int8_t *)field->d;
    bool any = false;
    for (int32_t c = 0; c < field->cells; c++) {
        way[c] = -1;
        if (!(field->to[c] & TERRANE_DRAIN_LAKE) || field->mark[c] & (DRAIN_FIXED | DRAIN_UNSURE))
            continue;
        way[c] = (int8_t)lower_lake(field, c);
        any |= way[c] >= 0;
        if (near_dirty(field, c))
            way[c] = (int8_t)(way[c] < 0 ? -2 : way[c] | 64);
    }
    for (int32_t c = 0; c < field->cells; c++)
        if (way[c] == -2 || way[c] >= 64)
            doubt(field, c);
    if (!any)
        spread(field);
    for (int32_t c = 0; c < field->cells && any; c++)
        if (way[c] >= 0)
            field->to[c] = (uint8_t)(way[c] & 7);
    return any;
}

/* The order from roots up again, and what heights are made from. */
static void start_again(struct drain_field *field)
{
    uint8_t *inflows = (uint8_t *)field->d;
    const int count = field->ordered;
    memset(inflows, 0, (size_t)field->cells);
    for (int32_t c = 0; c < field->cells; c++) {
        if (!has_grown(field, c))
            continue;
        const int32_t t = receiver(field, c);
        field->to[c] &= TERRANE_DRAIN_WAY;
        field->z[c] = field->cost[c].low;
        if (!is_fixed(field, t))
            inflows[t]++;
    }
    int32_t leaf = -1; /* the first of a list: runoff is counted again */
    for (int32_t c = field->cells - 1; c >= 0; c--)
        if (inflows[c] == 0 && has_grown(field, c)) {
            field->link[c].next = leaf;
            leaf = c;
        }
    for (int put = count; leaf >= 0;) {
        const int32_t c = leaf, t = receiver(field, c);
        leaf = field->link[c].next;
        field->order[--put] = c;
        if (!is_fixed(field, t) && field->to[t] != TERRANE_DRAIN_NONE && --inflows[t] == 0) {
            field->link[t].next = leaf;
            leaf = t;
        }
    }
}

int drain_settle(struct drain_field *field, const struct terrane_memory *memory)
{
    for (int round = 0;; round++) {
        const int error = spring(field, memory);
        if (error != 0)
            return error;
        gather(field);
        find_low(field);
        raise_all(field);
        if (round == DRAIN_DIVERSIONS || !divert(field))
            return 0;
        start_again(field);
    }
}
