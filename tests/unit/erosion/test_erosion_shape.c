/*
 * What comes of erosion: on windows of mountains of the recipe that ships, ground that drains. Less land lies in closed
 * basins, ways down are longer, and slopes fall with the area that drains through them, as they do on real land (Flint 1974:
 * slope ~ area^-theta, theta 0.35 .. 0.55).
 *
 * Basins are found by flooding from the rim and the sea (Barnes, Lehman and Mulla 2014); water flows by steepest descent, over
 * flooded ground to where it spills. Slopes are those of dry ground.
 */
#include "erosion_kit.h"

enum { SIZE = 256, SAMPLES = SIZE * SIZE, WINDOWS = 16 };

/* ---- Flood --------------------------------------------------------------------------------------------- */

/* Samples by height: the lowest first. */
struct heap {
    const float *height;
    int count, item[SAMPLES + 1];
};

static bool heap_below(const struct heap *heap, int a, int b)
{
    const float x = heap->height[heap->item[a]], y = heap->height[heap->item[b]];
    return x < y || (x == y && heap->item[a] < heap->item[b]);
}

static void heap_swap(struct heap *heap, int a, int b)
{
    const int kept = heap->item[a];
    heap->item[a] = heap->item[b];
    heap->item[b] = kept;
}

static void heap_put(struct heap *heap, int sample)
{
    int i = ++heap->count;
    heap->item[i] = sample;
    for (; i > 1 && heap_below(heap, i, i / 2); i /= 2)
        heap_swap(heap, i, i / 2);
}

static int heap_take(struct heap *heap)
{
    const int sample = heap->item[1];
    heap->item[1] = heap->item[heap->count--];
    for (int i = 1, low = 2; low <= heap->count; i = low, low = 2 * i) {
        low += low < heap->count && heap_below(heap, low + 1, low);
        if (!heap_below(heap, low, i))
            break;
        heap_swap(heap, i, low);
    }
    return sample;
}

/* ---- Measures ------------------------------------------------------------------------------------------ */

/* A window's drainage over flooded ground. */
struct drainage {
    const float *heights;
    float sea_m, spacing_m;
    float level[SAMPLES];  /* of water: at least the height */
    int order[SAMPLES];    /* as the flood comes: a sample is behind the one that it drains to */
    int next[SAMPLES];     /* the one that it drains to; itself: nowhere */
    float length[SAMPLES]; /* of the way down to a basin, the rim or the sea, in samples */
    float area[SAMPLES];   /* in samples, its own included */
};

static bool on_rim(int i)
{
    return i % SIZE == 0 || i % SIZE == SIZE - 1 || i / SIZE == 0 || i / SIZE == SIZE - 1;
}

/* Whether water leaves the window here. */
static bool ends_at(const struct drainage *drainage, int i)
{
    return on_rim(i) || drainage->heights[i] <= drainage->sea_m;
}

/* Under water by more than a tenth of the spacing: lesser dents end no river. */
static bool in_basin(const struct drainage *drainage, int i)
{
    return drainage->level[i] - drainage->heights[i] > 0.1f * drainage->spacing_m;
}

static float way(int i, int next)
{
    return abs(next - i) == 1 || abs(next - i) == SIZE ? 1 : 1.41421356f;
}

static void flood(struct drainage *drainage)
{
    static struct heap heap;
    int count = 0;
    heap.height = drainage->level;
    heap.count = 0;
    for (int i = 0; i < SAMPLES; i++) {
        drainage->next[i] = ends_at(drainage, i) ? i : -1;
        drainage->level[i] = drainage->heights[i];
        if (drainage->next[i] == i)
            heap_put(&heap, i);
    }
    while (heap.count > 0) {
        const int i = heap_take(&heap);
        drainage->order[count++] = i;
        for (int k = 0; k < 9; k++) {
            const int x = i % SIZE + k % 3 - 1, y = i / SIZE + k / 3 - 1, to = y * SIZE + x;
            if (x < 0 || x >= SIZE || y < 0 || y >= SIZE || drainage->next[to] >= 0)
                continue;
            drainage->next[to] = i;
            drainage->level[to] = fmaxf(drainage->level[to], drainage->level[i]);
            heap_put(&heap, to);
        }
    }
    assert_int_equal(count, SAMPLES);
}

