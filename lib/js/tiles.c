/*
 * Regions, and the tiles that rest on them: samples, pictures, objects and lines.
 */
#include <stdlib.h>
#include <string.h>

#include "state.h"

/* ---- Regions --------------------------------------------------------------------------------------------- */

static void tell(const struct terrane_region *region, struct js_region *told)
{
    *told = (struct js_region){
        .kind = (int32_t)region->kind,
        .level = region->level,
        .x = {(uint32_t)region->x, (uint32_t)((uint64_t)region->x >> 32)},
        .y = {(uint32_t)region->y, (uint32_t)((uint64_t)region->y >> 32)},
        .variant = (int32_t)region->variant,
    };
}

static struct terrane_region told(const struct js_region *region)
{
    return (struct terrane_region){
        .kind = (enum terrane_region_kind)region->kind,
        .level = region->level,
        .x = (int64_t)((uint64_t)region->x[1] << 32 | region->x[0]),
        .y = (int64_t)((uint64_t)region->y[1] << 32 | region->y[0]),
        .variant = (enum terrane_variant)region->variant,
    };
}

static bool same(const struct terrane_region *a, const struct terrane_region *b)
{
    return a->kind == b->kind && a->level == b->level && a->x == b->x && a->y == b->y &&
           a->variant == b->variant;
}

/* Its number among those that the call names. */
static int number_of(const struct terrane_region *region)
{
    int k = 0;
    while (k < js.regions && !same(&js.region[k], region))
        k++;
    if (k == js.regions) {
        js.region[k] = *region;
        tell(region, &js.told[k]);
        js.regions++;
    }
    return k;
}

const struct js_region *js_regions(void)
{
    return js.told;
}

int js_needs(const struct js_region *region)
{
    const struct terrane_region wanted = told(region);
    struct terrane_region_needs needs;
    terrane_region_needs(&js.recipe, &wanted, &needs);
    js.regions = 0;
    for (int k = 0; k < needs.count; k++)
        number_of(&needs.region[k]);
    return js.regions;
}

void js_input(int k, void *data, size_t bytes)
{
    js.input[k] = (struct terrane_packed){data, bytes};
}

int js_region_make(const struct js_region *region)
{
    const struct terrane_region wanted = told(region);
    struct terrane_region_needs needs;
    struct terrane_packed input[TERRANE_REGION_NEEDS], packed;
    terrane_region_needs(&js.recipe, &wanted, &needs);
    for (int k = 0; k < needs.count; k++)
        input[k] = js.input[number_of(&needs.region[k])];
    int error = js_lend();
    if (error == 0)
        error = terrane_region_make(&js.world, &wanted, &needs, input, &js.memory, &packed);
    if (error == 0)
        js_keep(packed.data, packed.bytes);
    return error;
}

/* ---- Tiles ----------------------------------------------------------------------------------------------- */

/* A sample of objects is of what lies between it and the next ones: all of these are made, whatever the step, and those behind. */
static bool lies_between(void)
{
    return js.layer == TERRANE_LAYER_OBJECTS;
}

static struct terrane_window made_for(const struct terrane_window *window)
{
    struct terrane_window made = *window;
    if (lies_between()) {
        made.width = (window->width - 1) * window->step + 2;
        made.height = (window->height - 1) * window->step + 2;
        made.step = 1;
    }
    return made;
}

static int plan_cell(struct cell *cell, enum terrane_variant variant)
{
    const struct terrane_window window = made_for(&cell->window);
    const int error = terrane_plan(&js.recipe, &window, variant, terrane_layer_reads[js.layer], &cell->plan);
    for (int k = 0; error == 0 && k < cell->plan.regions; k++)
        cell->region[k] = number_of(&cell->plan.region[k]);
    return error;
}

/* Samples of the tile along an axis that lie in its own regions; where objects lie between, the far edge is the next tile's. */
static int own_samples(int size)
{
    return lies_between() && size % 2 == 1 ? size - 1 : size;
}

int js_tile(int level, double x, double y, int layer, int variant, int size)
{
    js.layer = (enum terrane_layer)layer;
    const enum terrane_variant made =
        terrane_layer_variant(&js.recipe, js.layer, (enum terrane_variant)variant);
    js.cells = js.regions = 0;
    int error = terrane_window_tile(&js.window, level, (int64_t)x, (int64_t)y, size);
    if (error != 0)
        return error;
    const int own = own_samples(size), first[2] = {0, own}, count[2] = {own, size - own};
    for (int k = 0; k < CELLS && error == 0; k++) {
        const int i = k % 2, j = k / 2;
        if (count[i] == 0 || count[j] == 0)
            continue;
        struct cell *cell = &js.cell[js.cells++];
        cell->window = js.window;
        cell->window.gi += (int64_t)first[i] * js.window.step;
        cell->window.gj += (int64_t)first[j] * js.window.step;
        cell->window.width = count[i];
        cell->window.height = count[j];
        cell->at = (size_t)first[j] * (size_t)size + (size_t)first[i];
        error = plan_cell(cell, made);
    }
    return error != 0 ? error : js.regions;
}

