/*
 * Relaxation in its parallel form, in integers.
 *
 * All constraints look at the heights before an iteration. What they would move (patch_relax.c) is averaged, not summed, and
 * cut to whole units, and goes from sample to sample: the sum of heights stays to the last bit, whatever the order. Gradients
 * and slopes across are the kernels' (relax.h); roughness and positions are here.
 *
 * What cuts to nothing does not move, so limits are reached within a threshold of 32 units over a sample's spacing or more.
 */
#include "patch.h"
#include "relax.h"

#include <string.h>

_Static_assert((int)PATCH_BLOCK == (int)RELAX_BLOCK, "patch_stride makes the kernels' rows");

/* Of what gives a sample its roughness an iteration moves so much: 9 samples around each may ask for it. With twice as much
 * what never ends goes round for a million iterations before it comes back; so it does within thousands. */
#define ROUGH_SHARE 0.0625

struct position {
    uint32_t at;
    int32_t height;
};

struct relaxing {
    const struct terrane_patch *patch;
    const struct terrane_limits *limits;
    const struct terrane_relax *relax;
    struct relax_field field;
    uint8_t *holds; /* field.holds */
    int32_t *moved; /* by roughness: as the field, 0 between iterations */
    uint32_t *rough;
    struct position *position;
    size_t held, roughs, positions;
    double per_slope; /* units over a sample of slope 1 */
};

static size_t padded_at(const struct relax_field *field, int x, int y)
{
    return (size_t)(y + 1) * (size_t)field->stride + RELAX_BLOCK + (size_t)x;
}

/* ---- Start --------------------------------------------------------------------------------------------- */

static void *take(unsigned char **memory, size_t bytes)
{
    void *part = *memory;
    *memory += (bytes + 63) / 64 * 64;
    return part;
}

/* Returns where the copy that sees cycles is. */
static int32_t *lay_out(struct relaxing *r, float *limit[6], unsigned char *memory)
{
    struct relax_field *f = &r->field;
    const size_t padded = patch_padded(r->patch), samples = patch_samples(r->patch);
    f->side = r->patch->side;
    f->stride = patch_stride(r->patch);
    f->blocks = f->stride / RELAX_BLOCK - 2;
    const size_t row_bytes = (size_t)f->stride * sizeof(int32_t);
    const size_t holds_bytes = (size_t)f->side * (size_t)f->blocks;
    f->height = take(&memory, padded * sizeof(int32_t));
    r->moved = take(&memory, padded * sizeof(int32_t));
    for (int k = 0; k < 6; k++)
        limit[k] = take(&memory, padded * sizeof(float));
    f->moved = take(&memory, row_bytes * RELAX_RING * RELAX_DIRECTIONS);
    const size_t stirred_bytes = (size_t)(f->side + 2) * (size_t)(f->blocks + 2);
    f->stirred = take(&memory, stirred_bytes);
    f->over = take(&memory, padded * sizeof(int32_t));
    f->count = take(&memory, padded * sizeof(int32_t));
    r->holds = take(&memory, holds_bytes);
    memset(f->height, 0, padded * sizeof(int32_t));
    memset(r->moved, 0, padded * sizeof(int32_t));
    memset(f->moved, 0, row_bytes * RELAX_RING * RELAX_DIRECTIONS);
    memset(f->stirred, 0, stirred_bytes);
    memset(f->over, 0, padded * sizeof(int32_t));
    memset(f->count, 0, padded * sizeof(int32_t));
    memset(r->holds, 0, holds_bytes);
    f->holds = r->holds;
    f->gradient = limit[0];
    f->gradient_moves2 = limit[1];
    f->across = limit[2];
    f->across_moves = limit[3];
    f->across_x = limit[4];
    f->across_y = limit[5];
    r->rough = take(&memory, samples * sizeof *r->rough);
    r->position = take(&memory, samples * sizeof *r->position);
    return take(&memory, padded * sizeof(int32_t));
}

/*
 * The limit in units and the length that moves, which is below the limit and its threshold by more than rounding: what does
 * not move is kept within the threshold. false: no sample is held, or to nothing that differences below 2^31 could pass.
 */
static bool length_of(const struct relaxing *r, const float *limits, size_t at, float *limit, float *moves)
{
    if (!patch_holds(limits, at))
        return false;
    const double length = limits[at] * r->per_slope;
    if (!(length < 0x1p40))
        return false;
    const double threshold = r->relax->slope_threshold * r->per_slope;
    *limit = (float)length;
    *moves = (float)((length + threshold * 0.9375) * (1 - 0x1p-20));
    return *moves < 0x1p60f;
}

