/*
 * Meshes of caves: marching cubes over floor, ceiling and noise.
 *
 * Density is above 0 in the air: in a sample's column the distance to the nearer of floor and ceiling, less some roughness; in
 * columns of rock a constant negative number. Roughness only removes air, so the mesh keeps to floor and ceiling; it fades out
 * where the ground comes down to the ceiling.
 *
 * Lattice. Columns stand on the level's samples. Layers are horizontal, from below everything to above everything; where the
 * ground is lower, the uppermost layer is the ground itself, and those in between lie close under it. So at the entrance the
 * cells' upper faces are quads of ground, whose air part is left open, and neighbouring columns of air share layers, however
 * steep the ground is. Vertices there are on edges of quads, on the ground. The rock part of such a quad, the collar, belongs
 * to the mesh, too: the mesh ends along edges of quads, and fits into a mesh of the ground without them.
 *
 *   1. A vertex stands between 1/32 and 31/32 of its edge, and edges of a cell that share no end share no point: no triangle
 *      is degenerate, also where density is exactly 0, which counts as rock.
 *   2. The border of the square is rock, the lowest layer is below all floors and the highest one above all ceilings, unless
 *      it is the ground: the mesh is closed except there.
 */
#include "../term/noise_at.h"
#include "cubes.h"
#include "dig.h"

#include "../base/hash.h"
#include "../base/lend.h"
#include "../base/window.h"
#include "cave_shown.h"

enum { LAYERS_MAX = 512, NO_VERTEX = -1 };

#define ROUGH       0.125f /* of the standing height, at most */
#define ROUGH_CELLS 2.5    /* samples a cell of that noise */
#define CLOSEST     0.03125f

/* Arrays cover the square, or a part of it, across * down, row by row. */
struct build {
    const struct terrane_cave *cave;
    struct terrane_cave_mesh *mesh;
    struct cubes *cubes;
    uint64_t key;
    int radius, side, west, north, across, down; /* west, north: of the part, in the square */
    int layers;
    float sample_m, standing_m, wall_m, voxel_m, bottom_m;
    float step_m; /* between layers: voxel_m or a little less */
    double cell_m;
    float *ground, *floor, *ceiling; /* of the square */
    float *top_m, *rough_m;          /* of the square */
    uint8_t *mask;                   /* of the square: 1 near a cave, 3 in it */
    float *density[2];               /* of the part: of the layer below, and this one */
    int32_t *east[2], *south[2];     /* vertices on edges to the next sample */
    int32_t *up;                     /* from the layer below */
    int32_t *corner;                 /* vertices of the ground */
    int vertices, triangles;
    bool full;
};

/* ---- Density ------------------------------------------------------------------------------------------- */

static int in_square(const struct build *b, int i, int j)
{
    return (b->north + j) * b->side + b->west + i;
}

/* Column and row count in the square. */
static bool noise_in(const struct build *b, int column, int row, float z_m, float *value, float slope[3])
{
    const double at[3] = {(column - b->radius) * (double)b->sample_m / b->cell_m,
                          (row - b->radius) * (double)b->sample_m / b->cell_m, (double)z_m / b->cell_m};
    return terrane_noise_at(TERRANE_PERLIN5, 3, b->key, at, value, slope) == 0;
}

/* Without roughness. */
static float smooth_in(const struct build *b, int column, int row, float z_m)
{
    const int at = row * b->side + column;
    if (!(b->mask[at] & 2))
        return -b->wall_m;
    const float over_m = z_m - b->floor[at], under_m = b->ceiling[at] - z_m;
    const float min_m = over_m < under_m ? over_m : under_m;
    return min_m > -b->wall_m ? min_m : -b->wall_m;
}

static float density_in(const struct build *b, int column, int row, float z_m)
{
    const float smooth_m = smooth_in(b, column, row, z_m), rough_m = b->rough_m[row * b->side + column];
    float value = 0;
    if (!(smooth_m > -b->wall_m) || !(rough_m > 0) || !noise_in(b, column, row, z_m, &value, NULL))
        return smooth_m;
    return smooth_m - rough_m * (0.5f + 0.5f * value);
}

