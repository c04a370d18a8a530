/*
 * The way of a drop: from cell to cell of the finest lattice, as drained windows are handed in.
 *
 * What is visited is a function of cells alone, whichever windows come and where they end. Windows may lie: steps are bounded,
 * and no cell is over the one before it.
 */
#include "drain.h"
#include "river.h"

enum { STEP = 2 /* as lines.c */ };

static void visit_point(struct terrane_walk *walk, struct river_point point,
                        void (*visit)(void *context, const struct terrane_walk *walk,
                                      const struct terrane_river_point *point),
                        void *context)
{
    if (point.z < walk->z)
        walk->z = point.z;
    visit(context, walk, &(struct terrane_river_point){point.x, point.y, walk->z});
}

/* From where the way comes in: the end of the main stream's curve, the middle where it joins. */
static int first_of(const struct terrane_drained *drained, size_t at, ptrdiff_t before, uint64_t min)
{
    const ptrdiff_t main = river_main(drained, at, min);
    if (main < 0)
        return 0;
    if (main != before)
        return RIVER_PIECES / 2;
    return terrane_drained_cell(drained, (size_t)before).to & TERRANE_DRAIN_LAKE ? 0 : STEP;
}

static void visit_cell(const struct terrane_world *world, const struct terrane_drained *drained, size_t at,
                       uint64_t min, struct terrane_walk *walk,
                       void (*visit)(void *context, const struct terrane_walk *walk,
                                     const struct terrane_river_point *point),
                       void *context)
{
    struct river_point curve[RIVER_PIECES + 1];
    const ptrdiff_t before =
        walk->came < 0 ? -1
                       : (ptrdiff_t)at - drain_dy[walk->came] * drained->window.width - drain_dx[walk->came];
    walk->river = river_line_of(world, drained, at, min, before, walk->river);
    if (!walk->river) {
        visit_point(walk, river_point_of(world, drained, at), visit, context);
        return;
    }
    river_curve(world, drained, at, min, curve);
    for (int t = first_of(drained, at, before, min); t <= RIVER_PIECES; t += STEP)
        visit_point(walk, curve[t], visit, context);
}

int terrane_walk(const struct terrane_world *world, const struct terrane_drained *drained,
                 struct terrane_walk *walk,
                 void (*visit)(void *context, const struct terrane_walk *walk,
                               const struct terrane_river_point *point),
                 void *context)
{
    const struct terrane_window *window = &drained->window;
    const uint64_t min = river_shown_min(world->recipe, window->level);
    if (!river_covered(world, drained, walk->gi, walk->gj))
        return TERRANE_EWINDOW;
    if (walk->steps == 0)
        *walk = (struct terrane_walk){
            .gi = walk->gi, .gj = walk->gj, .came = -1, .z = INT32_MAX, .floor = INT32_MAX};
    while (walk->end == TERRANE_RIVER_JOINS && river_covered(world, drained, walk->gi, walk->gj)) {
        const size_t at =
            (size_t)(walk->gj - window->gj) * (size_t)window->width + (size_t)(walk->gi - window->gi);
        const int way = terrane_drained_cell(drained, at).to & TERRANE_DRAIN_WAY;
        if (way > TERRANE_DRAIN_INLAND || walk->steps == TERRANE_WALK_MAX ||
            (way != TERRANE_DRAIN_SEA && drained->z[at] > walk->floor))
            return TERRANE_EWINDOW;
        visit_cell(world, drained, at, min, walk, visit, context);
        walk->floor = drained->z[at];
        walk->steps++;
        if (way >= TERRANE_DRAIN_SEA) {
            walk->end = way == TERRANE_DRAIN_SEA ? TERRANE_RIVER_SEA : TERRANE_RIVER_LAKE;
            break;
        }
        walk->came = way;
        walk->gi += drain_dx[way];
        walk->gj += drain_dy[way];
    }
    return 0;
}