static void hold(struct relaxing *r, float *const limit[6], int x, int y)
{
    const size_t from = (size_t)y * (size_t)r->patch->side + (size_t)x, at = padded_at(&r->field, x, y);
    const struct terrane_limits *limits = r->limits;
    uint8_t *held = &r->holds[y * r->field.blocks + x / RELAX_BLOCK];
    float length, moves;
    bool any = false;
    if (length_of(r, limits->gradient, from, &length, &moves)) {
        limit[0][at] = length;
        limit[1][at] = moves * moves;
        *held |= RELAX_GRADIENT;
        any = true;
    }
    if (length_of(r, limits->across, from, &length, &moves)) {
        limit[2][at] = length;
        limit[3][at] = moves;
        limit[4][at] = limits->across_x[from];
        limit[5][at] = limits->across_y[from];
        *held |= RELAX_ACROSS;
        any = true;
    }
    if (patch_holds(limits->roughness, from)) {
        r->rough[r->roughs++] = (uint32_t)from;
        any = true;
    }
    r->held += any;
}

/* false: a position is out of range. */
static bool fill(struct relaxing *r, float *const limit[6], const int32_t *heights)
{
    static const float none[6] = {0x1p62f, 0x1p124f, 0x1p62f, 0x1p62f, 0, 0};
    for (int k = 0; k < 6; k++)
        for (size_t i = 0; i < patch_padded(r->patch); i++)
            limit[k][i] = none[k];
    const int side = r->patch->side;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const size_t from = (size_t)y * (size_t)side + (size_t)x, at = padded_at(&r->field, x, y);
            r->field.height[at] = heights[from];
            hold(r, limit, x, y);
            if (!patch_holds_position(r->limits->position, from))
                continue;
            const double v = r->limits->position[from] / r->patch->unit;
            if (!(v >= -TERRANE_PATCH_HEIGHT_MAX && v <= TERRANE_PATCH_HEIGHT_MAX))
                return false;
            r->position[r->positions++] =
                (struct position){(uint32_t)at, (int32_t)(v < 0 ? v - 0.5 : v + 0.5)};
        }
    return true;
}

/* ---- Roughness and positions --------------------------------------------------------------------------- */

/* Asks for what gives a sample its roughness, ROUGH_SHARE of it, at most 2^24 units from each neighbour. Returns whether it is
 * off. */
static bool ask_roughness(const struct relaxing *r, uint32_t from)
{
    const int side = r->patch->side, x = (int)from % side, y = (int)from / side, stride = r->field.stride;
    const size_t at = padded_at(&r->field, x, y);
    const int32_t *const h = &r->field.height[at];
    const int x0 = x > 0 ? -1 : 0, x1 = x < side - 1 ? 1 : 0;
    const int y0 = y > 0 ? -1 : 0, y1 = y < side - 1 ? 1 : 0;
    double sum = 0, squares = 0;
    for (int dy = y0; dy <= y1; dy++)
        for (int dx = x0; dx <= x1; dx++) {
            const double rise = h[dy * stride + dx] - h[0];
            sum += rise;
            squares += dx != 0 && dy != 0 ? rise * rise * 0.5 : rise * rise;
        }
    const double roughness = __builtin_sqrt(squares), aim = r->limits->roughness[from] * r->per_slope;
    const double threshold = r->relax->roughness_threshold * r->per_slope * (1 - 0x1p-30);
    const double off = roughness - aim;
    if (!(off > threshold || off < -threshold) || squares == 0)
        return false;
    const double more = aim / roughness - 1, back = more * sum / ((x1 - x0 + 1) * (y1 - y0 + 1));
    int32_t *const moved = &r->moved[at];
    for (int dy = y0; dy <= y1; dy++)
        for (int dx = x0; dx <= x1; dx++) {
            const double move = (more * (h[dy * stride + dx] - h[0]) - back) * ROUGH_SHARE;
            const double max = move < 0x1p24 ? move : 0x1p24;
            const int32_t units = dx != 0 || dy != 0 ? (int32_t)(max > -0x1p24 ? max : -0x1p24) : 0;
            moved[dy * stride + dx] += units;
            moved[0] -= units;
        }
    return true;
}

static bool in_range(const struct relaxing *r)
{
    for (size_t i = 0; i < patch_padded(r->patch); i++)
        if (r->field.height[i] > RELAX_HEIGHT || r->field.height[i] < -RELAX_HEIGHT)
            return false;
    return true;
}