/* The gradient of density: east, south, up. */
static void slope_in(const struct build *b, int column, int row, float z_m, float slope[3])
{
    const float half_m = b->voxel_m * 0.5f, rough_m = b->rough_m[row * b->side + column];
    const float across = 0.5f / b->sample_m;
    slope[0] = (smooth_in(b, column + 1, row, z_m) - smooth_in(b, column - 1, row, z_m)) * across;
    slope[1] = (smooth_in(b, column, row + 1, z_m) - smooth_in(b, column, row - 1, z_m)) * across;
    slope[2] =
        (smooth_in(b, column, row, z_m + half_m) - smooth_in(b, column, row, z_m - half_m)) / b->voxel_m;
    float value, steep[3];
    if (!(rough_m > 0) || !noise_in(b, column, row, z_m, &value, steep))
        return;
    for (int c = 0; c < 3; c++)
        slope[c] -= rough_m * 0.5f * steep[c] / (float)b->cell_m;
}

/* Layers are horizontal, except those above the ground: they lie close under it, half a layer high together. */
static float layer_m(const struct build *b, int at, int layer)
{
    const int left = b->layers - layer;
    const float level_m = b->bottom_m + b->step_m * (float)layer;
    const float pressed_m = b->top_m[at] - b->step_m * 0.5f * ((float)left / (float)b->layers);
    return left == 0 || pressed_m < level_m ? pressed_m : level_m;
}

/* ---- Vertices ------------------------------------------------------------------------------------------ */

static void make_unit(float v[3])
{
    const float length = __builtin_sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(length > 0x1p-20f)) {
        v[0] = v[1] = 0, v[2] = 1;
        return;
    }
    for (int c = 0; c < 3; c++)
        v[c] /= length;
}

static void ground_normal(const struct build *b, int column, int row, float normal[3])
{
    const float *at = b->ground + row * b->side + column;
    const float across = 0.5f / b->sample_m;
    normal[0] = (at[-1] - at[1]) * across;
    normal[1] = (at[-b->side] - at[b->side]) * across;
    normal[2] = 1;
    make_unit(normal);
}

static int32_t put_vertex(struct build *b, const float place[3], const float normal[3])
{
    if (b->vertices == TERRANE_CAVE_VERTICES_MAX) {
        b->full = true;
        return 0;
    }
    for (int c = 0; c < 3; c++) {
        b->mesh->vertex[3 * b->vertices + c] = place[c];
        b->mesh->normal[3 * b->vertices + c] = normal[c];
    }
    return b->vertices++;
}

/* An end of an edge: a point of the lattice. */
struct end {
    int i, j, layer;
    float density;
};

/* The vertex of an edge; NO_VERTEX: both ends are air, or both rock. */
static int32_t edge_vertex(struct build *b, struct end low, struct end high)
{
    if ((low.density > 0) == (high.density > 0))
        return NO_VERTEX;
    const float share = low.density / (low.density - high.density), max = 1 - CLOSEST;
    const float t = share < CLOSEST ? CLOSEST : share > max ? max : share;
    const struct end end[2] = {low, high};
    float place[2][3], slope[2][3], out[3], normal[3];
    for (int k = 0; k < 2; k++) {
        const int column = b->west + end[k].i, row = b->north + end[k].j;
        place[k][0] = (float)(column - b->radius) * b->sample_m;
        place[k][1] = (float)(row - b->radius) * b->sample_m;
        place[k][2] = layer_m(b, row * b->side + column, end[k].layer);
        slope_in(b, column, row, place[k][2], slope[k]);
    }
    for (int c = 0; c < 3; c++) {
        out[c] = place[0][c] + (place[1][c] - place[0][c]) * t;
        normal[c] = slope[0][c] + (slope[1][c] - slope[0][c]) * t;
    }
    make_unit(normal);
    if (low.layer == b->layers &&
        high.layer == b->layers) { /* the rim: half of the ground, half of the wall */
        float ground[3];
        const struct end *rock = low.density > 0 ? &high : &low;
        ground_normal(b, b->west + rock->i, b->north + rock->j, ground);
        for (int c = 0; c < 3; c++)
            normal[c] += ground[c];
        make_unit(normal);
    }
    return put_vertex(b, out, normal);
}

