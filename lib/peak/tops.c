#include "tops.h"

#include "../base/hash.h"
#include "../base/min_max.h"
#include "summit.h"

enum { AROUND = 2 * TOPS_DRIFT + 1 };

bool tops_open(struct tops *tops, const struct terrane_world *world, const struct terrane_memory *memory)
{
    tops->number = memory_take(memory, (size_t)TOPS_SIDE * TOPS_SIDE * sizeof *tops->number);
    if (tops->number && field_open(&tops->field, world, memory, TOPS_SIDE))
        return true;
    memory_give(memory, tops->number);
    return false;
}

void tops_close(struct tops *tops)
{
    memory_give(tops->field.memory, tops->number);
    field_close(&tops->field);
}

/* ---- Cells ------------------------------------------------------------------------------------------------ */

/* Cells of those that are looked at. */
struct box {
    int west, north, east, south; /* the last ones */
};

static struct memo_top *place_of(const struct tops *tops, int64_t cx, int64_t cy)
{
    struct terrane_memo *memo = tops->field.memory ? tops->field.memory->memo : NULL;
    const uint64_t hash = hash_absorb(hash_absorb((uint64_t)tops->level, (uint64_t)cx), (uint64_t)cy);
    return memo ? &memo->top[hash % MEMO_TOPS] : NULL;
}

/* Takes what is remembered of a cell; false: not all kinds are. */
static bool recall(struct tops *tops, int cell, unsigned kinds)
{
    const int64_t cx = tops->west + cell % tops->across, cy = tops->north + cell / tops->across;
    const struct memo_top *kept = place_of(tops, cx, cy);
    struct memo_top *top = &tops->top[cell];
    if (kept && memo_owns(&kept->owner, tops->field.world, tops->level, cx, cy))
        *top = *kept;
    else
        *top = (struct memo_top){.owner = memo_owner(tops->field.world, tops->level, cx, cy)};
    return (top->owner.made & kinds) == kinds;
}

/* The smallest box of all that are not known; false: there are none. */
static bool unknown_of(struct tops *tops, unsigned kinds, struct box *box)
{
    *box = (struct box){tops->across, tops->down, -1, -1};
    for (int cell = 0; cell < tops->across * tops->down; cell++) {
        const int i = cell % tops->across, j = cell / tops->across;
        if (recall(tops, cell, kinds))
            continue;
        *box = (struct box){min_int(box->west, i), min_int(box->north, j), max_int(box->east, i),
                            max_int(box->south, j)};
    }
    return box->east >= 0;
}

static void make_kind(struct tops *tops, const struct box *box, enum terrane_landmark_kind kind)
{
    const int width = tops->field.window.width;
    field_numbers(&tops->field, kind, tops->number);
    for (int j = box->north; j <= box->south; j++)
        for (int i = box->west; i <= box->east; i++) {
            struct memo_top *top = &tops->top[j * tops->across + i];
            const int first = ((j - box->north) * TOPS_CELL + TOPS_REACH) * width +
                              (i - box->west) * TOPS_CELL + TOPS_REACH,
                      at = top_highest(tops->number, width, first);
            if (top_is(&tops->field, tops->number, kind, at, &top->mark[kind]))
                top->is |= 1U << kind;
            else
                top->is &= ~(1U << kind);
            top->owner.made |= 1U << kind;
        }
}

static int make_box(struct tops *tops, const struct box *box, unsigned kinds)
{
    const struct terrane_window window = {.level = tops->level,
                                          .gi = (tops->west + box->west) * TOPS_CELL - TOPS_REACH,
                                          .gj = (tops->north + box->north) * TOPS_CELL - TOPS_REACH,
                                          .step = 1,
                                          .width = (box->east - box->west + 1) * TOPS_CELL + 2 * TOPS_REACH,
                                          .height =
                                              (box->south - box->north + 1) * TOPS_CELL + 2 * TOPS_REACH};
    int reach = 0;
    for (int kind = 0; kind < TERRANE_LANDMARKS; kind++)
        if (kinds >> kind & 1)
            reach = max_int(reach, field_reach((enum terrane_landmark_kind)kind));
    const int error = field_look(&tops->field, &window, reach, kinds >> TERRANE_LANDMARK_TRACT & 1);
    for (int kind = 0; kind < TERRANE_LANDMARKS && error == 0; kind++)
        if (kinds >> kind & 1)
            make_kind(tops, box, (enum terrane_landmark_kind)kind);
    return error;
}

