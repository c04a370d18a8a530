/*
 * A tile's caves: which of them have their top in it, their meshes, and the holes in the ground's.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "../encode/glb.h"
#include "tile_piece.h"

#define CAVES_MESH_BYTES \
    ((size_t)32 << 20) /* of all in a tile; behind it, in their order, they are left out */

/* ---- Holes --------------------------------------------------------------------------------------------- */

/* Quads of a region that openings take, owned; NULL when memory is short. */
static uint8_t *make_openings(const struct piece *piece, int k)
{
    const struct terrane_region_view *caves = &piece->ground.caves[k];
    const struct terrane_window *window = &caves->window;
    uint8_t *opening = malloc((size_t)window->width * (size_t)window->height);
    if (opening)
        CHECK(terrane_caves_openings(piece->world->recipe, window, caves->ground, caves->floor_ceiling,
                                     opening) == 0);
    return opening;
}

/* Whether the quad at whose north-west a sample of the caves' level stands is open. */
static bool is_open(const struct terrane_window *caves, const uint8_t *opening, int64_t x, int64_t y)
{
    CHECK(x >= caves->gi && y >= caves->gj && x - caves->gi < caves->width - 1 &&
          y - caves->gj < caves->height - 1);
    return opening[(y - caves->gj) * (caves->width - 1) + (x - caves->gi)] != 0;
}

/* Openings around a tile over which there is one region, with a vertex at each of that one's samples. */
struct rims {
    struct piece *piece;
    struct terrane_window caves;
    const uint8_t *opening;
};

static bool quad_is_open(const struct rims *rims, int i, int j)
{
    const struct terrane_window *window = &rims->piece->plan->ground.window;
    return is_open(&rims->caves, rims->opening, window->gi + i, window->gj + j);
}

/*
 * Ground around openings without the paths in it: what meshes of caves end on. Elsewhere vertices stay where they are, also
 * those of the next tile, which does the same with the edge that they share.
 */
static void join_rims(const struct rims *rims)
{
    struct piece *piece = rims->piece;
    const struct terrane_window *window = &piece->plan->ground.window, *caves = &rims->caves;
    float *const *layer = piece->ground.layer, *surface = layer[TERRANE_LAYER_SURFACE];
    for (int j = 0, k = 0; j < window->height; j++)
        for (int i = 0; i < window->width; i++, k++) {
            if (!quad_is_open(rims, i - 1, j - 1) && !quad_is_open(rims, i, j - 1) &&
                !quad_is_open(rims, i - 1, j) && !quad_is_open(rims, i, j))
                continue;
            const float ground =
                piece->ground.caves[0]
                    .ground[(window->gj + j - caves->gj) * caves->width + (window->gi + i - caves->gi)];
            layer[TERRANE_LAYER_HEIGHT][k] = ground;
            if (surface && !(layer[TERRANE_LAYER_WATER][k] > 0))
                surface[k] = ground;
        }
}

int piece_make_holes(struct piece *piece)
{
    const struct terrane_window *window = &piece->plan->ground.window;
    const int quads = window->width - 1;
    CHECK(piece->plan->holed && piece->plan->ground.caves.count == 1);
    uint8_t *opening = make_openings(piece, 0);
    const struct rims rims = {.piece = piece, .caves = piece->ground.caves[0].window, .opening = opening};
    piece->holes = opening ? malloc((size_t)quads * (size_t)quads) : NULL;
    for (int j = 0; piece->holes && j < quads; j++)
        for (int i = 0; i < quads; i++)
            piece->holes[j * quads + i] = quad_is_open(&rims, i, j);
    if (piece->holes && piece->plan->ground.carved)
        join_rims(&rims);
    free(opening);
    return piece->holes ? 0 : -1;
}

/* ---- Caves --------------------------------------------------------------------------------------------- */

/* The tile that a sample of the caves' level lies in, along an axis. */
static int64_t tile_of(const struct piece *piece, int64_t g)
{
    const int shift = piece->world->recipe->caves.level - piece->key->level;
    return (shift >= 0 ? g * (INT64_C(1) << shift) : g >> -shift) >> 8;
}