static int32_t corner_vertex(struct build *b, int i, int j)
{
    int32_t *vertex = b->corner + j * b->across + i;
    if (*vertex == NO_VERTEX) {
        const int column = b->west + i, row = b->north + j;
        const float place[3] = {(float)(column - b->radius) * b->sample_m,
                                (float)(row - b->radius) * b->sample_m, b->ground[row * b->side + column]};
        float normal[3];
        ground_normal(b, column, row, normal);
        *vertex = put_vertex(b, place, normal);
    }
    return *vertex;
}

static void put_triangle(struct build *b, int32_t a, int32_t second, int32_t c)
{
    if (b->triangles == TERRANE_CAVE_TRIANGLES_MAX) {
        b->full = true;
        return;
    }
    uint32_t *index = b->mesh->index + 3 * b->triangles++;
    index[0] = (uint32_t)a;
    index[1] = (uint32_t)second;
    index[2] = (uint32_t)c;
}

/* ---- Cells --------------------------------------------------------------------------------------------- */

/* True if one of the cell's corners is in the cave. */
static bool cell_counts(const struct build *b, int i, int j)
{
    const uint8_t *at = b->mask + in_square(b, i, j);
    return (at[0] | at[1] | at[b->side] | at[b->side + 1]) & 2;
}

static int32_t cell_vertex(const struct build *b, int i, int j, int edge)
{
    const int low = cube_edge_low(edge), layer = low >> 2;
    const int at = (j + (low >> 1 & 1)) * b->across + i + (low & 1);
    return edge >> 2 == 0 ? b->east[layer][at] : edge >> 2 == 1 ? b->south[layer][at] : b->up[at];
}

static void put_cell(struct build *b, int i, int j)
{
    unsigned air = 0;
    for (int c = 0; c < 8; c++)
        air |= (unsigned)(b->density[c >> 2][(j + (c >> 1 & 1)) * b->across + i + (c & 1)] > 0) << c;
    for (int k = 0; k < b->cubes->of[air].triangles; k++) {
        const uint8_t *edge = b->cubes->of[air].edge[k];
        put_triangle(b, cell_vertex(b, i, j, edge[0]), cell_vertex(b, i, j, edge[1]),
                     cell_vertex(b, i, j, edge[2]));
    }
}

static void put_cells(struct build *b)
{
    for (int j = 0; j + 1 < b->down; j++)
        for (int i = 0; i + 1 < b->across; i++)
            if (cell_counts(b, i, j))
                put_cell(b, i, j);
}

/* ---- Layers -------------------------------------------------------------------------------------------- */

static struct end end_at(const struct build *b, int i, int j, int layer, int which)
{
    return (struct end){i, j, layer, b->density[which][j * b->across + i]};
}

static void fill_densities(struct build *b, int layer)
{
    for (int j = 0; j < b->down; j++)
        for (int i = 0; i < b->across; i++) {
            const int at = in_square(b, i, j);
            b->density[1][j * b->across + i] =
                b->mask[at] & 2 ? density_in(b, b->west + i, b->north + j, layer_m(b, at, layer))
                                : -b->wall_m;
        }
}

static void fill_vertices(struct build *b, int layer)
{
    for (int j = 0; j < b->down; j++)
        for (int i = 0; i < b->across; i++) {
            const int at = j * b->across + i;
            const struct end end = end_at(b, i, j, layer, 1);
            b->east[1][at] =
                i + 1 < b->across ? edge_vertex(b, end, end_at(b, i + 1, j, layer, 1)) : NO_VERTEX;
            b->south[1][at] =
                j + 1 < b->down ? edge_vertex(b, end, end_at(b, i, j + 1, layer, 1)) : NO_VERTEX;
            b->up[at] = layer > 0 ? edge_vertex(b, end_at(b, i, j, layer - 1, 0), end) : NO_VERTEX;
        }
}

/* This layer becomes the one below. */
static void next_layer(struct build *b)
{
    float *density = b->density[0];
    int32_t *east = b->east[0], *south = b->south[0];
    b->density[0] = b->density[1], b->density[1] = density;
    b->east[0] = b->east[1], b->east[1] = east;
    b->south[0] = b->south[1], b->south[1] = south;
}

/* ---- Collar -------------------------------------------------------------------------------------------- */