int tops_look(struct tops *tops, int level, unsigned kinds)
{
    struct box box;
    tops->level = level;
    if (!unknown_of(tops, kinds, &box))
        return 0;
    const int error = make_box(tops, &box, kinds);
    for (int j = box.north; j <= box.south && error == 0; j++)
        for (int i = box.west; i <= box.east; i++) {
            struct memo_top *kept = place_of(tops, tops->west + i, tops->north + j);
            if (kept)
                *kept = tops->top[j * tops->across + i];
        }
    return error;
}

bool tops_mark(const struct tops *tops, int cell, enum terrane_landmark_kind kind,
               struct terrane_landmark *mark)
{
    const struct memo_top *top = &tops->top[cell];
    const struct memo_mark *own = &top->mark[kind];
    if (!(top->is >> kind & 1))
        return false;
    *mark = (struct terrane_landmark){.kind = kind,
                                      .level = tops->level,
                                      .cx = top->owner.column,
                                      .cy = top->owner.row,
                                      .gi = top->owner.column * TOPS_CELL + own->column,
                                      .gj = top->owner.row * TOPS_CELL + own->row,
                                      .rise = own->rise,
                                      .zone = own->zone,
                                      .run = {own->run[0], own->run[1]}};
    return true;
}

/* ---- From a level to the next ---------------------------------------------------------------------------- */

/* Which of the samples around a place is the highest: that in the middle, unless another is higher. */
static int find_best(struct tops *tops, int level, const struct terrane_landmark *mark, int *best)
{
    float number[AROUND * AROUND];
    const struct terrane_window window = {.level = level,
                                          .gi = 2 * mark->gi - TOPS_DRIFT,
                                          .gj = 2 * mark->gj - TOPS_DRIFT,
                                          .step = 1,
                                          .width = AROUND,
                                          .height = AROUND};
    const int error = field_look(&tops->field, &window, field_reach(mark->kind), false);
    if (error)
        return error;
    field_numbers(&tops->field, mark->kind, number);
    *best = TOPS_DRIFT * AROUND + TOPS_DRIFT;
    for (int at = 0; at < AROUND * AROUND; at++)
        if (number[at] > number[*best])
            *best = at;
    return 0;
}

int tops_climb(struct tops *tops, int level, struct terrane_landmark *mark)
{
    const struct terrane_world *world = tops->field.world;
    struct terrane_memo *memo = tops->field.memory ? tops->field.memory->memo : NULL;
    const uint64_t hash = hash_absorb(
        hash_absorb(hash_absorb((uint64_t)level, mark->kind), (uint64_t)mark->gi), (uint64_t)mark->gj);
    struct memo_climb *kept = memo ? &memo->climb[hash % MEMO_CLIMBS] : NULL;
    int best, error = 0;
    if (kept && memo_owns(&kept->owner, world, level, mark->gi, mark->gj) &&
        kept->owner.made == 1U << mark->kind) {
        best = kept->best;
    } else {
        error = find_best(tops, level, mark, &best);
        if (error)
            return error;
        if (kept) {
            *kept = (struct memo_climb){memo_owner(world, level, mark->gi, mark->gj), best};
            kept->owner.made = 1U << mark->kind;
        }
    }
    mark->gi = 2 * mark->gi - TOPS_DRIFT + best % AROUND;
    mark->gj = 2 * mark->gj - TOPS_DRIFT + best / AROUND;
    return 0;
}
