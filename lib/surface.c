/*
 * Windows into samples: the public calls that make something. A window is cut into chunks of at most
 * KERNEL_WIDTH lattice columns; a chunk is planned once and walked row by row, so that each octave hashes a
 * row of corners once. With a step, whole rows are skipped but a row is still made in full: which of its
 * samples are kept changes none of them.
 */
#include "plan.h"

#include <string.h>

/* The layout of the caller's scratch memory. */
struct scratch {
    struct parts parts;
    _Alignas(TERRANE_SCRATCH_ALIGN) float result[3][KERNEL_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) float share[TERRANE_ZONES_MAX - 1][KERNEL_ROW];
    _Alignas(TERRANE_SCRATCH_ALIGN) int32_t zone[KERNEL_ROW];
    struct fractal_plan base_plan, detail_plan, noise_plan;
    struct steer steer;
    struct octave_store base_store[TERRANE_OCTAVES_MAX], detail_store[TERRANE_OCTAVES_MAX], noise_store[1];
};

/* What a call wants of a window. */
struct want {
    bool base_and_detail, slopes;
    /* Puts row r of the strip, samples of columns first .. first + count - 1, into row of the window. */
    void (*put)(const struct want *want, struct scratch *scratch, const struct terrane_window *window,
                int first, int count, int r, int row);
    float *values;  /* heights, normals or weights */
    uint8_t *index; /* zones */
    int zones;
};

size_t terrane_scratch_bytes(void)
{
    return sizeof(struct scratch);
}

static int window_check(const struct terrane_window *window)
{
    const int64_t limit = INT64_C(1) << 50;
    if (window->level < 0 || window->level > TERRANE_LEVEL_MAX)
        return TERRANE_ELEVEL;
    if (window->gi < -limit || window->gi > limit || window->gj < -limit || window->gj > limit ||
        window->step < 1 || window->step > TERRANE_TILE_SAMPLES || window->width < 1 ||
        window->width > TERRANE_WINDOW_MAX || window->height < 1 || window->height > TERRANE_WINDOW_MAX)
        return TERRANE_EWINDOW;
    return 0;
}

/* Lattice columns under count samples. */
static int lattice_width(const struct terrane_window *window, int count)
{
    return (count - 1) * window->step + 1;
}

/* Rows j .. j + rows - 1 of a fractal. Without octaves it is flat, and the first strip serves all others. */
static void make_part(struct fractal_plan *plan, const struct terrane_window *window, int j, int rows,
                      bool slopes, struct strip *out)
{
    const int64_t gj = window->gj + (int64_t)j * window->step;
    if (plan->octaves > 0 || j == 0)
        kernels_current()->fractal_rows(plan, gj, window->step, rows, slopes, out);
}

static void make_chunk(const struct terrane_world *world, const struct terrane_window *window,
                       const struct want *want, struct scratch *s, int first, int count)
{
    const struct terrane_recipe *recipe = &world->recipe;
    const int64_t gi = window->gi + (int64_t)first * window->step;
    const int width = lattice_width(window, count);

    plan_partition(&s->noise_plan, world, window->level, gi, width, s->noise_store);
    if (want->base_and_detail) {
        plan_fractal(&s->base_plan, world, &recipe->base, recipe->offset_m, window->level, gi, width,
                     s->base_store);
        plan_fractal(&s->detail_plan, world, &recipe->detail, 0, window->level, gi, width, s->detail_store);
    }
    for (int j = 0; j < window->height; j += KERNEL_ROWS) {
        const int rows = window->height - j < KERNEL_ROWS ? window->height - j : KERNEL_ROWS;
        make_part(&s->noise_plan, window, j, rows, want->slopes, &s->parts.noise);
        if (want->base_and_detail) {
            make_part(&s->base_plan, window, j, rows, want->slopes, &s->parts.base);
            make_part(&s->detail_plan, window, j, rows, want->slopes, &s->parts.detail);
        }
        for (int r = 0; r < rows; r++)
            want->put(want, s, window, first, count, r, j + r);
    }
}

static int make_window(const struct terrane_world *world, const struct terrane_window *window,
                       const struct want *want, void *scratch)
{
    const int error = window_check(window);
    if (error)
        return error;
    struct scratch *s = scratch;
    const int most = (KERNEL_WIDTH - 1) / window->step + 1;
    plan_steer(&s->steer, &world->recipe.partition);
    for (int first = 0; first < window->width; first += most)
        make_chunk(world, window, want, s, first,
                   window->width - first < most ? window->width - first : most);
    return 0;
}

static float *sample_at(float *values, const struct terrane_window *window, int column, int row, int channels)
{
    return values + ((size_t)row * (size_t)window->width + (size_t)column) * (size_t)channels;
}

static void put_heights(const struct want *want, struct scratch *s, const struct terrane_window *window,
                        int first, int count, int r, int row)
{
    kernels_current()->height_row(&s->steer, lattice_width(window, count), &s->parts, r, s->result[0]);
    const float *in = s->result[0] + KERNEL_PAD;
    float *out = sample_at(want->values, window, first, row, 1);
    if (window->step == 1)
        memcpy(out, in, (size_t)count * sizeof *out);
    else
        for (int i = 0; i < count; i++)
            out[i] = in[i * window->step];
}

static void put_normals(const struct want *want, struct scratch *s, const struct terrane_window *window,
                        int first, int count, int r, int row)
{
    kernels_current()->normal_row(&s->steer, lattice_width(window, count), &s->parts, r, s->result[0],
                                  s->result[1], s->result[2]);
    float *out = sample_at(want->values, window, first, row, 3);
    for (int i = 0; i < count; i++) {
        const int at = KERNEL_PAD + i * window->step;
        for (int c = 0; c < 3; c++)
            out[3 * i + c] = s->result[c][at];
    }
}

static void put_zones(const struct want *want, struct scratch *s, const struct terrane_window *window,
                      int first, int count, int r, int row)
{
    kernels_current()->zone_row(&s->steer, lattice_width(window, count), &s->parts, r, s->share, s->zone);
    if (want->index) {
        uint8_t *index = want->index + (size_t)row * (size_t)window->width + (size_t)first;
        for (int i = 0; i < count; i++)
            index[i] = (uint8_t)s->zone[KERNEL_PAD + i * window->step];
    }
    if (!want->values)
        return;
    float *out = sample_at(want->values, window, first, row, want->zones);
    for (int i = 0; i < count; i++, out += want->zones) {
        const int at = KERNEL_PAD + i * window->step;
        float share = 1;
        for (int z = 0; z + 1 < want->zones; z++) {
            const float next = s->share[z][at];
            out[z] = share - next;
            share = next;
        }
        out[want->zones - 1] = share;
    }
}

int terrane_heights(const struct terrane_world *world, const struct terrane_window *window, void *scratch,
                    float *out)
{
    const struct want want = {.base_and_detail = true, .put = put_heights, .values = out};
    return make_window(world, window, &want, scratch);
}

int terrane_normals(const struct terrane_world *world, const struct terrane_window *window, void *scratch,
                    float *out)
{
    const struct want want = {.base_and_detail = true, .slopes = true, .put = put_normals, .values = out};
    return make_window(world, window, &want, scratch);
}

int terrane_zones(const struct terrane_world *world, const struct terrane_window *window, void *scratch,
                  uint8_t *index, float *weights)
{
    const struct want want = {
        .put = put_zones, .values = weights, .index = index, .zones = world->recipe.partition.zones};
    return make_window(world, window, &want, scratch);
}