/* Adds the rock part of the quad south-east of a sample, in the highest layer, if some of it is air. */
static void put_collar(struct build *b, int i, int j)
{
    static const int dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0}; /* counter-clockwise seen from above */
    const int at = j * b->across + i;
    const int32_t edge[4] = {b->east[1][at + b->across], b->south[1][at + 1], b->east[1][at],
                             b->south[1][at]};
    bool air[4];
    for (int k = 0; k < 4; k++)
        air[k] = b->density[1][at + dy[k] * b->across + dx[k]] > 0;
    for (int k = 0; k < 4; k++) {
        if (!air[k] || air[(k + 1) & 3])
            continue; /* edge k does not lead from air to rock */
        int end = k + 1;
        int32_t last = corner_vertex(b, i + dx[end & 3], j + dy[end & 3]);
        for (; !air[(end + 1) & 3]; end++) {
            const int32_t next = corner_vertex(b, i + dx[(end + 1) & 3], j + dy[(end + 1) & 3]);
            put_triangle(b, edge[k], last, next);
            last = next;
        }
        put_triangle(b, edge[k], last, edge[end & 3]);
    }
}

static void put_collars(struct build *b)
{
    for (int k = 0; k < b->across * b->down; k++)
        b->corner[k] = NO_VERTEX;
    for (int j = 0; j + 1 < b->down; j++)
        for (int i = 0; i + 1 < b->across; i++)
            if (cell_counts(b, i, j))
                put_collar(b, i, j);
}

/* ---- Ground -------------------------------------------------------------------------------------------- */

/* Loads the square's ground, floors and ceilings, and marks samples inside its border and near them. */
static void load(struct build *b, const struct terrane_window *window, const float *ground,
                 const float *floor_ceiling)
{
    const int side = b->side;
    const size_t west = (size_t)(b->cave->gi - b->radius - window->gi);
    const size_t north = (size_t)(b->cave->gj - b->radius - window->gj);
    int low_x = side, high_x = -1, low_y = side, high_y = -1;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const size_t from = (north + (size_t)y) * (size_t)window->width + west + (size_t)x;
            const int at = y * side + x;
            const bool inside = x > 1 && y > 1 && x < side - 2 && y < side - 2;
            b->ground[at] = ground[from];
            b->floor[at] = floor_ceiling[2 * from];
            b->ceiling[at] = floor_ceiling[2 * from + 1];
            b->mask[at] = inside && b->floor[at] > TERRANE_ROCK ? 3 : 0;
            if (b->mask[at]) {
                low_x = x < low_x ? x : low_x, high_x = x > high_x ? x : high_x;
                low_y = y < low_y ? y : low_y, high_y = y > high_y ? y : high_y;
            }
        }
    b->west = low_x - 1, b->across = high_x - low_x + 3; /* not above 0 where there is nothing */
    b->north = low_y - 1, b->down = high_y - low_y + 3;
    for (int y = 1; y + 1 < side; y++)
        for (int x = 1; x + 1 < side; x++)
            for (int d = 0; d < 8; d++)
                b->mask[y * side + x] |= b->mask[(y + dig_dy[d]) * side + x + dig_dx[d]] >> 1 & 1;
}

