/*
 * Caves for tests: a world of hills with ponds, the caves of a window of it, and what holds of a mesh.
 */
#ifndef TERRANE_TESTS_CAVES_KIT_H
#define TERRANE_TESTS_CAVES_KIT_H

#include "../../../lib/cave/cave_shown.h"
#include "../lib_fixture.h"

static const struct terrane_caves hill_caves = {1, 2, 7, 40, 100, 12, 14, 80, 0.6f};

#define HILLS 0.42f /* gain of its octaves */

static inline void make_hills(struct terrane_world *world, struct terrane_recipe *recipe,
                              struct terrane_caves caves, float gain, uint64_t seed)
{
    *recipe = recipe_fractal(TERRANE_PERLIN5, 9, 11, 500, gain);
    recipe->sea_m = -40;
    recipe->caves = caves;
    make_world(world, recipe, seed);
}

/* The caves of a window, and what they were made of. */
struct caves_made {
    struct terrane_window window, around;
    float *ground, *depth_m; /* of around */
    float *own_ground;       /* of the window */
    float *floor_ceiling;
    struct terrane_cave *cave;
    int caves;
};

static inline float *ponds_new(const struct terrane_recipe *recipe, const struct terrane_window *window,
                               const float *ground)
{
    float *depth_m = malloc(samples_of(window) * sizeof *depth_m);
    assert_non_null(depth_m);
    for (int j = 0; j < window->height; j++)
        for (int i = 0; i < window->width; i++) {
            const size_t k = (size_t)j * (size_t)window->width + (size_t)i;
            const uint64_t pond = hash_absorb(hash_absorb(77, (uint64_t)((window->gi + i) >> 3)),
                                              (uint64_t)((window->gj + j) >> 3));
            depth_m[k] = ground[k] < recipe->sea_m ? recipe->sea_m - ground[k] : pond % 29 == 0 ? 1 : 0;
        }
    return depth_m;
}

static inline float *part_new(const struct terrane_window *all, const float *samples, int each,
                              const struct terrane_window *part)
{
    const size_t row = (size_t)part->width * (size_t)each;
    float *out = malloc((size_t)part->height * row * sizeof *out);
    assert_non_null(out);
    assert_true(part->gi >= all->gi && part->gi + part->width <= all->gi + all->width);
    assert_true(part->gj >= all->gj && part->gj + part->height <= all->gj + all->height);
    for (int j = 0; j < part->height; j++)
        memcpy(out + (size_t)j * row, samples + place_of(all, part->gi, part->gj + j) * (size_t)each,
               row * sizeof *out);
    return out;
}

/* Of ground and water that are given. They are copied into memory that ends where they do. */
static inline struct caves_made caves_of(const struct terrane_world *world,
                                         const struct terrane_window *window, float *ground, float *depth_m)
{
    struct caves_made made = {.window = *window, .ground = ground, .depth_m = depth_m};
    terrane_caves_needs(world->recipe, window, &made.around);
    made.floor_ceiling = malloc(2 * samples_of(window) * sizeof *made.floor_ceiling);
    made.cave = malloc(TERRANE_CAVES_MAX * sizeof *made.cave);
    assert_true(made.floor_ceiling && made.cave);
    assert_int_equal(terrane_caves(world, window, ground, depth_m, &guarded_memory, made.floor_ceiling,
                                   made.cave, &made.caves),
                     0);
    made.own_ground = part_new(&made.around, ground, 1, window);
    return made;
}

static inline struct caves_made caves_new(const struct terrane_world *world,
                                          const struct terrane_window *window)
{
    struct terrane_window around;
    terrane_caves_needs(world->recipe, window, &around);
    float *ground = layer_new(world, LAYER_HEIGHTS, &around, scratch);
    return caves_of(world, window, ground, ponds_new(world->recipe, &around, ground));
}

static inline void caves_free(struct caves_made *made)
{
    free(made->ground), free(made->depth_m), free(made->own_ground), free(made->floor_ceiling);
    free(made->cave);
}

static inline struct terrane_cave_mesh mesh_memory_new(void)
{
    struct terrane_cave_mesh mesh = {
        .vertex = malloc(3 * TERRANE_CAVE_VERTICES_MAX * sizeof(float)),
        .normal = malloc(3 * TERRANE_CAVE_VERTICES_MAX * sizeof(float)),
        .index = malloc(3 * TERRANE_CAVE_TRIANGLES_MAX * sizeof(uint32_t)),
    };
    assert_true(mesh.vertex && mesh.normal && mesh.index);
    return mesh;
}

static inline void mesh_memory_free(struct terrane_cave_mesh *mesh)
{
    free(mesh->vertex), free(mesh->normal), free(mesh->index);
}

static inline void mesh_make(const struct terrane_world *world, const struct caves_made *made,
                             const struct terrane_cave *cave, struct terrane_cave_mesh *mesh)
{
    assert_int_equal(terrane_cave_mesh(world, &made->window, cave, made->own_ground, made->floor_ceiling,
                                       &guarded_memory, mesh),
                     0);
}

static inline int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static inline bool has_u64(const uint64_t *sorted, size_t count, uint64_t key)
{
    return bsearch(&key, sorted, count, sizeof key, compare_u64) != NULL;
}

/* The directed edges, from << 32 | to, sorted. Returns owned. */
static inline uint64_t *mesh_edges_new(const struct terrane_cave_mesh *mesh)
{
    const size_t count = 3 * (size_t)mesh->triangles;
    uint64_t *edge = malloc((count ? count : 1) * sizeof *edge);
    assert_non_null(edge);
    for (size_t k = 0; k < count; k++)
        edge[k] = (uint64_t)mesh->index[k] << 32 | mesh->index[k % 3 == 2 ? k - 2 : k + 1];
    qsort(edge, count, sizeof *edge, compare_u64);
    return edge;
}

static inline uint64_t turned(uint64_t edge)
{
    return edge << 32 | edge >> 32;
}

/* Returns owned: each vertex is a part of its own. */
static inline uint32_t *parts_new(const struct terrane_cave_mesh *mesh)
{
    uint32_t *parent = malloc((size_t)mesh->vertices * sizeof *parent);
    assert_non_null(parent);
    for (uint32_t v = 0; v < (uint32_t)mesh->vertices; v++)
        parent[v] = v;
    return parent;
}

static inline uint32_t part_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

#endif
