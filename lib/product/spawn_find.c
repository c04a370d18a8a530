/*
 * A look from far away, and a walk from there.
 *
 *     the view of 32 x 16 samples with the most relief, land and sea, of 128 x 128 around the origin, at the first of a few levels
 *     that has one ──► in its middle, or else anywhere in it, the lowest land that is dry and gentle ──► there, at finer and
 *     finer levels, likewise; at last gentle ground that no water gathers on
 *
 * Base ground costs milliseconds where the finished one costs seconds. Rivers and erosion take the more away the higher
 * ground stands over where its water goes: most low land stays as it was, within metres.
 */
#include "../base/lend.h"
#include "../term/scratch.h"
#include "../terrane_make.h"

enum {
    LOOK = 128, /* samples along a side of what is looked at from far away */
    VIEW_WIDTH = 32,
    VIEW_HEIGHT = 16,
    VIEW_STEP = 4,
    VIEW_MAX = 13,
    VIEW_LEVELS = 5,  /* below a view's level is that of which it is four tiles wide */
    FLATTEST = 16384, /* a view with land is worth it where heights spread over so little of its width */
    WALK = 65,        /* ... and on foot: more than REACH and a STRIDE's uncertainty on every side */
    REACH = 6,
    STRIDE = 3, /* levels */
    NEAR = 5    /* below this level the ground's slope counts alone */
};

/* Heights over the sea as whole numbers of a metre's sixteenth, within +-2^22: sums of squares of a view stay below 2^53. */
typedef int32_t altitude;
enum { METRE = 16, UNFIT = -(1 << 30), DEEPEST = -200 * METRE, DRY = 8 * METRE };

struct ground {
    const struct terrane_world *world;
    struct terrane_memory memory; /* with a scratch */
    struct terrane_window window;
    float sample[LOOK * LOOK];
    altitude at[LOOK * LOOK];
};

/* A square of samples of a level around a place, in metres of that level. Returns 0 or an error, as those do that call it. */
static int read_ground(struct ground *ground, int level, int side, int64_t gi, int64_t gj)
{
    ground->window = (struct terrane_window){level, gi - side / 2, gj - side / 2, 1, side, side};
    const int error = terrane_heights(ground->world, &ground->window, &ground->memory, ground->sample);
    if (error != 0)
        return error;
    const float max = (float)(1 << 18), sea_m = ground->world->recipe->sea_m;
    for (int k = 0; k < side * side; k++) {
        const float over = ground->sample[k] - sea_m;
        ground->at[k] = (altitude)((over > max ? max : over < -max ? -max : over) * (float)METRE);
    }
    return 0;
}

/* ---- From far away ------------------------------------------------------------------------------------- */

static uint64_t square_root(uint64_t n)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= n)
            root += bit;
    return root;
}

/* How much there is to see: the spread of heights, the more the more land, and the most where land and sea meet. */
static uint64_t look(const struct ground *ground, int x, int y, bool *worth)
{
    const int64_t count = VIEW_WIDTH * VIEW_HEIGHT;
    int64_t land = 0, sum = 0, squares = 0;
    for (int j = y; j < y + VIEW_HEIGHT; j++)
        for (int i = x; i < x + VIEW_WIDTH; i++) {
            const altitude seen = ground->at[j * LOOK + i];
            const int64_t h = seen > DEEPEST ? seen : DEEPEST;
            land += h > 0;
            sum += h;
            squares += h * h;
        }
    const int64_t either = land < count - land ? land : count - land, max = count * 3 / 4;
    const uint64_t relief = square_root((uint64_t)(count * squares - sum * sum)); /* times count */
    const double wide_m = VIEW_WIDTH * terrane_lattice_m(ground->world, ground->window.level, 1);
    *worth = land > 0 && (double)(relief * FLATTEST) >= wide_m * (double)(count * METRE);
    return relief * (uint64_t)(count * 3 / 10 + (land < max ? land : max)) *
           (uint64_t)(count * 5 + 6 * either);
}

/* The best view of a level, of those that are worth it where there are any; its corner in *x, *y. */
static bool find_view(const struct ground *ground, int *x, int *y)
{
    uint64_t best = 0;
    bool found = false;
    for (int j = REACH; j + VIEW_HEIGHT + REACH <= LOOK; j += VIEW_STEP)
        for (int i = REACH; i + VIEW_WIDTH + REACH <= LOOK; i += VIEW_STEP) {
            bool worth;
            const uint64_t score = look(ground, i, j, &worth);
            if (worth < found || (worth == found && score <= best))
                continue;
            best = score;
            found = worth;
            *x = i;
            *y = j;
        }
    return found;
}

