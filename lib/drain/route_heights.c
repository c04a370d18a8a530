/*
 * What follows from the trees: runoff from the leaves down, heights from the receivers up.
 *
 *     z(c) = clamp(lowered ground, z(receiver) + least fall, z(receiver) + steepness(runoff) * length)
 *
 * Lowered: a bar is cut down to the lowest ground behind it, as far as the recipe lets it be cut; the rest is a lake. Slope and
 * runoff then have the concavity of rivers. Below a lattice octaves go both ways: low is the least of 3 x 3 there.
 */
#include <string.h>

#include "../base/min_max.h"
#include "../base/window.h"
#include "drained.h"
#include "tree.h"

/* ---- Low ground ---------------------------------------------------------------------------------------- */

/* The least of 3 x 3, but no dry ground falls under the sea by it. */
static int32_t low_around(const struct drain_field *field, int32_t c)
{
    const int32_t *ground = field->ground + c, sea = field->law->sea;
    if (field->law->finest)
        return *ground;
    int32_t low = *ground, high = low;
    for (int k = 0; k < 8; k++) {
        const int32_t beside = ground[field->off[k]];
        low = min_int(low, beside);
        high = high < beside ? beside : high;
    }
    low -= (high - low) >> 3;
    return *ground >= sea && low < sea ? sea : low;
}

/* ---- Trees --------------------------------------------------------------------------------------------- */

/* The runoff of a cell by itself. log2: of the finest cells in it. */
static inline void begin_runoff(struct drain_field *field, int32_t c, int log2)
{
    field->count[c] = 1;
    field->area[c] = (uint64_t)field->mm[c] << log2;
}

static int log2_of(const struct drain_field *field)
{
    return 2 * (field->law->level - field->law->bottom);
}

/* Every cell by itself. */
static void begin_all(struct drain_field *field)
{
    const bool finest = field->law->finest;
    const int log2 = log2_of(field), width = field->width;
    for (int y = 1; y < field->height - 1; y++) {
        const int32_t first = y * width + 1, end = first + width - 2;
        const int32_t *const ground = field->ground + first,
                             *const rows[3] = {ground - width, ground, ground + width},
                             *const lows = finest ? ground : field->order;
        if (!finest)
            erode_kernels_current()->low_row(end - first, rows, field->law->sea, field->order);
        for (int32_t c = first; c < end; c++) {
            if (!drain_gathers(field, c))
                continue;
            begin_runoff(field, c, log2);
            if (has_grown(field, c)) {
                field->base[c] = field->z[c];
                field->cost[c].low = field->cost[c].spill = lows[c - first];
            }
        }
    }
}

/* What a cell brings to the one it drains into. */
static inline void bring(struct drain_field *field, int32_t c, int32_t t)
{
    if (field->count[c] >= DRAIN_STREAM_CELLS)
        field->to[c] |= TERRANE_DRAIN_STREAM;
    if (!drain_gathers(field, t))
        return;
    const int sum = field->count[t] + field->count[c];
    field->count[t] = (uint8_t)(sum < DRAIN_STREAM_CELLS ? sum : DRAIN_STREAM_CELLS);
    field->mark[t] |= field->mark[c] & DRAIN_DIRTY;
    field->area[t] += field->area[c];
    if (!is_fixed(field, t))
        field->cost[t].low = min_int(field->cost[t].low, field->cost[c].low);
}

/* ... all cells of a tree, from the leaves down. */
static void bring_all(struct drain_field *field, int count)
{
    for (int k = count - 1; k >= 0; k--)
        if (has_grown(field, field->order[k]))
            bring(field, field->order[k], receiver(field, field->order[k]));
}

/* A cell has no more runoff than it is told that its receiver has. */
static inline void bound_runoff(struct drain_field *field, int32_t c, int32_t t)
{
    if (!is_sea(field, t) && field->area[c] > field->area[t]) {
        field->area[c] = field->area[t];
        field->mark[c] |= DRAIN_BOUND;
    }
}

/* ---- Heights ------------------------------------------------------------------------------------------- */

