/*
 * Windows that are asked for one after the other along rows. Halos are most of a field, so those that are to come in a row are
 * drained in one field with the one that is asked, and kept (kept.c) until they are asked, too.
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
    const int64_t room = (MEMO_KEPT_COLUMNS * MEMO_SQUARE - sweep->window.width) / sweep->stride;
    return (int)max_int64(min_int64(min_int64(left, AHEAD), room), 0);
}

void drain_sweep_note(const struct terrane_world *world, const struct terrane_memory *memory,
                      const struct terrane_window *window)
{
    struct memo_sweep *const sweep = memory->memo ? &memory->memo->sweep[window->level] : NULL;
    if (!sweep)
        return;
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