/* Copies a cell's samples, of so many bytes each, out of those that were made for it: all of a row, or some. */
static void copy_cell(const struct cell *cell, size_t bytes, const unsigned char *made, unsigned char *out)
{
    const size_t across = (size_t)(cell->window.step / cell->plan.window.step);
    const size_t run = across == 1 ? (size_t)cell->window.width : 1;
    for (size_t j = 0; j < (size_t)cell->window.height; j++) {
        const unsigned char *row = made + j * across * (size_t)cell->plan.window.width * bytes;
        unsigned char *to = out + (cell->at + j * (size_t)js.window.width) * bytes;
        for (size_t i = 0; i < (size_t)cell->window.width; i += run)
            memcpy(to + i * bytes, row + i * across * bytes, run * bytes);
    }
}

static int open_cell(const struct cell *cell, struct terrane_ground *ground)
{
    struct terrane_packed input[TERRANE_PLAN_REGIONS];
    for (int k = 0; k < cell->plan.regions; k++)
        input[k] = js.input[cell->region[k]];
    return terrane_ground_open(&js.world, &cell->plan, input, &js.memory, ground);
}

/* Fills out with a cell's samples, of so many bytes each: floats, or pixels. */
static int fill_samples(const struct cell *cell, struct terrane_ground *ground, size_t bytes,
                        unsigned char *out)
{
    const int error = terrane_ground_layer(ground, js.layer);
    if (error == 0)
        copy_cell(cell, bytes, (const unsigned char *)ground->layer[js.layer], out);
    return error;
}

static int fill_pixels(const struct cell *cell, struct terrane_ground *ground, size_t bytes,
                       unsigned char *out)
{
    uint8_t *pixels = js_take(ground->count * bytes);
    const int error =
        pixels ? terrane_ground_picture(ground, js_picture_of((int)js.layer), pixels) : TERRANE_EMEMORY;
    if (error == 0)
        copy_cell(cell, bytes, pixels, out);
    free(pixels);
    return error;
}

static int make_cells(int (*fill)(const struct cell *, struct terrane_ground *, size_t, unsigned char *),
                      size_t bytes)
{
    const size_t whole = (size_t)js.window.width * (size_t)js.window.height * bytes;
    unsigned char *out = js_take(whole);
    int error = out ? js_lend() : TERRANE_EMEMORY;
    for (int k = 0; k < js.cells && error == 0; k++) {
        struct terrane_ground ground;
        error = open_cell(&js.cell[k], &ground);
        if (error == 0)
            error = fill(&js.cell[k], &ground, bytes, out);
        terrane_ground_close(&ground);
    }
    if (error == 0)
        js_keep(out, whole);
    else
        free(out);
    return error;
}

int js_tile_make(void)
{
    return make_cells(fill_samples, (size_t)terrane_layer_values(&js.recipe, js.layer) * sizeof(float));
}

int js_picture_make(void)
{
    return make_cells(fill_pixels, (size_t)js_layer_channels((int)js.layer));
}

/* A head, and for each a record of 16 bytes: docs/formats.md, Objects. */
static void write_place(const struct terrane_object *object, unsigned char *at)
{
    const double west_m = terrane_lattice_m(&js.world, js.window.level, js.window.gi),
                 north_m = terrane_lattice_m(&js.world, js.window.level, js.window.gj);
    const float place[3] = {
        (float)(terrane_lattice_m(&js.world, TERRANE_OBJECTS_LATTICE, object->x) - west_m),
        (float)(terrane_lattice_m(&js.world, TERRANE_OBJECTS_LATTICE, object->y) - north_m), object->z};
    memcpy(at, place, sizeof place);
    at[12] = object->turn;
    at[13] = object->scale;
    at[14] = object->of;
    at[15] = object->variant;
}