/* Eighths of what a step may rise, by how many cells drain to it: tops are round. */
static int leaf_part(const struct drain_field *field, int32_t c)
{
    static const uint8_t part[2][DRAIN_STREAM_CELLS + 1] = {{8, 3, 5, 6, 8}, {8, 4, 6, 7, 8}};
    return part[field->law->smooth][field->count[c]];
}

/* Units that a step may rise at most where many cells drain over it. */
static int64_t rise_of_channel(const struct drain_law *law, int32_t ground, uint64_t area, int diagonal)
{
    if (area < law->sources)
        return law->talus[diagonal];
    const int64_t over = ground > law->sea ? ground - law->sea : 0;
    /* rise * over >> 32, in two parts: of 2^36 and 2^30 the product is too long */
    const int64_t more = (law->rise * (over >> 16) + (law->rise * (over & 0xFFFF) >> 16)) >> 16;
    int64_t rise;
    if (__builtin_mul_overflow(law->steepness + more, law->slope[drain_log2(area)], &rise))
        return law->talus[diagonal];
    rise >>= 16;
    if (diagonal)
        rise = rise * 181 >> 7;
    return rise < law->talus[diagonal] ? rise : law->talus[diagonal];
}

/* ... of a step from a cell. */
static int64_t rise_max(const struct drain_field *field, int32_t c, int diagonal)
{
    const int64_t rise = rise_of_channel(field->law, field->ground[c], field->area[c], diagonal);
    return rise * leaf_part(field, c) >> 3;
}

/* The same, over a height, of a cell: a lattice cuts no deeper than it may, but beside what is cut it leaves no walls. Where ice was
 * it may: what is held up here would stand as a wall in the troughs of the lattice below, and so would what rises more than their
 * floors do. */
static int64_t height_max(const struct drain_field *field, int32_t c, int64_t base, int diagonal)
{
    const struct drain_law *law = field->law;
    const int64_t rise = rise_max(field, c, diagonal);
    if (law->ice_span == 0) {
        const int64_t floor = field->ground[c] - law->incision, steep = base + law->talus[diagonal];
        const int64_t min = floor < steep ? floor : steep;
        return base + rise > min ? base + rise : min;
    }
    const int64_t flat =
        (int64_t)(law->talus[diagonal] / 2) * (0x10000 - drain_ice(law, field->z[c]) * law->ice[0]) >> 16;
    return base + (law->finest || rise < flat ? rise : flat);
}

/* Ground that is cut down towards what is low behind it, and water that stands up to where it spills. */
static int64_t lowered(const struct drain_law *law, int32_t low, int32_t spill)
{
    const int64_t depth = (int64_t)spill - low, filled = depth * law->fill >> 8, held = depth - law->cut;
    return low + (filled > held ? filled : held);
}

/* Of a lake that begins here: whole parts of what is shallow, so that cells along a stream that all flood have one level. */
static int32_t lake_level(const struct drain_law *law, int64_t z)
{
    const int64_t part = law->shallow / 8 + 1;
    const int64_t over = z - law->sea, rest = over % part;
    return (int32_t)(rest > 0 ? z + part - rest : z - rest);
}

/* The height of a cell whose receiver is known. false: what drains into the cell is in doubt, and the height rests on it. Where the receiver
 * holds the cell up, it does not: nothing that comes down makes low ground higher than the cell's own. */