/* Dry samples drain to where it is steepest. That one is lower, so it comes before them in the order, too. */
static void drain_steepest(struct drainage *drainage, int i)
{
    const float *h = drainage->heights;
    float steepest = 0;
    for (int k = 0; k < 9; k++) {
        const int to = i + (k / 3 - 1) * SIZE + k % 3 - 1;
        const float slope = to == i ? 0 : (h[i] - drainage->level[to]) / way(i, to);
        if (slope > steepest) {
            steepest = slope;
            drainage->next[i] = to;
        }
    }
}

static void drain(struct drainage *drainage, const float *heights, float sea_m, float spacing_m)
{
    drainage->heights = heights;
    drainage->sea_m = sea_m;
    drainage->spacing_m = spacing_m;
    flood(drainage);
    for (int i = 0; i < SAMPLES; i++) {
        drainage->area[i] = 1;
        if (!ends_at(drainage, i) && drainage->level[i] == heights[i])
            drain_steepest(drainage, i);
    }
    for (int n = 0; n < SAMPLES; n++) {
        const int i = drainage->order[n], next = drainage->next[i];
        drainage->length[i] = next == i || in_basin(drainage, i) ? 0 : drainage->length[next] + way(i, next);
    }
    for (int n = SAMPLES - 1; n >= 0; n--) {
        const int i = drainage->order[n], next = drainage->next[i];
        if (next != i)
            drainage->area[next] += drainage->area[i];
    }
}

/* Sums over windows. Slopes by area: bin b holds areas of 2^(b/2) and more. */
enum { BINS = 33 };

struct shape {
    double land, pits, basins,
        length; /* samples; of these lower than all neighbours; in basins; sum of ways */
    double log_slope[BINS], log_area[BINS], count[BINS];
};

static bool is_pit(const float *height, int i)
{
    for (int k = 0; k < 9; k++)
        if (k != 4 && height[i + (k / 3 - 1) * SIZE + k % 3 - 1] <= height[i])
            return false;
    return true;
}

static void shape_add(struct shape *shape, const struct drainage *drainage)
{
    const float *h = drainage->heights;
    for (int i = 0; i < SAMPLES; i++) {
        if (ends_at(drainage, i))
            continue;
        const int next = drainage->next[i];
        shape->land++;
        shape->pits += is_pit(h, i);
        shape->length += (double)drainage->length[i];
        shape->basins += in_basin(drainage, i);
        const float fall = (h[i] - h[next]) / way(i, next);
        if (drainage->level[i] > h[i] || drainage->level[next] > h[next] || !(fall > 0))
            continue;
        const double area = log2((double)drainage->area[i]);
        const int bin = (int)(2 * area);
        shape->log_slope[bin] += log2((double)(fall / drainage->spacing_m));
        shape->log_area[bin] += area;
        shape->count[bin]++;
    }
}

/* Slopes against areas: the line through the bins' means of logarithms, where valleys are (2^3 samples and more) and enough
 * samples, too. */
struct line {
    double theta, r2;
};

static struct line shape_line(const struct shape *shape)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (int b = 6; b < BINS; b++) {
        if (shape->count[b] < 300)
            continue;
        const double u = shape->log_area[b] / shape->count[b], v = shape->log_slope[b] / shape->count[b];
        n++;
        x += u;
        y += v;
        xx += u * u;
        xy += u * v;
        yy += v * v;
    }
    const double sxx = xx - x * x / n, sxy = xy - x * y / n, syy = yy - y * y / n;
    return (struct line){-sxy / sxx, sxy * sxy / (sxx * syy)};
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

/* Land alone, that rises by a fortieth of the window's width or more. */
static bool mountains(const struct terrane_world *world, int level, int64_t gi, int64_t gj)
{
    const struct terrane_window coarse = {
        .level = level, .gi = gi, .gj = gj, .step = 15, .width = 18, .height = 18};
    float heights[18 * 18], low, high;
    assert_int_equal(terrane_heights(world, &coarse, scratch, heights), 0);
    terrane_height_range(heights, 18 * 18, &low, &high);
    return low > world->recipe->sea_m && (double)(high - low) > terrane_lattice_m(world, level, SIZE) / 40;
}

