/*
 * Windows that are asked for one after the other along rows. Halos are most of a field, so those that are to come in a row are
 * drained in one field with the one that is asked, and remembered until they are asked, too. What a window shows is the same in every
 * field that is sure of it, so nothing shows but the time.
 */
#include <string.h>

#include "../base/min_max.h"
#include "../base/window.h"
#include "../term/memo.h"
#include "drain.h"

enum { AHEAD = 3 }; /* windows, at most */

static bool is_as_large(const struct terrane_window *a, const struct terrane_window *b)
{
    return a->width == b->width && a->height == b->height;
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

/* How many more come in the row: as many as in the row before; in the first one, and behind that, half as many as have come. */
static int ahead_of(const struct memo_sweep *sweep)
{
    const bool known = sweep->again && sweep->window.gi <= sweep->end;
    const int64_t left = known ? (sweep->end - sweep->window.gi) / sweep->stride : sweep->steps / 2;
    return (int)min_int64(left, AHEAD);
}

/* Notes that a window is asked for. */
static void sweep_note(const struct terrane_world *world, struct memo_sweep *sweep,
                       const struct terrane_window *window)
{
    const int64_t step = window->gi - sweep->window.gi, down = window->gj - sweep->window.gj;
    const bool known = memo_is_of(sweep->seed, &sweep->recipe, world) && is_as_large(&sweep->window, window);
    if (known && down == 0 && step == 0) /* memory was short */
        return;
    if (known && down == 0 && step > 0 && step <= window->width &&
        (sweep->stride == 0 || step == sweep->stride)) {
        sweep->stride = step;
        sweep->steps++;
    } else if (known && down > 0 && down <= window->height && sweep->stride > 0 &&
               window->gi == sweep->first) {
        sweep->end = sweep->window.gi;
        sweep->again = true;
        sweep->steps = 0;
    } else
        *sweep =
            (struct memo_sweep){.seed = world->seed, .recipe = world->recipe->digest, .first = window->gi};
    sweep->window = *window;
    sweep->ahead = sweep->stride > 0 ? ahead_of(sweep) : 0;
}

const struct memo_sweep *drain_sweep(const struct terrane_world *world, const struct terrane_memory *memory,
                                     const struct terrane_window *window)
{
    const struct memo_sweep *sweep = memory->memo ? &memory->memo->sweep[window->level] : NULL;
    const bool is = sweep && memo_is_of(sweep->seed, &sweep->recipe, world) &&
                    is_as_large(&sweep->window, window) && sweep->window.gi == window->gi &&
                    sweep->window.gj == window->gj;
    return is ? sweep : NULL;
}

/* ---- What is kept -------------------------------------------------------------------------------------- */

/* The place of what a lattice has ahead: its own, or the one that was filled first. */
static struct memo_ahead *place_of(struct terrane_memo *memo, const struct terrane_world *world, int level)
{
    struct memo_ahead *oldest = &memo->ahead[0];
    for (struct memo_ahead *ahead = memo->ahead; ahead < memo->ahead + MEMO_AHEADS; ahead++) {
        if (ahead->window.level == level && memo_is_of(ahead->seed, &ahead->recipe, world))
            return ahead;
        if (memo->now - ahead->since > memo->now - oldest->since)
            oldest = ahead;
    }
    return oldest;
}

/* How many windows behind a sweep's last one a field is sure of. */
static int sure_ahead(const struct drain_field *field, const struct memo_sweep *sweep)
{
    const struct terrane_window asked = window_grown(&field->window, -field->halo);
    struct terrane_window next = sweep->window, all = next;
    for (int k = 0; k < sweep->ahead; k++) {
        next.gi += sweep->stride;
        all.width = next.width + (int)(k * sweep->stride);
        if (samples_of(&all) > MEMO_AHEAD_CELLS || !window_covers(&asked, &next) ||
            !drain_is_sure(field, &next))
            return k;
    }
    return sweep->ahead;
}

void drain_keep_ahead(struct drain_field *field, const struct terrane_window *window,
                      const struct terrane_memory *memory)
{
    const struct memo_sweep *sweep = drain_sweep(field->world, memory, window);
    const int count = sweep ? sure_ahead(field, sweep) : 0;
    if (count == 0)
        return;
    struct memo_ahead *const ahead = place_of(memory->memo, field->world, window->level);
    ahead->seed = field->world->seed;
    ahead->recipe = field->world->recipe->digest;
    ahead->since = ++memory->memo->now;
    ahead->window = *window;
    ahead->window.gi += sweep->stride;
    ahead->window.width += (int)((count - 1) * sweep->stride);
    struct terrane_drained out = {
        .window = ahead->window, .z = ahead->z, .low = ahead->low, .high = ahead->high, .stem = ahead->stem};
    drain_copy_out(field, &ahead->window, &out);
}

static void copy_from(const struct memo_ahead *ahead, struct terrane_drained *out)
{
    const size_t width = (size_t)out->window.width, stride = (size_t)ahead->window.width;
    size_t from =
        (size_t)(out->window.gj - ahead->window.gj) * stride + (size_t)(out->window.gi - ahead->window.gi);
    for (size_t to = 0; to < samples_of(&out->window); to += width, from += stride) {
        memcpy(out->z + to, ahead->z + from, width * sizeof *out->z);
        memcpy(out->low + to, ahead->low + from, width * sizeof *out->low);
        memcpy(out->high + to, ahead->high + from, width * sizeof *out->high);
        memcpy(out->stem + to, ahead->stem + from, width * sizeof *out->stem);
    }
}

bool drain_recall_ahead(const struct terrane_world *world, const struct terrane_memory *memory,
                        struct terrane_drained *out)
{
    struct terrane_memo *const memo = memory->memo;
    if (!memo)
        return false;
    sweep_note(world, &memo->sweep[out->window.level], &out->window);
    const struct memo_ahead *const ahead = place_of(memo, world, out->window.level);
    if (ahead->window.width == 0 || !memo_is_of(ahead->seed, &ahead->recipe, world) ||
        !window_covers(&ahead->window, &out->window))
        return false;
    copy_from(ahead, out);
    return true;
}
