/*
 * One level of erosion: what steers droplets, where they are born, and what phases and slides do to the ground.
 *
 * Halo. A phase in which droplets live L steps changes a sample by droplets in the cells up to 2 samples away; before
 * a droplet is there it has read samples at most L + 2 from the changed one. So what is right L + 2 further out before a
 * phase is right after it, whatever is read outside: a droplet that has been there cannot come back in time. Droplets
 * end at that border; their marks lie in what is cut off.
 */
#include "erosion.h"

#include <string.h>

#include "../base/hash.h"
#include "../base/min_max.h"

enum {
    NUMBERS = TERRANE_DROPLET_NUMBERS,
    DENSITY = 0, /* numbers of struct terrane_droplets */
    TALUS = 11,
    BLOCK = 4,  /* cells; droplets are drawn a block of BLOCK x BLOCK cells */
    PATCH = 16, /* blocks: droplets run patch by patch, so that the ground they read stays in a near cache */
    LAYER = 11  /* of hashes */
};

/* ---- Law ----------------------------------------------------------------------------------------------- */

/* tan by the quotient of the series of sin and cos to x^9 and x^8, from the half angle: within 10^-6 of it to 89 degrees. */
static float slope_of(float degrees)
{
    const double x = (double)degrees * (3.14159265358979323846 / 360), x2 = x * x;
    const double sine = x * (1 - x2 / 6 * (1 - x2 / 20 * (1 - x2 / 42 * (1 - x2 / 72))));
    const double cosine = 1 - x2 / 2 * (1 - x2 / 12 * (1 - x2 / 30 * (1 - x2 / 56 * (1 - x2 / 90))));
    return (float)(2 * sine * cosine / (cosine * cosine - sine * sine));
}

/* The numbers of a zone; talus as a slope. */
static void zone_numbers(const struct terrane_recipe *recipe, int zone, float number[NUMBERS])
{
    memcpy(number, &recipe->erosion.zone[zone], NUMBERS * sizeof *number);
    number[TALUS] = slope_of(number[TALUS]);
}

static struct terrane_window grid_window(const struct terrane_window *field)
{
    const int64_t gi = field->gi & -(int64_t)ERODE_GRID, gj = field->gj & -(int64_t)ERODE_GRID;
    const int width = (int)((field->gi + field->width - 1 - gi) / ERODE_GRID) + 2;
    const int height = (int)((field->gj + field->height - 1 - gj) / ERODE_GRID) + 2;
    return (struct terrane_window){field->level, gi, gj, ERODE_GRID, width, height};
}

size_t erosion_grid_nodes(const struct terrane_window *field)
{
    const struct terrane_window grid = grid_window(field);
    return (size_t)grid.width * (size_t)grid.height;
}

/* Blends one number over all nodes by the zones' weights, in the order of zones. */
static void grid_number(float *out, const float *weights, size_t nodes, const float *of_zone, int zones)
{
    for (size_t n = 0; n < nodes; n++) {
        float sum = 0;
        for (int z = 0; z < zones; z++)
            sum += weights[n * (size_t)zones + (size_t)z] * of_zone[z];
        out[n] = sum;
    }
}

int erosion_law(struct erosion_level *level, const struct terrane_memory *memory, float *room)
{
    const struct terrane_recipe *recipe = level->world->recipe;
    const int zones = recipe->partition.zones;
    const struct terrane_window grid = grid_window(&level->window);
    const size_t nodes = (size_t)grid.width * (size_t)grid.height;
    float number[TERRANE_ZONES_MAX][NUMBERS], of_zone[TERRANE_ZONES_MAX];
    struct erode_law *law = &level->law;
    *law = (struct erode_law){
        .grid = level->grid,
        .nodes = (int)nodes,
        .grid_width = grid.width,
        .grid_x = (int)(level->window.gi - grid.gi),
        .grid_y = (int)(level->window.gj - grid.gj),
        .steps = recipe->erosion.steps[level->window.level],
        .to_sample = 1 / level->scale.sample,
        .limit = recipe->erosion.limit,
        .sea = level->scale.sea,
    };
    for (int z = 0; z < zones; z++) {
        zone_numbers(recipe, z, number[z]);
        for (int k = 0; k < NUMBERS; k++)
            law->steered |= (uint32_t)(number[z][k] != number[0][k]) << k;
    }
    memcpy(law->number, number[0], sizeof law->number);
    const int error = law->steered ? terrane_zones(level->world, &grid, memory, NULL, room) : 0;
    if (error || !law->steered)
        return error;
    for (int k = 0; k < NUMBERS; k++) {
        for (int z = 0; z < zones; z++)
            of_zone[z] = number[z][k];
        if (law->steered >> k & 1)
            grid_number(level->grid + (size_t)k * nodes, room, nodes, of_zone, zones);
    }
    return 0;
}

/* A number at count samples of the field, (x, y), (x + step, y) ...: between the four nodes around, as droplets take it.
 * step divides ERODE_GRID. x may be below 0 where the grid reaches there. */