static bool raise_one(struct drain_field *field, int32_t c)
{
    const struct drain_law *law = field->law;
    const int32_t t = receiver(field, c);
    const uint8_t at = field->to[t];
    const bool sea = (at & TERRANE_DRAIN_WAY) == TERRANE_DRAIN_SEA;
    const int diagonal = field->to[c] & 1;
    const int64_t base = sea ? law->sea : field->z[t];
    const int32_t below = sea ? law->sea : is_fixed(field, t) ? field->z[t] : field->cost[t].spill;
    union drain_cost *const cost = &field->cost[c];
    bound_runoff(field, c, t);
    cost->spill = cost->spill < below ? below : cost->spill;
    const int64_t want = lowered(law, cost->low, cost->spill);
    const bool shore = at & TERRANE_DRAIN_LAKE;
    const int64_t min = base + (shore ? 0 : law->fall[diagonal]);
    const int64_t max = want > min ? height_max(field, c, base, diagonal) : min;
    const int64_t z = max < min ? min : want > max ? max : want > min ? want : min;
    const int32_t base_ground = field->base[c];
    field->z[c] = (int32_t)z;
    if (z == min && !(at & TERRANE_DRAIN_LAKE) && z - field->ground[c] > law->talus[0] / 8)
        field->to[c] |= DRAIN_RAISED;
    if (z == min && z - base_ground > (shore ? 0 : law->flat)) { /* a lake's shore is where its water ends */
        field->to[c] |= TERRANE_DRAIN_LAKE;
        field->z[c] = shore ? (int32_t)z : lake_level(law, z);
    } else if (shore && z == base)
        field->z[c] = (int32_t)(base + law->fall[diagonal]);
    field->z[c] = min_int(field->z[c], law->most);
    return !(field->mark[c] & DRAIN_DIRTY) || lowered(law, low_around(field, c), cost->spill) <= min;
}

/* ---- A tree after the other ---------------------------------------------------------------------------- */

/* ... and whether another field may say otherwise of it. */
static inline void raise_from(struct drain_field *field, int32_t c)
{
    const int32_t t = receiver(field, c);
    const bool known = raise_one(field, c);
    if (!known || (!is_fixed(field, t) && field->mark[t] & (DRAIN_LOOSE | DRAIN_UNSURE)))
        field->mark[c] |= DRAIN_LOOSE;
}

/* Runoff and low ground from the leaves down, heights from the root up, of a tree that is in order. */
static void route_tree(struct drain_field *field, int count)
{
    bring_all(field, count);
    for (int k = 0; k < count; k++)
        if (has_grown(field, field->order[k]))
            raise_from(field, field->order[k]);
}

/* The mark of roots whose trees nobody asks: all that is in these is unsure, or led there by something that is in doubt. */
static uint8_t unasked(const struct drain_field *field)
{
    return field->last ? 0 : DRAIN_UNSURE;
}

static void route_trees(struct drain_field *field)
{
    for (int y = 1; y < field->height - 1; y++)
        for (int32_t c = y * field->width + 1; c < (y + 1) * field->width - 1; c++)
            if (!(field->mark[c] & unasked(field)) && is_root(field, c))
                route_tree(field, climb(field, c));
}

/* ---- Trees that are made again ------------------------------------------------------------------------- */

/*
 * Trees of the coarsest lattice are large. Where water was diverted, runoff and low ground change from there down, on cells that are touched: what drains into these from others is
 * as it was, but where runoff was bounded, which what drains there is, too. Heights change on all of them, and up from
 * there as far as any does.
 */
enum { TOUCHED = DRAIN_AGAIN | DRAIN_ANEW, ANOTHER = TOUCHED | DRAIN_BOUND };

/* The cells of a tree whose runoff is another one, receivers first, into order: how many. All of them are touched now. */
static int climb_touched(struct drain_field *field, int32_t root)
{
    int32_t *const order = field->order;
    int end = 0;
    order[end++] = root;
    for (int k = 0; k < end; k++)
        for (uint64_t rest = donors(field, order[k]); rest; rest &= rest - 1) {
            const int32_t n = order[k] + field->off[donor_way(rest)];
            order[end] = n;
            end += (field->mark[n] & ANOTHER) != 0;
        }
    return end;
}

static void begin_again(struct drain_field *field, int32_t c)
{
    field->mark[c] &= (uint8_t)~DRAIN_BOUND;
    begin_runoff(field, c, log2_of(field));
    if (has_grown(field, c)) {
        field->to[c] &= TERRANE_DRAIN_WAY;
        field->cost[c].low = low_around(field, c);
    }
}

/* All of a tree: the small ones between lines. */
static void route_small_again(struct drain_field *field, int32_t root)
{
    const int count = climb(field, root);
    for (int k = 0; k < count; k++) {
        const int32_t c = field->order[k];
        begin_again(field, c);
        field->cost[c].spill = field->cost[c].low;
        if (has_grown(field, c))
            field->z[c] = field->base[c];
    }
    route_tree(field, count);
}

