/*
 * Lattices, from the coarsest down to the one that is asked, and how wide a field has to be.
 */
#include <string.h>

#include "../base/min_max.h"
#include "../base/window.h"
#include "../erosion/erosion.h"
#include "../term/memo.h"
#include "../term/scratch.h"
#include "drain.h"
#include "drained.h"

/*
 * The halos that are tried, in cells; the last one is right whatever the world is, as far as nothing is diverted (route_heights.c): with
 * costs up to D no way that has grown is longer than R = D / DRAIN_COST_MIN steps. What a cell has rests on cells that drain to
 * its root: R from there, 2 R from the cell. Each of them is right where no unsure cell is within R. On a finer lattice no cell is
 * farther than 4 * DRAIN_STREAM_CELLS steps from a stream or the sea, and those of drain_wear are unsure; on the coarsest one costs
 * end at the bounds of coarsest.c, and unsure are roots as far from the border as the first growth comes. Walls (relax.c) take what a line
 * and hillsides (hillsides.c) what DRAIN_BESIDE cells around say, and trees anew: as long as R is what is told of these.
 */
static const int halos[] = {64, 80, 96, 112, 128, 144, 160, 176, 256, 560},
                 top_halos[] = {96, 128, 192, 256, 352, 640};
enum {
    TRIES = sizeof halos / sizeof *halos,
    TOP_TRIES = sizeof top_halos / sizeof *top_halos,
    TOP_SPAN =
        84, /* tenths of costs to what is inland, for each cell of the first halo that is worth a try, up to ... */
    TOP_FIRST = 3,
    REACH = 4 * DRAIN_STREAM_CELLS * DRAIN_COST_MAX / DRAIN_COST_MIN,
    TOP_REACH = (DRAIN_TOP_FAR + DRAIN_TOP_END) / DRAIN_COST_MIN
};
_Static_assert(3 * REACH + 8 + DRAIN_WEAR + 2 * DRAIN_CUT + 3 + DRAIN_BESIDE + 2 * REACH <= 560,
               "the last halo");
_Static_assert(3 * TOP_REACH + DRAIN_TOP_FAR / DRAIN_COST_MIN + 2 + DRAIN_BESIDE <= 640,
               "the coarsest lattice's last halo");

/* ---- Levels -------------------------------------------------------------------------------------------- */

static bool is_lattice(const struct terrane_rivers *rivers, int level)
{
    return rivers->top > 0 && level >= rivers->bottom && level <= rivers->top;
}

int drain_shift(const struct terrane_rivers *rivers, int level)
{
    return level == rivers->top ? 0 : (level - rivers->bottom) % 2 != 0 ? 1 : 2;
}