static void law_row(const struct erode_law *law, int k, int x, int step, int y, int count, float *out)
{
    if (!(law->steered >> k & 1)) {
        for (int i = 0; i < count; i++)
            out[i] = law->number[k];
        return;
    }
    const int gy = y + law->grid_y;
    const float *row = law->grid + k * law->nodes + gy / ERODE_GRID * law->grid_width;
    const float south = (float)(gy % ERODE_GRID) * (1.0f / ERODE_GRID);
    for (int i = 0; i < count;) { /* one cell of the grid after another */
        const int gx = x + i * step + law->grid_x, left = (ERODE_GRID - gx % ERODE_GRID + step - 1) / step;
        const float *a = row + gx / ERODE_GRID, *c = a + law->grid_width;
        const float east_north = a[1] - a[0], east_south = c[1] - c[0];
        for (const int end = i + left < count ? i + left : count, from = i; i < end; i++) {
            const float east = (float)(gx % ERODE_GRID + (i - from) * step) * (1.0f / ERODE_GRID);
            const float north = a[0] + east * east_north, other = c[0] + east * east_south;
            out[i] = north + south * (other - north);
        }
    }
}

/* ---- Births -------------------------------------------------------------------------------------------- */

/* The births of one phase. */
struct drawing {
    struct erosion_level *level;
    struct erode_bounds bounds;
    uint64_t key;
};

static void run_births(struct drawing *drawing)
{
    struct erosion_level *level = drawing->level;
    level->carried +=
        erode_kernels_current()->droplets_run(&level->field, &drawing->bounds, &level->law, &level->births);
    level->births.count = 0;
}

static void add_birth(struct drawing *drawing, int x, int y, uint32_t place)
{
    struct erode_births *births = &drawing->level->births;
    const struct erode_bounds *bounds = &drawing->bounds;
    x += (int)(place & 3);
    y += (int)(place >> 2 & 3);
    if (x < bounds->x0 || x >= bounds->x1 || y < bounds->y0 || y >= bounds->y1)
        return;
    births->x[births->count] = x;
    births->y[births->count] = y;
    births->u[births->count] = (float)(place >> 4 & 0x3FFF) * 0x1p-14f;
    births->v[births->count] = (float)(place >> 18) * 0x1p-14f;
    if (++births->count == ERODE_BATCH)
        run_births(drawing);
}

/* The droplets of a block whose first cell is (x, y) of the field. */
static void draw_block(struct drawing *drawing, int x, int y, uint32_t hash, int count)
{
    uint64_t draw = (uint64_t)hash;
    for (int k = 0; k < count; k++) {
        draw = hash_mix(draw + drawing->key);
        add_birth(drawing, x, y, (uint32_t)(draw >> 32));
    }
}

/*
 * Blocks bx .. of the world, by .., at most a patch of them. A block has BLOCK^2 times the density at its first sample,
 * a fraction of one by chance. Blocks may stick out of the field by BLOCK - 1 cells, but not out of the grid: that begins
 * at a multiple of ERODE_GRID.
 */
static void draw_patch(struct drawing *drawing, int64_t bx, int64_t by, int64_t bx_end, int64_t by_end)
{
    const struct terrane_window *window = &drawing->level->window;
    const int columns = (int)min_int64(PATCH, bx_end - bx), x = (int)(bx * BLOCK - window->gi);
    uint32_t column[PATCH], hash[PATCH];
    float density[PATCH];
    int count[PATCH];
    hash_columns(drawing->key, bx, 0, columns, column);
    for (int64_t j = by; j < min_int64(by + PATCH, by_end); j++) {
        const struct hash_row row = hash_row(drawing->key, j);
        const int y = (int)(j * BLOCK - window->gj);
        law_row(&drawing->level->law, DENSITY, x, BLOCK, y, columns, density);
        for (int i = 0; i < columns; i++) {
            hash[i] = hash_corner(column[i], row);
            count[i] = (int)(density[i] * (BLOCK * BLOCK) + (float)(int)(hash[i] >> 8) * 0x1p-24f);
        }
        for (int i = 0; i < columns; i++)
            draw_block(drawing, x + i * BLOCK, y, hash[i], count[i]);
    }
}

static void run_droplets(struct erosion_level *level, int phase, const struct erode_bounds *bounds)
{
    const struct terrane_window *window = &level->window;
    struct drawing drawing = {.level = level, .bounds = *bounds};
    drawing.key = hash_absorb(hash_absorb(hash_absorb(level->world->seed, LAYER), (uint64_t)window->level),
                              (uint64_t)phase);
    const int64_t bx = (window->gi + bounds->x0) >> 2, bx_end = ((window->gi + bounds->x1 - 1) >> 2) + 1;
    const int64_t by = (window->gj + bounds->y0) >> 2, by_end = ((window->gj + bounds->y1 - 1) >> 2) + 1;
    level->births.count = 0;
    level->carried = 0;
    for (int64_t j = by; j < by_end; j += PATCH)
        for (int64_t i = bx; i < bx_end; i += PATCH)
            draw_patch(&drawing, i, j, bx_end, by_end);
    run_births(&drawing);
}