/* Brings a cell what drains into it and is as it was. */
static void bring_others(struct drain_field *field, int32_t c)
{
    for (uint64_t rest = donors(field, c); rest; rest &= rest - 1) {
        const int32_t n = c + field->off[donor_way(rest)];
        if (!(field->mark[n] & TOUCHED))
            bring(field, n, c);
    }
}

/* A cell's height again. Whether what drains into it is another one by that. */
static bool raise_again(struct drain_field *field, int32_t c)
{
    const uint8_t to = field->to[c], mark = field->mark[c];
    const int32_t z = field->z[c], spill = field->cost[c].spill;
    field->to[c] &= (uint8_t) ~(TERRANE_DRAIN_LAKE | DRAIN_RAISED);
    field->z[c] = field->base[c];
    field->cost[c].spill = low_around(field, c);
    raise_from(field, c);
    return mark & TOUCHED || field->mark[c] != mark || field->z[c] != z || field->cost[c].spill != spill ||
           (field->to[c] ^ to) & TERRANE_DRAIN_LAKE;
}

static void route_tree_again(struct drain_field *field, int32_t root)
{
    const int touched = climb_touched(field, root);
    int32_t *const order = field->order;
    for (int k = 0; k < touched; k++) {
        begin_again(field, order[k]);
        field->mark[order[k]] |= DRAIN_AGAIN;
    }
    for (int k = touched - 1; k >= 0; k--) {
        bring_others(field, order[k]);
        if (has_grown(field, order[k]))
            bring(field, order[k], receiver(field, order[k]));
    }
    for (int k = 0, end = 1; k < end; k++) { /* those whose receiver is another one, from the root up */
        if (has_grown(field, order[k]) && !raise_again(field, order[k]))
            continue;
        for (uint64_t rest = donors(field, order[k]); rest; rest &= rest - 1)
            order[end++] = order[k] + field->off[donor_way(rest)];
    }
}

/* Those that are touched: in what is led into a tree that nobody asks doubt has to spread. */
static void route_again(struct drain_field *field)
{
    for (int y = 1; y < field->height - 1; y++) {
        const int32_t end = (y + 1) * field->width - 1;
        for (int32_t c = y * field->width; (c = next_with(field->mark, c + 1, end, TOUCHED)) < end;)
            if (is_root(field, c))
                (field->law->coarsest ? route_tree_again : route_small_again)(field, c);
    }
    for (int32_t c = 0; c < field->cells; c++)
        field->mark[c] &= (uint8_t)~TOUCHED;
}

/* ---- Lower ground beside ------------------------------------------------------------------------------- */

/* What may choose otherwise in another field: it, and what it drains into, or may. */
static void doubt(struct drain_field *field, int32_t c)
{
    field->mark[c] |= DRAIN_DIRTY | DRAIN_LOOSE;
    for (int k = 0; k < 8; k++) {
        field->mark[c + field->off[k]] |= DRAIN_DIRTY;
        touch(field, c + field->off[k], DRAIN_AGAIN);
    }
}

/* What chooses, as a word: the cell, the way it turns to or KEEPS, and ~ of both if it is in doubt. */
enum { KEEPS = ERODE_NONE_LOWER, WAY_BITS = 4, LOOKS = 64 };
enum { CHOOSES = TERRANE_DRAIN_LAKE | DRAIN_RAISED };
_Static_assert(4 * TERRANE_DRAIN_SIDE_MAX <= 1 << (31 - WAY_BITS) / 2, "with the widest halo, too");