/* ---- On foot ------------------------------------------------------------------------------------------- */

/* How good a place is to stand on: gentle ground all around, which gullies do not begin on, and from afar the lowest, which rivers have the least to take from; if it is
 * dry, and sheds its water to three of eight sides at least, near by to five. What is not is worse, the deeper the more. */
static int64_t judge(const struct ground *ground, int i, int j, bool far)
{
    const int side = ground->window.width;
    const altitude here = ground->at[j * side + i];
    int64_t steep = 0;
    int lower = 0;
    for (int d = 0; d < 9; d++) {
        const int dx = (d % 3 - 1) * REACH, dy = (d / 3 - 1) * REACH;
        const altitude seen = ground->at[(j + dy) * side + i + dx];
        const int64_t off = (seen > DEEPEST ? seen : DEEPEST) - here; /* a deep sea makes no coast steep */
        const int64_t far_off = off < 0 ? -off : off;
        steep = far_off > steep ? far_off : steep;
        lower += off < 0;
    }
    return here >= DRY && lower >= (far ? 3 : 5) ? -(far ? here : 0) - 4 * steep : UNFIT + here;
}

/* Goes to the best place of a part of the ground, REACH from its edges at least; in samples of its level. false: it is unfit. */
static bool walk(const struct ground *ground, int x, int y, int width, int rows, bool far, int64_t *gi,
                 int64_t *gj)
{
    int64_t best = INT64_MIN;
    for (int j = y; j < y + rows; j++)
        for (int i = x; i < x + width; i++) {
            const int64_t score = judge(ground, i, j, far);
            if (score <= best)
                continue;
            best = score;
            *gi = ground->window.gi + i;
            *gj = ground->window.gj + j;
        }
    return best > UNFIT / 2;
}

/* Looks from far away; where to walk from in *gi, *gj, at the level of ground->window. */
static int look_around(struct ground *ground, int64_t *gi, int64_t *gj)
{
    static const int from[] = {VIEW_MAX, 15, 16, 10, 7, 4, 1};
    int x = 0, y = 0, error = 0;
    bool found = false;
    for (size_t k = 0; k < sizeof from / sizeof *from && !found && error == 0; k++) {
        error = read_ground(ground, from[k], LOOK, 0, 0);
        found = error == 0 && find_view(ground, &x, &y);
    }
    if (found) {
        *gi = ground->window.gi + x + VIEW_WIDTH / 2;
        *gj = ground->window.gj + y + VIEW_HEIGHT / 2;
        if (!walk(ground, x + VIEW_WIDTH / 4, y + VIEW_HEIGHT / 4, VIEW_WIDTH / 2, VIEW_HEIGHT / 2, true, gi,
                  gj))
            walk(ground, x, y, VIEW_WIDTH, VIEW_HEIGHT, true, gi, gj);
    }
    return error;
}

static int find(struct ground *ground, struct terrane_spawn *spawn)
{
    int64_t gi = 0, gj = 0;
    int error = look_around(ground, &gi, &gj), level = ground->window.level;
    spawn->level = (level < VIEW_MAX ? level : VIEW_MAX) - (level < VIEW_LEVELS ? level : VIEW_LEVELS);
    while (level > 0 && error == 0) {
        const int finer = level > STRIDE ? STRIDE : level;
        level -= finer;
        gi *= 1 << finer;
        gj *= 1 << finer;
        error = read_ground(ground, level, WALK, gi, gj);
        if (error == 0)
            walk(ground, REACH, REACH, WALK - 2 * REACH, WALK - 2 * REACH, level >= NEAR, &gi, &gj);
    }
    if (error == 0)
        error = read_ground(ground, 0, 1, gi, gj);
    if (error != 0)
        return error;
    spawn->x_m = terrane_lattice_m(ground->world, 0, gi);
    spawn->y_m = terrane_lattice_m(ground->world, 0, gj);
    spawn->height_m = (double)ground->sample[0];
    return 0;
}

int terrane_spawn(const struct terrane_world *world, const struct terrane_memory *memory,
                  struct terrane_spawn *spawn)
{
    struct ground *ground = memory_take(memory, sizeof *ground);
    if (!ground)
        return TERRANE_EMEMORY;
    ground->world = world;
    int error = memory_lend(memory, &ground->memory) ? 0 : TERRANE_EMEMORY;
    if (error == 0) {
        error = find(ground, spawn);
        memory_lend_end(memory, &ground->memory);
    }
    memory_give(memory, ground);
    return error;
}
