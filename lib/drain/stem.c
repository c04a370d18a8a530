/*
 * Stems: a river from its source down to where it joins a greater one, the sea or an inland lake.
 *
 * A stem is named by its source: the cell that is come to from any of its cells up the neighbours that bring the most. What drains to a cell lies
 * in every field that is sure of the cell, so its source does, too, where its mouth need not. Lines that a lattice traces are of the stem they
 * are of above; what grows between them has its sources here.
 *
 * A cell carries its stem as a word: where the source lies from the cell, both in cells of the source's lattice.
 */
#include "../base/hash.h"
#include "drained.h"
#include "tree.h"

enum { FAR_BITS = 13, FAR = 1 << (FAR_BITS - 1), LEVEL_SHIFT = 2 * FAR_BITS };
_Static_assert(TERRANE_LEVEL_MAX < 1 << (32 - LEVEL_SHIFT) && TERRANE_WINDOW_MAX <= FAR + 1,
               "bits; no source is farther than a field is wide");

static uint32_t pack(int level, int64_t dx, int64_t dy)
{
    if (dx < -FAR || dx >= FAR || dy < -FAR || dy >= FAR)
        return 0;
    return (uint32_t)level << LEVEL_SHIFT | (uint32_t)(dy + FAR) << FAR_BITS | (uint32_t)(dx + FAR);
}

static int level_of(uint32_t word)
{
    return (int)(word >> LEVEL_SHIFT);
}

static int64_t dx_of(uint32_t word)
{
    return (int64_t)(word & (2 * FAR - 1)) - FAR;
}

static int64_t dy_of(uint32_t word)
{
    return (int64_t)(word >> FAR_BITS & (2 * FAR - 1)) - FAR;
}

/* The cell of a coarser lattice whose block holds a cell, along an axis. */
static int64_t over(const struct terrane_rivers *rivers, int64_t g, int level, int coarser)
{
    for (int shift; level < coarser && (shift = drain_shift(rivers, level)) > 0; level += shift)
        g = (g + (INT64_C(1) << (shift - 1))) >> shift;
    return g;
}

/* ---- Making -------------------------------------------------------------------------------------------- */

/* The neighbour that brings a cell the most; of equals the first. -1: none does. */
static int32_t main_donor(const struct drain_field *field, int32_t c)
{
    int32_t best = -1;
    int first = 0;
    for (uint64_t rest = donors(field, c); rest; rest &= rest - 1) {
        const int k = donor_way(rest);
        const int32_t n = c + field->off[k];
        const uint64_t area = field->area[n], most = best < 0 ? 0 : field->area[best];
        if (best < 0 || area > most || (area == most && k < first)) {
            best = n;
            first = k;
        }
    }
    return best;
}

/* Of a cell up whose main donors nobody has gone, and below it ~ of such a donor: what is known of sources, a cell each. */
enum { UNKNOWN = INT32_MIN };

void drain_stems_start(struct drain_field *field)
{
    for (int32_t c = 0; c < field->cells; c++)
        field->order[c] = UNKNOWN;
}

/* The source that a cell's main donors lead to; all cells on the way up are told it, too. */
static int32_t source_of(struct drain_field *field, int32_t c)
{
    int32_t *const source = field->order, at = c;
    while (source[at] == UNKNOWN) {
        const int32_t next = main_donor(field, at);
        source[at] = next < 0 ? at : ~next;
        at = next < 0 ? at : next;
    }
    const int32_t found = source[at];
    for (at = c; source[at] < 0;) {
        const int32_t next = ~source[at];
        source[at] = found;
        at = next;
    }
    return found;
}

uint32_t drain_stem(struct drain_field *field, int32_t c)
{
    const struct drain_law *law = field->law;
    if (!drain_gathers(field, c))
        return is_sea(field, c) ? 0 : field->stem[c];
    const bool traced = field->to[c] & TERRANE_DRAIN_STREAM && (law->level - law->bottom) % 2 == 0;
    if (!traced && !(law->level == law->bottom && field->area[c] >= law->sources))
        return 0; /* no finer level has it */
    const int32_t source = source_of(field, c);
    return pack(law->level, source % field->width - c % field->width,
                source / field->width - c / field->width);
}

uint32_t drain_stem_beside(const struct terrane_rivers *rivers, uint32_t word, int level, int64_t gi,
                           int64_t gj, int k)
{
    const int at = level_of(word);
    if (word == 0)
        return 0;
    return pack(at, dx_of(word) + over(rivers, gi + drain_dx[k], level, at) - over(rivers, gi, level, at),
                dy_of(word) + over(rivers, gj + drain_dy[k], level, at) - over(rivers, gj, level, at));
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

bool terrane_stem_fits(const struct terrane_recipe *recipe, const struct terrane_drained *drained, size_t at)
{
    const int level = level_of(drained->stem[at]);
    return drained->stem[at] == 0 || (level >= drained->window.level && level <= recipe->rivers.top);
}

bool terrane_drained_stem(const struct terrane_recipe *recipe, const struct terrane_drained *drained,
                          size_t at, struct terrane_stem *stem)
{
    const struct terrane_window *window = &drained->window;
    const uint32_t word = drained->stem[at];
    const int64_t gi = window->gi + (int64_t)(at % (size_t)window->width),
                  gj = window->gj + (int64_t)(at / (size_t)window->width);
    *stem = (struct terrane_stem){.level = level_of(word)};
    if (word == 0)
        return false;
    stem->gi = over(&recipe->rivers, gi, window->level, stem->level) + dx_of(word);
    stem->gj = over(&recipe->rivers, gj, window->level, stem->level) + dy_of(word);
    return true;
}

uint64_t drain_stem_id(const struct terrane_world *world, const struct terrane_stem *stem)
{
    const uint64_t key = hash_absorb(world->ids, UINT64_C(0x5374656D)); /* "Stem" */
    return hash_absorb(hash_absorb(hash_absorb(key, (uint64_t)stem->level), (uint64_t)stem->gi),
                       (uint64_t)stem->gj);
}