int js_places_make(void)
{
    enum { RECORD = 16 };
    struct terrane_ground ground;
    unsigned char *out = NULL;
    size_t whole = 0;
    int error = js_lend();
    if (error != 0)
        return error;
    error = open_cell(&js.cell[0], &ground);
    if (error == 0)
        error = terrane_ground_objects(&ground);
    if (error == 0) {
        const uint32_t head[4] = {0x4a424f54 /* TOBJ */, (uint32_t)ground.objects};
        whole = (ground.objects + 1) * RECORD;
        out = js_take(whole);
        error = out ? 0 : TERRANE_EMEMORY;
        if (out)
            memcpy(out, head, sizeof head);
        for (size_t k = 0; out && k < ground.objects; k++)
            write_place(&ground.object[k], out + (k + 1) * RECORD);
    }
    terrane_ground_close(&ground);
    if (error == 0)
        js_keep(out, whole);
    return error;
}

/* ---- Lines ----------------------------------------------------------------------------------------------- */

struct lines {
    double *number;
    size_t count, room;
    double step_m; /* that points are counted in */
    bool full;     /* memory is short: what was added last is not there */
};

static void add(struct lines *lines, double number)
{
    if (lines->count == lines->room) {
        const size_t room = lines->room ? 2 * lines->room : 1024;
        double *grown = realloc(lines->number, room * sizeof *grown);
        if (!grown) {
            lines->full = true;
            return;
        }
        lines->number = grown;
        lines->room = room;
    }
    lines->number[lines->count++] = number;
}

static void add_head(struct lines *lines, int points, double a, double b, double c)
{
    const double head[] = {points, a, b, c};
    for (size_t k = 0; k < sizeof head / sizeof *head; k++)
        add(lines, head[k]);
}

/* A number of steps modulo 2^64, of a place near the tile. */
static double whole(int64_t number, int64_t sample)
{
    const int bits = js.cell[0].window.level + 4;
    return (double)sample * (double)(INT64_C(1) << bits) +
           (double)(int64_t)((uint64_t)number - ((uint64_t)sample << bits));
}

static void add_point(struct lines *lines, int64_t x, int64_t y, double number)
{
    add(lines, whole(x, js.cell[0].window.gi) * lines->step_m);
    add(lines, whole(y, js.cell[0].window.gj) * lines->step_m);
    add(lines, number);
}

static void add_river(struct lines *lines, const struct terrane_river *river)
{
    const double unit_m = terrane_units(&js.recipe).erosion_m;
    add_head(lines, river->points, river->discharge_m3s, (double)river->width_m, river->order);
    for (int i = 0; i < river->points; i++)
        add_point(lines, river->point[i].x, river->point[i].y, (double)river->point[i].z * unit_m);
}

/* Cells of a lattice that is as fine as the tile, or coarser. */
static int add_rivers(struct lines *lines, const struct terrane_drained *drained)
{
    const struct terrane_window *tile = &js.cell[0].window;
    const int up = drained->window.level - tile->level;
    const int64_t past =
        (INT64_C(1) << up) - 1; /* a cell is the tile's in which its sample is, however wide it is */
    struct terrane_river river = {.point = js_take(TERRANE_RIVER_POINTS_MAX * sizeof *river.point)};
    if (!river.point)
        return TERRANE_EMEMORY;
    for (int64_t gj = (tile->gj + past) >> up; gj < (tile->gj + tile->height + past) >> up; gj++)
        for (int64_t gi = (tile->gi + past) >> up; gi < (tile->gi + tile->width + past) >> up; gi++)
            if (terrane_river(&js.world, drained, gi, gj, false, &river))
                add_river(lines, &river);
    free(river.point);
    return 0;
}

static void add_paths(struct lines *lines, const struct terrane_path_network *network)
{
    for (int k = 0; k < network->edges; k++) {
        const struct terrane_path_edge *edge = &network->edge[k];
        if (edge->points == 0)
            continue;
        add_head(lines, edge->points, edge->road, (double)terrane_paths_width_m(&js.recipe, edge->road),
                 (double)(edge->id >> 11)); /* exactly */
        for (int i = 0; i < edge->points; i++) {
            const struct terrane_path_point *point = &network->point[edge->first + i];
            add_point(lines, point->x, point->y, point->over);
        }
    }
}

int js_lines_make(void)
{
    struct terrane_ground ground;
    struct lines lines = {.step_m = js.recipe.spacing_m / 16};
    int error = js_lend();
    if (error != 0)
        return error;
    error = open_cell(&js.cell[0], &ground);
    for (int k = 0; error == 0 && k < js.cell[0].plan.drainage.count; k++)
        error = add_rivers(&lines, &ground.drainage[k].drained);
    for (int k = 0; error == 0 && k < js.cell[0].plan.paths.count; k++)
        add_paths(&lines, &ground.paths[k].network);
    terrane_ground_close(&ground);
    if (error == 0 && lines.full)
        error = TERRANE_EMEMORY;
    if (error == 0)
        js_keep(lines.number, lines.count * sizeof *lines.number);
    else
        free(lines.number);
    return error;
}