static bool is_of(const struct terrane_region *region, const struct terrane_cave *cave)
{
    const int log2 = terrane_region_log2(region->kind, region->level);
    return cave->gi >> log2 == region->x && cave->gj >> log2 == region->y;
}

static int compare_caves(const void *a, const void *b)
{
    const struct terrane_cave *first = a, *second = b;
    if (first->cy != second->cy)
        return first->cy < second->cy ? -1 : 1;
    return first->cx < second->cx ? -1 : first->cx > second->cx;
}

static bool holds(const struct terrane_window *window, int64_t gi, int64_t gj)
{
    return gi >= window->gi && gi < window->gi + window->width && gj >= window->gj &&
           gj < window->gj + window->height;
}

/* Whether there are samples of a cave in the tile. Squares of caves have none in common: those in its own are its. */
static bool shows(const struct terrane_window *seen, const struct terrane_region_view *view,
                  const struct terrane_cave *cave, int radius)
{
    const struct terrane_window *window = &view->window;
    for (int64_t gj = cave->gj - radius; gj <= cave->gj + radius; gj++)
        for (int64_t gi = cave->gi - radius; gi <= cave->gi + radius; gi++) {
            const int64_t at = (gj - window->gj) * window->width + (gi - window->gi);
            if (holds(seen, gi, gj) && holds(window, gi, gj) && view->floor_ceiling[2 * at] != TERRANE_ROCK)
                return true;
        }
    return false;
}

/* The window of the caves' level that the tile shows, with its far edges whatever its size; empty: it shows none. */
static struct terrane_window seen_of(const struct piece *piece)
{
    struct terrane_window whole = piece->plan->ground.window, seen;
    whole.width = whole.height = whole.width | 1;
    return terrane_caves_shown_needs(piece->world->recipe, &whole, &seen)
               ? seen
               : (struct terrane_window){.width = 0};
}

/* Of meshes those whose top is in the tile, else those that show in it; each once, though several regions know of it. */
int piece_list_caves(struct piece *piece)
{
    const bool meshes = piece->key->format == FORMAT_GLB;
    const struct terrane_window seen = seen_of(piece);
    const int regions = piece->plan->ground.caves.count;
    size_t max = 1;
    for (int k = 0; k < regions; k++)
        max += (size_t)piece->ground.caves[k].caves;
    piece->cave = malloc(max * sizeof *piece->cave);
    if (!piece->cave)
        return -1;
    for (int k = 0; k < regions; k++) {
        const struct terrane_region_view *view = &piece->ground.caves[k];
        for (int i = 0; i < view->caves; i++) {
            const struct terrane_cave *cave = &view->cave[i];
            const bool top = is_of(&view->region, cave) && tile_of(piece, cave->gi) == piece->key->x &&
                             tile_of(piece, cave->gj) == piece->key->y;
            if (meshes ? top : shows(&seen, view, cave, piece->world->recipe->caves.radius))
                piece->cave[piece->caves_count++] = *cave;
        }
    }
    qsort(piece->cave, (size_t)piece->caves_count, sizeof *piece->cave, compare_caves);
    int kept = 0;
    for (int i = 0; i < piece->caves_count; i++)
        if (i == 0 || compare_caves(&piece->cave[kept - 1], &piece->cave[i]) != 0)
            piece->cave[kept++] = piece->cave[i];
    piece->caves_count = kept;
    return 0;
}

/* ---- Meshes -------------------------------------------------------------------------------------------- */

/* Room for any mesh. false: memory is short. */
static bool mesh_open(struct terrane_cave_mesh *mesh)
{
    const size_t vertices = 3 * (size_t)TERRANE_CAVE_VERTICES_MAX * sizeof(float);
    *mesh = (struct terrane_cave_mesh){
        .vertex = malloc(vertices),
        .normal = malloc(vertices),
        .index = malloc(3 * (size_t)TERRANE_CAVE_TRIANGLES_MAX * sizeof(uint32_t)),
    };
    return mesh->vertex && mesh->normal && mesh->index;
}