/* ---- Phases -------------------------------------------------------------------------------------------- */

static int32_t *ground_row(const struct erosion_level *level, int y)
{
    return level->field.ground + (size_t)y * (size_t)level->field.width;
}

/* Row y as it stands, into the ring; with a sample more on either side of from .. from + count - 1, which stands at 1. */
static void keep_row(struct erosion_level *level, int y, int from, int count)
{
    memcpy(level->rows.old[y % EROSION_ROWS], ground_row(level, y) + from - 1,
           ((size_t)count + 2) * sizeof(int32_t));
}

static const int32_t *kept_row(const struct erosion_level *level, int y)
{
    return level->rows.old[(y + EROSION_ROWS) % EROSION_ROWS] + 1;
}

static void settle_row(struct erosion_level *level, int y, int from, int count, int inset)
{
    const struct erode_settling settling = {level->scale.sample / ERODE_AMOUNT, level->scale.limit};
    const int32_t *amount[4], *old[3];
    for (int k = 0; k < 4; k++)
        amount[k] = level->rows.amount[(y - 2 + k) % EROSION_ROWS] + (from - inset);
    for (int k = 0; k < 3; k++)
        old[k] = kept_row(level, y - 1 + k);
    erode_kernels_current()->settle_row(&settling, count, amount, old, ground_row(level, y) + from);
}

static void count_flow(struct erosion_level *level, int y, int inset)
{
    const int halo = level->halo, width = level->field.width - 2 * halo;
    if (y < halo || y >= level->field.height - halo)
        return;
    erode_kernels_current()->flow_row(width, level->rows.steps[(y - 1) % EROSION_ROWS] + (halo - inset),
                                      level->rows.steps[y % EROSION_ROWS] + (halo - inset),
                                      level->flow + (size_t)(y - halo) * (size_t)width);
}

void erosion_phase(struct erosion_level *level, int phase)
{
    const struct erode_field *field = &level->field;
    const int inset = level->inset, from = inset + level->law.steps + 2;
    const int count = field->width - 2 * from, cells = field->width - 1 - 2 * inset;
    const struct erode_bounds bounds = {inset, inset, field->width - 1 - inset, field->height - 1 - inset};
    run_droplets(level, phase, &bounds);
    for (int row = inset; row < field->height - 1 - inset;
         row++) { /* of cells: the south one of sample row y */
        const int y = row - 1;
        erode_kernels_current()->gather_row(field->moved + (size_t)row * (size_t)field->width + (size_t)inset,
                                            cells, level->rows.amount[row % EROSION_ROWS],
                                            level->rows.steps[row % EROSION_ROWS]);
        if (row >= from - 1 && row <= field->height - from)
            keep_row(level, row, from, count);
        if (y < from || y >= field->height - from)
            continue;
        settle_row(level, y, from, count, inset);
        count_flow(level, y, inset);
    }
    level->inset = from;
}

/* ---- Slides -------------------------------------------------------------------------------------------- */

/* Talus of row y, from x = from - 1 on, in units a sample. Where zones do not steer it all rows are the same. */
static void talus_row(struct erosion_level *level, int y, int from, int count)
{
    int32_t *out = level->rows.talus[y % EROSION_ROWS];
    float talus[ERODE_WIDTH];
    if (level->creep) {
        memset(out, 0, ((size_t)count + 2) * sizeof *out);
        return;
    }
    if (!(level->law.steered >> TALUS & 1) && y >= from - 1 + EROSION_ROWS)
        return;
    law_row(&level->law, TALUS, from - 1, 1, y, count + 2, talus);
    for (int i = 0; i < count + 2; i++) {
        const float units = talus[i] * level->scale.sample, max = 0x1p28f;
        out[i] = (int32_t)(units < max ? units : max);
    }
}

void erosion_slide(struct erosion_level *level)
{
    const struct erode_field *field = &level->field;
    const int from = level->inset + 1, count = field->width - 2 * from;
    for (int row = from - 1; row <= field->height - from; row++) {
        const int y = row - 1;
        keep_row(level, row, from, count);
        talus_row(level, row, from, count);
        if (y < from)
            continue;
        const int32_t *old[3], *talus[3];
        for (int k = 0; k < 3; k++) {
            old[k] = kept_row(level, y - 1 + k);
            talus[k] = level->rows.talus[(y - 1 + k) % EROSION_ROWS] + 1;
        }
        int32_t *ground = ground_row(level, y) + from;
        erode_kernels_current()->slide_row(count, old, talus, level->scale.limit, ground);
        erode_kernels_current()->fill_row(count, old, level->scale.limit, ground);
    }
    level->inset = from;
}