/* The first halo that is worth a try: each makes all ground again. Where blocks are wider it is, too: two of them are unsure along a border. */
static int first_try(const struct terrane_recipe *recipe, int level)
{
    const int shift = drain_shift(&recipe->rivers, level);
    int try = 0;
    if (shift != 0)
        return shift - 1;
    while (try < TOP_FIRST && top_halos[try] * TOP_SPAN < 10 * drain_far(recipe, level))
        try++;
    return try;
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

static int64_t floor_to(int64_t g, int64_t size, int64_t offset)
{
    const int64_t at = g - offset;
    const int64_t rest = at % size;
    return g - (rest < 0 ? rest + size : rest);
}

struct terrane_window drain_field_window(const struct terrane_rivers *rivers,
                                         const struct terrane_window *window, int halo)
{
    const int shift = drain_shift(rivers, window->level);
    const int64_t size = shift ? INT64_C(1) << shift : DRAIN_TOP_BLOCK, offset = shift ? -(size / 2) : 0;
    struct terrane_window grown = window_grown(window, halo);
    const int64_t west = floor_to(grown.gi, size, offset), north = floor_to(grown.gj, size, offset);
    const int64_t east = floor_to(grown.gi + grown.width - 1, size, offset) + size;
    const int64_t south = floor_to(grown.gj + grown.height - 1, size, offset) + size;
    grown.gi = west;
    grown.gj = north;
    grown.width = (int)(east - west);
    grown.height = (int)(south - north);
    return grown;
}

/* What a field reads of the lattice above: the cells of its blocks, and one around. */
static struct terrane_window above_window(const struct terrane_window *field, int shift)
{
    const int64_t half = INT64_C(1) << (shift - 1);
    return (struct terrane_window){
        .level = field->level + shift,
        .gi = ((field->gi + half) >> shift) - 1,
        .gj = ((field->gj + half) >> shift) - 1,
        .step = 1,
        .width = (field->width >> shift) + 2,
        .height = (field->height >> shift) + 2,
    };
}

bool terrane_drain_needs(const struct terrane_recipe *recipe, const struct terrane_window *window,
                         struct terrane_window *needed)
{
    const int shift =
        is_lattice(&recipe->rivers, window->level) ? drain_shift(&recipe->rivers, window->level) : 0;
    if (shift == 0)
        return false;
    /* nearly always enough, by shift; under sand water goes a longer way */
    static const int halo[2][2] = {{96, 144}, {112, 176}};
    const struct terrane_window field =
        drain_field_window(&recipe->rivers, window, halo[recipe->rivers.sand > 0][shift - 1]);
    *needed = above_window(&field, shift);
    return true;
}

/* ---- Fields -------------------------------------------------------------------------------------------- */

void drain_field_take(struct drain_field *field, struct room *room)
{
    const size_t cells = samples_of(&field->window);
    field->width = field->window.width;
    field->height = field->window.height;
    field->cells = (int)cells;
    for (int k = 0; k < 8; k++)
        field->off[k] = drain_dy[k] * field->width + drain_dx[k];
    field->ground = room_take(room, cells * sizeof *field->ground);
    field->z = room_take(room, cells * sizeof *field->z);
    field->area = room_take(room, cells * sizeof *field->area);
    field->stem = room_take(room, cells * sizeof *field->stem);
    field->cost = room_take(room, cells * sizeof *field->cost);
    field->d = room_take(room, cells * sizeof *field->d);
    field->order = room_take(room, (cells + DRAIN_QUEUE_MORE) * sizeof *field->order);
    field->to = room_take(room, cells);
    field->mark = room_take(room, cells);
    field->count = room_take(room, cells);
    field->grain = room_take(room, 3 * (size_t)field->width);
}

int drain_field_start(struct drain_field *field, const struct terrane_memory *memory)
{
    const int error = drain_ground(field, memory);
    if (error)
        return error;
    memset(field->to, TERRANE_DRAIN_NONE, (size_t)field->cells);
    memset(field->mark, 0, (size_t)field->cells);
    memcpy(field->z, field->ground, (size_t)field->cells * sizeof *field->z);
    return 0;
}

/* ---- One try ------------------------------------------------------------------------------------------- */

/* What a field says of a window that out has, too. */
static void copy_out(struct drain_field *field, const struct terrane_window *window,
                     struct terrane_drained *out)
{
    const int x0 = (int)(window->gi - field->window.gi), y0 = (int)(window->gj - field->window.gj);
    const size_t first = (size_t)(window->gj - out->window.gj) * (size_t)out->window.width +
                         (size_t)(window->gi - out->window.gi);
    for (int y = 0; y < window->height; y++)
        for (int x = 0; x < window->width; x++)
            drain_cell_out(field, (y0 + y) * field->width + x0 + x, out,
                           first + (size_t)y * (size_t)out->window.width + (size_t)x);
}

static int drain_window(const struct terrane_world *world, const struct terrane_drained *from,
                        const struct terrane_memory *memory, struct terrane_drained *out);

/* The lattice above, made here: its arrays are one block from z on, the caller's whatever comes back. */
static int make_above(const struct terrane_world *world, const struct terrane_window *window,
                      const struct terrane_memory *memory, struct terrane_drained *above)
{
    const size_t cells = samples_of(window);
    above->z = memory_take(memory, 4 * cells * sizeof *above->z);
    if (!above->z)
        return TERRANE_EMEMORY;
    above->low = (uint32_t *)above->z + cells;
    above->high = above->low + cells;
    above->stem = above->high + cells;
    above->window = *window;
    return drain_window(world, NULL, memory, above);
}

/* A window under way, and what it is drained with. */
struct draining {
    const struct terrane_world *world;
    const struct drain_law *law;
    const struct terrane_memory *memory;
    struct terrane_drained *out;
    struct drain_above above;    /* given, or made: */
    struct terrane_drained made; /* here, since what was given has too little */
    struct drain_parts unsure;   /* for the next halo */
};

static int halo_of(int shift, int try)
{
    const int last = (shift ? TRIES : TOP_TRIES) - 1;
    return (shift ? halos : top_halos)[min_int(max_int(try, 0), last)];
}

/* Drains a part of the window in its field, and lists what that cannot say, up to so many parts in all; keeps what is to be asked
 * behind it, if any. */
static int drain_try(struct draining *of, struct drain_field *field, const struct terrane_window *part,
                     const struct terrane_window *ahead, int next, int max)
{
    struct room room = {NULL, 0};
    drain_field_take(field, &room);
    const size_t before = room.taken;
    if (of->above.shift)
        room.taken += drain_trace_bytes(&field->window, of->above.shift);
    void *block = memory_take(of->memory, room.taken);
    if (!block)
        return TERRANE_EMEMORY;
    room = (struct room){block, 0};
    drain_field_take(field, &room);
    int error = drain_field_start(field, of->memory);
    if (error == 0 && of->above.shift) {
        drain_trace(field, &of->above, (unsigned char *)block + before);
        drain_wear(field, 2 << of->above.shift);
        drain_grow(field, UINT16_MAX - 1);
    } else if (error == 0)
        drain_top(field);
    if (error == 0)
        error = drain_route_heights(field, of->memory);
    if (error == 0) {
        if (!field->last)
            drain_list_unsure(field, part, next, max, &of->unsure);
        drain_stems_start(field);
        copy_out(field, part, of->out);
        if (ahead->width > 0)
            drain_keep_sure(field, ahead, of->memory);
    }
    memory_give(of->memory, block);
    return error;
}

/* ---- Open sea ------------------------------------------------------------------------------------------ */

/* Whether the blocks of a window's cells are sea in the lattice above, and those around, from which lines could come. */
static bool is_sea_above(const struct terrane_drained *from, const struct terrane_window *around)
{
    for (int j = 0; j < around->height; j++) {
        const size_t row = (size_t)(around->gj - from->window.gj + j) * (size_t)from->window.width +
                           (size_t)(around->gi - from->window.gi);
        for (int i = 0; i < around->width; i++)
            if ((terrane_drained_cell(from, row + (size_t)i).to & TERRANE_DRAIN_WAY) != TERRANE_DRAIN_SEA)
                return false;
    }
    return true;
}

/* Drains a window that is all sea, where no field around it is needed: its ground is. *sea: it is such a window. */
static int drain_sea(const struct terrane_world *world, const struct drain_law *law,
                     const struct terrane_drained *from, int shift, const struct terrane_memory *memory,
                     struct terrane_drained *out, bool *sea)
{
    const struct terrane_window blocks = drain_field_window(&world->recipe->rivers, &out->window, 0),
                                around = above_window(&blocks, shift);
    const size_t cells = samples_of(&out->window);
    if (!window_covers(&from->window, &around) || !is_sea_above(from, &around))
        return 0;
    float *heights = memory_take(memory, cells * sizeof *heights);
    const int error = heights ? terrane_heights(world, &out->window, memory, heights) : TERRANE_EMEMORY;
    if (error == 0) {
        erode_kernels_current()->units_row((int)cells, heights,
                                           (float)(1 / terrane_erosion_unit_m(world->recipe)), out->z);
        *sea = true;
        for (size_t k = 0; k < cells; k++) {
            *sea = *sea && out->z[k] < law->sea;
            out->low[k] = 0;
            out->high[k] = (uint32_t)TERRANE_DRAIN_SEA << 24;
            out->stem[k] = 0;
        }
    }
    memory_give(memory, heights);
    return error;
}

/* ---- Halos that serve ---------------------------------------------------------------------------------- */

/*
 * Neighbours are alike: where parts that take wider halos cost more than a first field that is as wide would, the next windows begin with
 * that; after so many that had enough, with the one before it. A memo's doubts are cells of parts, in hundredths of the first field.
 */
enum { TRY_MAX = 7, TOP_TRY_MAX = 3, TRY_AGAIN = 8, TRY_WIDER = 15, TRY_DOUBTS = 50 };

/* Whether what a field reads of the lattice above is there. */
static bool is_over(const struct terrane_drained *from, const struct terrane_window *field, int shift)
{
    const struct terrane_window needed = above_window(field, shift);
    return from && window_covers(&from->window, &needed);
}

/* A lattice that is new begins as the one above it does. */
static int halo_above(const struct terrane_world *world, const struct terrane_memo *memo, int level)
{
    const int shift = drain_shift(&world->recipe->rivers, level), top = world->recipe->rivers.top;
    const struct memo_tries *above = shift && level + shift < top ? &memo->tries[level + shift] : NULL;
    return above && memo_is_of(above->seed, &above->recipe, world) ? above->halo : 0;
}

/* NULL: nothing is remembered. */
static struct memo_tries *tries_of(const struct terrane_world *world, const struct terrane_memory *memory,
                                   int level)
{
    struct memo_tries *tries = memory->memo ? &memory->memo->tries[level] : NULL;
    if (tries && !memo_is_of(tries->seed, &tries->recipe, world))
        *tries = (struct memo_tries){.seed = world->seed,
                                     .recipe = world->recipe->digest,
                                     .halo = halo_above(world, memory->memo, level)};
    return tries;
}

/* The halo that a window begins with. No lattice above is made for it. */
static int begin_with(const struct terrane_world *world, const struct terrane_drained *from,
                      const struct terrane_memory *memory, const struct terrane_window *window)
{
    const struct terrane_rivers *rivers = &world->recipe->rivers;
    const struct memo_tries *tries = tries_of(world, memory, window->level);
    const int min = first_try(world->recipe, window->level), shift = drain_shift(rivers, window->level);
    int halo = max_int(tries ? tries->halo : 0, min);
    for (; shift && from && halo > min; halo--) {
        const struct terrane_window field = drain_field_window(rivers, window, halo_of(shift, halo));
        if (is_over(from, &field, shift))
            break;
    }
    return halo;
}

/* The halo that would have been better to begin with, and the cells of parts behind the first one, in hundredths of its field. */
static void remember(const struct terrane_world *world, const struct terrane_memory *memory, int level,
                     int better, int more)
{
    struct memo_tries *tries = tries_of(world, memory, level);
    const int max = drain_shift(&world->recipe->rivers, level) ? TRY_MAX : TOP_TRY_MAX;
    if (!tries)
        return;
    tries->since = more == 0 ? tries->since + 1 : 0;
    tries->doubts = max_int(tries->doubts + more - TRY_WIDER, 0);
    if (tries->doubts > TRY_DOUBTS)
        *tries =
            (struct memo_tries){tries->seed, tries->recipe, max_int(tries->halo, min_int(better, max)), 0, 0};
    else if (tries->since == TRY_AGAIN && tries->halo > first_try(world->recipe, level))
        *tries = (struct memo_tries){tries->seed, tries->recipe, tries->halo - 1, 0, TRY_DOUBTS / 2};
}

/* ---- A window ------------------------------------------------------------------------------------------ */

/* Whether no lattice above has to be made for a field: there is none, or it is given, or kept. */
static bool has_above(const struct draining *of, const struct terrane_window *field)
{
    const int shift = of->above.shift;
    if (!shift || is_over(of->above.from, field, shift))
        return true;
    const struct terrane_window needed = above_window(field, shift);
    return drain_is_kept(of->world, of->memory, &needed);
}

/* How many windows that are to come the field of a part takes in. */
static int count_ahead(const struct draining *of, const struct terrane_window *part, int halo)
{
    const struct terrane_window *const whole = &of->out->window;
    const struct memo_sweep *sweep = drain_sweep(of->world, of->memory, whole);
    if (!sweep || part->gi + part->width < whole->gi + whole->width)
        return 0;
    for (int count = sweep->ahead; count > 0; count--) {
        struct terrane_window all = *part;
        all.width += (int)(count * sweep->stride);
        const struct terrane_window field = drain_field_window(&of->world->recipe->rivers, &all, halo);
        if (window_valid(&field) && samples_of(&field) <= DRAIN_AHEAD_CELLS && has_above(of, &field))
            return count;
    }
    return 0;
}

/* Drains a part with a halo; with the first one, also what is to come behind it, whose lattice above may be kept. */
static int drain_part(struct draining *of, const struct terrane_window *part, int try, bool first, int max)
{
    const struct drain_above given = of->above;
    const int halo = halo_of(given.shift, try), count = first ? count_ahead(of, part, halo) : 0;
    struct terrane_window all = *part, ahead = *part;
    ahead.gi += part->width;
    ahead.width = count > 0 ? (int)(count * of->memory->memo->sweep[part->level].stride) : 0;
    all.width += ahead.width;
    struct drain_field field = {
        .world = of->world,
        .law = of->law,
        .last = try == (given.shift ? TRIES : TOP_TRIES) - 1,
        .halo = halo,
        .window = drain_field_window(&of->world->recipe->rivers, &all, halo),
    };
    struct terrane_drained kept = {.z = NULL};
    int error = window_valid(&field.window) ? 0 : TERRANE_EWINDOW;
    if (error == 0 && count > 0 && given.shift && !is_over(given.from, &field.window, given.shift)) {
        const struct terrane_window needed = above_window(&field.window, given.shift);
        error = make_above(of->world, &needed, of->memory, &kept);
        of->above.from = &kept;
    }
    if (error == 0)
        error = drain_try(of, &field, part, &ahead, halo_of(given.shift, try + 1), max);
    of->above = given;
    memory_give(of->memory, kept.z);
    return error;
}

/* Makes the lattice above for all parts together where what is there has too little for one of them; and some more, for wider halos. */
static int cover_parts(struct draining *of, const struct drain_parts *parts, int halo)
{
    enum { MORE = 32 }; /* cells, two halos further */
    const struct terrane_rivers *rivers = &of->world->recipe->rivers;
    const int shift = of->above.shift;
    bool covered = true;
    for (int k = 0; k < parts->count && shift > 0 && covered; k++) {
        const struct terrane_window field = drain_field_window(rivers, &parts->part[k], halo);
        covered = is_over(of->above.from, &field, shift);
    }
    if (covered)
        return 0;
    const struct terrane_window box = drain_box_of(parts);
    int error = TERRANE_EWINDOW;
    for (int most = min_int(halo + MORE, halos[TRIES - 1]); most >= halo && error == TERRANE_EWINDOW;
         most -= MORE) {
        const struct terrane_window field = drain_field_window(rivers, &box, most),
                                    needed = above_window(&field, shift);
        memory_give(of->memory, of->made.z);
        of->made.z = NULL;
        if (window_valid(&field))
            error = make_above(of->world, &needed, of->memory, &of->made);
    }
    of->above.from = &of->made;
    return error;
}

/*
 * Drains what of the window is not kept, with ever wider halos what those before were not sure of. The last one has all of it, since
 * what that says counts even where it is not sure: it must not rest on the halo that was first.
 */
static int drain_parts(struct draining *of)
{
    const struct terrane_rivers *rivers = &of->world->recipe->rivers;
    const struct terrane_window *whole = &of->out->window,
                                unknown = drain_recall(of->world, of->memory, of->out);
    if (unknown.width == 0)
        return 0;
    const int shift = of->above.shift, first = begin_with(of->world, of->above.from, of->memory, &unknown);
    const int max = shift ? TRY_MAX : TOP_TRY_MAX, last = (shift ? TRIES : TOP_TRIES) - 1;
    const struct drain_parts all = {.part = {*whole}, .count = 1};
    struct drain_parts parts = {.part = {unknown}, .count = 1};
    size_t more = 0;
    int error = 0, wide = first;
    bool sure = true;
    for (int try = first; parts.count > 0 && error == 0; try++) {
        if (try == last) {
            parts = all;
            sure = false;
        }
        of->unsure.count = 0;
        error = cover_parts(of, &parts, halo_of(shift, try));
        for (int k = 0; k < parts.count && error == 0; k++)
            error = drain_part(of, &parts.part[k], try, try == first, DRAIN_PARTS - (parts.count - 1 - k));
        parts = of->unsure;
        const size_t left = drain_join_parts(rivers, halo_of(shift, try + 1), &parts);
        more += left;
        if (4 * left < 3 * drain_cells_with(rivers, whole, halo_of(shift, try + 1)))
            continue;
        try += try + 2 <= max; /* nearly all of it: the halo behind that */
        wide = try + 1;
    }
    if (error != 0)
        return error;
    remember(of->world, of->memory, whole->level, max_int(first + 1, wide),
             (int)(100 * more / drain_cells_with(rivers, whole, halo_of(shift, first))));
    if (sure && drain_sweep(of->world, of->memory, whole))
        drain_keep(of->world, of->memory, of->out);
    return 0;
}

static int drain_window(const struct terrane_world *world, const struct terrane_drained *from,
                        const struct terrane_memory *memory, struct terrane_drained *out)
{
    struct drain_law law;
    struct draining of = {
        .world = world,
        .law = &law,
        .memory = memory,
        .out = out,
        .above = {.from = from, .shift = drain_shift(&world->recipe->rivers, out->window.level)}};
    bool sea = false;
    drain_law_fill(&law, world, out->window.level);
    int error = 0;
    if (from && of.above.shift > 0)
        error = drain_sea(world, &law, from, of.above.shift, memory, out, &sea);
    if (error == 0 && !sea)
        error = drain_parts(&of);
    memory_give(memory, of.made.z);
    return error;
}

struct terrane_window drain_first_field(const struct terrane_recipe *recipe,
                                        const struct terrane_window *window)
{
    const int shift = drain_shift(&recipe->rivers, window->level);
    return drain_field_window(&recipe->rivers, window, halo_of(shift, first_try(recipe, window->level)));
}

size_t terrane_drain_bytes(const struct terrane_recipe *recipe, const struct terrane_window *window)
{
    const int shift = drain_shift(&recipe->rivers, window->level);
    struct drain_field field = {.window = drain_first_field(recipe, window)};
    struct room room = {NULL, 0};
    drain_field_take(&field, &room);
    return room.taken + (shift ? drain_trace_bytes(&field.window, shift) : 0);
}

int terrane_drain(const struct terrane_world *world, const struct terrane_drained *from,
                  const struct terrane_memory *memory, struct terrane_drained *out)
{
    struct terrane_memory lent;
    int error = is_lattice(&world->recipe->rivers, out->window.level)
                    ? window_check(&out->window, out->window.level)
                    : TERRANE_ELEVEL;
    if (error == 0 &&
        (out->window.width > TERRANE_DRAIN_SIDE_MAX || out->window.height > TERRANE_DRAIN_SIDE_MAX))
        error = TERRANE_EWINDOW;
    if (error)
        return error;
    if (!memory_lend(memory, &lent))
        return TERRANE_EMEMORY;
    drain_sweep_note(world, &lent, &out->window);
    error = drain_window(world, from, &lent, out);
    memory_lend_end(memory, &lent);
    return error;
}