/* Looks beside some cells of a row, of which those that are flooded or raised choose. Another field may say otherwise of what is in doubt. */
static int choose_some(const struct drain_field *field, int32_t first, int32_t end, int32_t *word)
{
    const int32_t *const z = field->z + first, *const zs[3] = {z - field->width, z, z + field->width};
    const uint8_t *const mark = field->mark + first, *const marks[3] = {mark - field->width, mark,
                                                                        mark + field->width};
    uint8_t beside[LOOKS];
    int count = 0;
    erode_kernels_current()->beside_row(end - first, zs, marks, DRAIN_LOOSE | DRAIN_UNSURE, field->to + first,
                                        beside);
    for (int32_t c = first; c < end; c++) {
        const int32_t here = c << WAY_BITS | (beside[c - first] & KEEPS);
        word[count] = beside[c - first] & ERODE_DOUBTFUL || field->mark[c] & DRAIN_LOOSE ? ~here : here;
        count += (field->to[c] & CHOOSES) != 0 && !(field->mark[c] & (DRAIN_FIXED | DRAIN_UNSURE)) &&
                 beside[c - first] != KEEPS;
    }
    return count;
}

/* Cells that drain elsewhere, or in another field may: words into order. */
static int choose(struct drain_field *field)
{
    int count = 0;
    for (int y = 1; y < field->height - 1; y++) {
        const int32_t end = (y + 1) * field->width - 1;
        for (int32_t c = y * field->width + 1; (c = next_with(field->to, c, end, CHOOSES)) < end;) {
            const int32_t next = min_int(c + LOOKS, end);
            count += choose_some(field, c, next, field->order + count);
            c = next;
        }
    }
    return count;
}

/*
 * Where water would stand over lower ground beside it, it runs there, and where ground would have to be raised so, too: what is
 * lower is not upstream, so nothing circles. Heights, lakes and marks are kept until all have chosen. false: nobody has, and no doubt is new.
 */
static bool divert(struct drain_field *field)
{
    const int count = choose(field);
    bool any = false;
    for (int k = 0; k < count; k++) {
        const bool doubtful = field->order[k] < 0;
        const int32_t word = doubtful ? ~field->order[k] : field->order[k];
        touch(field, word >> WAY_BITS, DRAIN_AGAIN);
        any |= doubtful && !(field->mark[word >> WAY_BITS] & DRAIN_LOOSE);
        if (doubtful)
            doubt(field, word >> WAY_BITS);
        field->order[k] = word;
    }
    for (int k = 0; k < count; k++) {
        const int32_t c = field->order[k] >> WAY_BITS;
        const int way = field->order[k] & KEEPS;
        if (way != KEEPS)
            field->to[c] = (uint8_t)((field->to[c] & ~TERRANE_DRAIN_WAY) | way);
        any |= way != KEEPS;
    }
    for (int k = 0; k < count; k++)
        touch(field, field->order[k] >> WAY_BITS, DRAIN_ANEW);
    return any;
}

/* ---- Runoff of ways that relaxed heights have turned ---------------------------------------------------- */

static void gather_again(struct drain_field *field)
{
    for (int y = 1; y < field->height - 1; y++) {
        const int32_t end = (y + 1) * field->width - 1;
        for (int32_t c = y * field->width; (c = next_with(field->mark, c + 1, end, TOUCHED)) < end;) {
            if (field->mark[c] & unasked(field) || !is_root(field, c))
                continue;
            const int count = climb(field, c);
            for (int k = 0; k < count; k++) {
                begin_runoff(field, field->order[k], log2_of(field));
                if (has_grown(field, field->order[k]))
                    field->to[field->order[k]] &= (uint8_t)~TERRANE_DRAIN_STREAM;
            }
            bring_all(field, count);
            for (int k = 0; k < count; k++)
                if (has_grown(field, field->order[k]))
                    bound_runoff(field, field->order[k], receiver(field, field->order[k]));
        }
    }
}

int drain_route_heights(struct drain_field *field, const struct terrane_memory *memory)
{
    const int error = drain_spring(field, memory);
    if (error != 0)
        return error;
    begin_all(field);
    route_trees(field);
    for (int round = 0; round < DRAIN_DIVERSIONS; round++) {
        const bool any = divert(field);
        route_again(field);
        if (!any)
            break;
    }
    drain_relax(field);
    gather_again(field);
    if (field->law->rounds > 0) {
        drain_doubt_around(field, DRAIN_DIRTY, field->law->rounds + 2); /* runoff says what a hillside is */
        drain_round(field);
    }
    return 0;
}