static void mesh_close(struct terrane_cave_mesh *mesh)
{
    free(mesh->vertex);
    free(mesh->normal);
    free(mesh->index);
}

static void *copy_of(const void *from, size_t bytes)
{
    void *copy = malloc(bytes > 0 ? bytes : 1);
    return copy ? memcpy(copy, from, bytes) : NULL;
}

static size_t mesh_bytes(const struct terrane_cave_mesh *mesh)
{
    return ((size_t)mesh->vertices * 2 + (size_t)mesh->triangles) * 3 * sizeof(float);
}

/* A mesh of its own size. false: memory is short. */
static bool body_make(struct cave_body *body, const struct terrane_cave_mesh *mesh)
{
    const size_t vertices = (size_t)mesh->vertices * 3 * sizeof(float);
    body->mesh = (struct terrane_cave_mesh){
        .vertices = mesh->vertices,
        .triangles = mesh->triangles,
        .vertex = copy_of(mesh->vertex, vertices),
        .normal = copy_of(mesh->normal, vertices),
        .index = copy_of(mesh->index, (size_t)mesh->triangles * 3 * sizeof(uint32_t)),
    };
    return body->mesh.vertex && body->mesh.normal && body->mesh.index;
}

static const struct terrane_region_view *view_of(const struct piece *piece, const struct terrane_cave *cave)
{
    const struct terrane_region_view *view = piece->ground.caves;
    while (!is_of(&view->region, cave))
        view++;
    return view;
}

/* Meshes of the listed caves; one of more vertices than there may be is left out. Returns how many, -1 when memory is short. */
static int make_bodies(const struct piece *piece, struct terrane_cave_mesh *mesh, struct cave_body *body)
{
    const struct terrane_world *world = piece->world;
    const int level = world->recipe->caves.level;
    size_t bytes = 0;
    int bodies = 0;
    for (int i = 0; i < piece->caves_count; i++) {
        const struct terrane_cave *cave = &piece->cave[i];
        const struct terrane_region_view *view = view_of(piece, cave);
        const int error = terrane_cave_mesh(world, &view->window, cave, view->ground, view->floor_ceiling,
                                            piece->ground.memory, mesh);
        if (error == TERRANE_EMEMORY)
            return -1;
        if (error != 0 || mesh->triangles == 0)
            continue;
        bytes += mesh_bytes(mesh);
        if (bytes > CAVES_MESH_BYTES)
            break;
        body[bodies].id = terrane_cave_id(world, cave);
        body[bodies].east_m = terrane_lattice_m(world, level, cave->gi);
        body[bodies].south_m = terrane_lattice_m(world, level, cave->gj);
        if (!body_make(&body[bodies++], mesh))
            return -1;
    }
    return bodies;
}

int piece_encode_caves(struct piece *piece)
{
    const struct tile_key *key = piece->key;
    const struct terrane_window *window = &piece->plan->ground.window;
    const int64_t half = (int64_t)(TERRANE_TILE_SAMPLES / 2) << (key->level - window->level);
    const struct cave_scene scene = {
        .east_m = terrane_lattice_m(piece->world, window->level, window->gi + half),
        .south_m = terrane_lattice_m(piece->world, window->level, window->gj + half),
        .spacing_m = terrane_lattice_m(piece->world, piece->world->recipe->caves.level, 1),
        .placed = key->placed,
    };
    struct terrane_cave_mesh mesh;
    struct cave_body *body = calloc((size_t)piece->caves_count + 1, sizeof *body);
    int result = -1;
    if (mesh_open(&mesh) && body) {
        const int bodies = make_bodies(piece, &mesh, body);
        if (bodies >= 0)
            result = encode_cave_glb(&scene, body, bodies, &piece->data, &piece->bytes);
    }
    for (int i = 0; body && i < piece->caves_count; i++)
        mesh_close(&body[i].mesh);
    free(body);
    mesh_close(&mesh);
    return result;
}