/* The shape of a window of mountains, base and eroded, into the sums. */
static void measure_window(const struct terrane_world *world, const struct terrane_window *window,
                           struct shape shape[2])
{
    static struct drainage drainage;
    const float spacing_m = (float)terrane_lattice_m(world, window->level, 1);
    float *heights = layer_new(world, LAYER_HEIGHTS, window, scratch);
    drain(&drainage, heights, world->recipe->sea_m, spacing_m);
    shape_add(&shape[0], &drainage);
    struct terrane_eroded product = eroded_new(world, NULL, window);
    assert_int_equal(terrane_eroded_heights(world->recipe, &product, window, heights), 0);
    drain(&drainage, heights, world->recipe->sea_m, spacing_m);
    shape_add(&shape[1], &drainage);
    product_free(&product);
    free(heights);
}

static void measure(const struct terrane_recipe *recipe, int level, int windows, struct shape shape[2])
{
    struct terrane_world world;
    struct dice dice = {1000 + (uint64_t)level};
    memset(shape, 0, 2 * sizeof *shape);
    terrane_world_init(&world, recipe, 7);
    for (int tries = 0, found = 0; found < windows; tries++) {
        const int64_t gi = dice_whole(&dice, -200000, 200000), gj = dice_whole(&dice, -200000, 200000);
        assert_true(tries < 20000);
        if (!mountains(&world, level, gi, gj))
            continue;
        measure_window(&world,
                       &(struct terrane_window){
                           .level = level, .gi = gi, .gj = gj, .step = 1, .width = SIZE, .height = SIZE},
                       shape);
        found++;
    }
}

/* ---- Tests --------------------------------------------------------------------------------------------- */

/* Base and eroded, as one line each. */
static void say(int level, const char *what, const struct shape *shape, struct line line)
{
    print_message("level %d, %s: %.3f %% of land pits, %.2f %% in basins, ways of %.1f samples, theta %.2f "
                  "(R^2 %.2f)\n",
                  level, what, 100 * shape->pits / shape->land, 100 * shape->basins / shape->land,
                  shape->length / shape->land, line.theta, line.r2);
}

static void expect_drained(int level)
{
    static struct terrane_recipe recipe;
    struct shape shape[2];
    terrane_recipe_default(&recipe);
    assert_true(recipe.erosion.levels > level);
    measure(&recipe, level, WINDOWS, shape);
    const struct line base = shape_line(&shape[0]), eroded = shape_line(&shape[1]);
    say(level, "base", &shape[0], base);
    say(level, "eroded", &shape[1], eroded);
    const double basins = shape[1].basins / shape[1].land / (shape[0].basins / shape[0].land);
    const double ways = shape[1].length / shape[1].land / (shape[0].length / shape[0].land);
    assert_true(shape[1].pits < 0.9 * shape[0].pits);
    assert_true(basins < 0.75);
    assert_true(ways > 1.25);
    assert_true(eroded.theta > base.theta + 0.08 && eroded.theta < 0.7);
    assert_true(eroded.r2 > 0.7);
}

static void mountains_drain_at_8_m_a_sample(void **state)
{
    (void)state;
    expect_drained(3);
}

static void mountains_drain_at_64_m_a_sample(void **state)
{
    (void)state;
    expect_drained(6);
}

/* What is measured, measured of ground that is known: a slope with a square basin in it. */
static void measures_measure(void **state)
{
    static float heights[SAMPLES];
    static struct drainage drainage;
    struct shape shape = {0};
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        const int x = i % SIZE, y = i / SIZE;
        const bool basin = x >= 100 && x < 120 && y >= 100 && y < 120;
        heights[i] = 1000 - 2 * (float)y - (basin ? 100 : 0);
    }
    drain(&drainage, heights, -1, 8);
    shape_add(&shape, &drainage);
    const double land = (SIZE - 2) * (SIZE - 2), rows = SIZE - 1; /* ways go south, to the rim */
    assert_true(shape.land == land);
    assert_true(shape.basins == 400);
    assert_true(drainage.area[(SIZE - 1) * SIZE + 5] == SIZE - 1);
    assert_true(drainage.area[(SIZE - 1) * SIZE + 99] > 20 * 100 + 400); /* it spills in its corner */
    assert_true(drainage.length[1 * SIZE + 5] == (float)(rows - 1));
    assert_true(drainage.length[50 * SIZE + 105] == 50); /* down into the basin */
    assert_true(drainage.level[110 * SIZE + 110] == 1000 - 2 * 120);
}

UNIT(erosion_shape)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_measure),
        cmocka_unit_test(mountains_drain_at_8_m_a_sample),
        cmocka_unit_test(mountains_drain_at_64_m_a_sample),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