/* Chooses lowest and highest layers, and their number. false: too many. */
static bool choose_layers(struct build *b)
{
    const int samples = b->side * b->side;
    float low_m = 0x1p30f, high_m = -0x1p30f;
    for (int at = 0; at < samples; at++) {
        if (!b->mask[at])
            continue;
        low_m = b->ground[at] < low_m ? b->ground[at] : low_m;
        if (!(b->mask[at] & 2))
            continue;
        low_m = b->floor[at] < low_m ? b->floor[at] : low_m;
        high_m = b->ceiling[at] > high_m ? b->ceiling[at] : high_m;
        const bool open = b->floor[at] < b->ground[at] && b->ground[at] < b->ceiling[at];
        for (int d = 0; open && d < 8; d++) {
            const float ground_m = b->ground[at + dig_dy[d] * b->side + dig_dx[d]];
            high_m = ground_m > high_m ? ground_m : high_m;
        }
    }
    b->bottom_m = low_m - b->voxel_m;
    high_m += b->voxel_m;
    const float layers = (high_m - b->bottom_m) / b->voxel_m;
    if (!(layers >= 1 && layers < (float)LAYERS_MAX))
        return false;
    b->layers = (int)layers + 1;
    b->step_m = (high_m - b->bottom_m) / (float)b->layers;
    for (int at = 0; at < samples; at++) {
        const float over = (b->ground[at] - b->ceiling[at]) / b->standing_m;
        b->top_m[at] = b->ground[at] < high_m ? b->ground[at] : high_m;
        b->rough_m[at] = b->standing_m * ROUGH * (over > 1 ? 1 : over > 0 ? over : 0);
    }
    return true;
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

void terrane_cave_mesh_needs(const struct terrane_recipe *recipe, const struct terrane_cave *cave,
                             struct terrane_window *window)
{
    const int radius = recipe->caves.radius;
    *window = (struct terrane_window){
        .level = recipe->caves.level,
        .gi = cave->gi - radius,
        .gj = cave->gj - radius,
        .step = 1,
        .width = 2 * radius + 1,
        .height = 2 * radius + 1,
    };
}

static size_t build_bytes(const struct terrane_recipe *recipe)
{
    return dig_samples(recipe->caves.radius) * (7 * sizeof(float) + 6 * sizeof(int32_t) + 1) +
           sizeof(struct cubes);
}

static struct build build_new(const struct terrane_recipe *recipe, const struct terrane_cave *cave,
                              void *block, struct terrane_cave_mesh *mesh)
{
    const size_t samples = dig_samples(recipe->caves.radius);
    float *floats = block;
    int32_t *indices = (int32_t *)(void *)(floats + 7 * samples);
    uint8_t *bytes = (uint8_t *)(indices + 6 * samples);
    struct build b = {
        .cave = cave,
        .mesh = mesh,
        .cubes = (struct cubes *)(void *)(bytes + samples),
        .key = hash_absorb(cave->id, UINT64_C(0x6867756F52)), /* "Rough" */
        .radius = recipe->caves.radius,
        .side = 2 * recipe->caves.radius + 1,
        .sample_m = (float)dig_sample_m(recipe),
        .standing_m = dig_standing_m(recipe),
        .ground = floats,
        .floor = floats + samples,
        .ceiling = floats + 2 * samples,
        .top_m = floats + 3 * samples,
        .rough_m = floats + 4 * samples,
        .density = {floats + 5 * samples, floats + 6 * samples},
        .east = {indices, indices + samples},
        .south = {indices + 2 * samples, indices + 3 * samples},
        .up = indices + 4 * samples,
        .corner = indices + 5 * samples,
        .mask = bytes,
    };
    /* Half a sample; less if that is over half a corridor's height, more if there would be too many layers. */
    const float fine_m = recipe->caves.height_m * 0x1p-6f, half_m = b.sample_m * 0.5f;
    const float max_m = b.standing_m * 0.5f, voxel_m = half_m > fine_m ? half_m : fine_m;
    b.voxel_m = voxel_m < max_m ? voxel_m : max_m;
    b.wall_m = max_m > b.voxel_m ? max_m : b.voxel_m;
    b.cell_m = ROUGH_CELLS * (double)(b.sample_m > b.voxel_m ? b.sample_m : b.voxel_m);
    return b;
}

static int make_mesh(struct build *b)
{
    if (b->across > 0) {
        if (!choose_layers(b))
            return TERRANE_ECAVES;
        cubes_fill(b->cubes);
        for (int layer = 0; layer <= b->layers && !b->full; layer++) {
            fill_densities(b, layer);
            fill_vertices(b, layer);
            if (layer > 0)
                put_cells(b);
            if (layer < b->layers)
                next_layer(b);
        }
        put_collars(b);
    }
    if (b->full)
        return TERRANE_ECAVES;
    b->mesh->vertices = b->vertices;
    b->mesh->triangles = b->triangles;
    return 0;
}

int terrane_cave_mesh(const struct terrane_world *world, const struct terrane_window *window,
                      const struct terrane_cave *cave, const float *ground, const float *floor_ceiling,
                      const struct terrane_memory *memory, struct terrane_cave_mesh *mesh)
{
    struct terrane_window needed;
    terrane_cave_mesh_needs(world->recipe, cave, &needed);
    if (!window_covers(window, &needed))
        return TERRANE_EWINDOW;
    void *block = memory_take(memory, build_bytes(world->recipe));
    if (!block)
        return TERRANE_EMEMORY;
    struct build b = build_new(world->recipe, cave, block, mesh);
    load(&b, window, ground, floor_ceiling);
    const int error = make_mesh(&b);
    memory_give(memory, block);
    return error;
}