/* Returns whether a height changed. */
static bool set_positions(const struct relaxing *r)
{
    bool changed = false;
    for (size_t i = 0; i < r->positions; i++) {
        int32_t *height = &r->field.height[r->position[i].at];
        changed |= *height != r->position[i].height;
        *height = r->position[i].height;
    }
    return changed;
}

/* ---- Iterations ---------------------------------------------------------------------------------------- */

/* Returns how many constraints were not kept; -1: heights left their range, which is twice what they come in with. Only
 * roughness may drive them there, by nine times 2^24 units an iteration. */
static int64_t sweep(const struct relaxing *r, const struct relax_kernels *kernels)
{
    int64_t rough = 0;
    for (size_t i = 0; i < r->roughs; i++)
        rough += ask_roughness(r, r->rough[i]);
    const int64_t over = kernels->sweep(&r->field);
    for (size_t i = 0; rough > 0 && i < patch_padded(r->patch); i++) {
        r->field.height[i] += r->moved[i];
        r->moved[i] = 0;
    }
    return over < 0 || (rough > 0 && !in_range(r)) ? -1 : over + rough;
}

/* Of the instruction set that libterrane's own kernels have. */
static const struct relax_kernels *relax_kernels(void)
{
    static const struct relax_kernels *const all[] = {
#if defined(__x86_64__)
        &relax_kernels_avx512,
        &relax_kernels_avx2,
        &relax_kernels_sse2,
#elif defined(__aarch64__)
        &relax_kernels_neon,
#elif defined(__wasm_simd128__)
        &relax_kernels_simd128,
#endif
        &relax_kernels_scalar
    };
    const struct relax_kernels *const *found = all;
    while (*found != &relax_kernels_scalar && strcmp((*found)->name, terrane_isa()) != 0)
        found++;
    return *found;
}

static int iterate(const struct relaxing *r, struct patch_cycle *cycle, enum terrane_relaxed *how,
                   int64_t *iterations)
{
    const struct relax_kernels *kernels = relax_kernels();
    const int64_t every = patch_progress_every(r->held);
    for (int64_t n = 0;; n++) {
        *iterations = n;
        *how = TERRANE_RELAXED_MAX;
        if (n >= r->relax->iterations_max)
            return 0;
        const int64_t over = sweep(r, kernels);
        if (over < 0)
            return TERRANE_EPATCH;
        const bool set = set_positions(r);
        *how = TERRANE_RELAXED_ALL;
        if (over == 0 && !set)
            return 0;
        *iterations = n + 1;
        *how = TERRANE_RELAXED_CYCLE;
        if (patch_cycle_seen(cycle, r->field.height, n + 1))
            return 0;
        *how = TERRANE_RELAXED_STOPPED;
        if (r->relax->progress && (n + 1) % every == 0 && !r->relax->progress(r->relax->context, n + 1, over))
            return 0;
    }
}

int terrane_patch_relax_integer(const struct terrane_patch *patch, const struct terrane_limits *limits,
                                const struct terrane_relax *relax, void *memory, int32_t *heights,
                                struct terrane_relax_report *report)
{
    if (!patch_valid(patch) || !patch_limits_valid(patch, limits, relax))
        return TERRANE_EPATCH;
    for (size_t i = 0; i < patch_samples(patch); i++)
        if (heights[i] < -TERRANE_PATCH_HEIGHT_MAX || heights[i] > TERRANE_PATCH_HEIGHT_MAX)
            return TERRANE_EPATCH;
    struct relaxing r = {.patch = patch, .limits = limits, .relax = relax};
    r.per_slope = patch->spacing / patch->unit;
    float *limit[6];
    int32_t *copy = lay_out(&r, limit, memory);
    if (!fill(&r, limit, heights))
        return TERRANE_EPATCH;

    struct patch_cycle cycle;
    patch_cycle_start(&cycle, copy, r.field.height, patch_padded(patch));
    enum terrane_relaxed how;
    int64_t iterations = 0;
    const int e = iterate(&r, &cycle, &how, &iterations);
    if (e != 0)
        return e;
    double *lengths = (double *)(void *)limit[0]; /* limits are done with: room for six floats a sample */
    for (int y = 0; y < patch->side; y++)
        for (int x = 0; x < patch->side; x++) {
            const size_t to = (size_t)y * (size_t)patch->side + (size_t)x;
            heights[to] = r.field.height[padded_at(&r.field, x, y)];
            lengths[to] = heights[to] * patch->unit;
        }
    patch_report(patch, limits, relax, lengths, iterations, how, report);
    return 0;
}
