/*
 * What libterrane makes of a window that is asked for alone, without regions and anchors: ground, water, rooms for networks of
 * paths. Includes nothing of the server.
 */
#ifndef TERRANE_TESTS_DIRECT_KIT_H
#define TERRANE_TESTS_DIRECT_KIT_H

#include "unit.h"

#include "../../lib/base/window.h"
#include "../../lib/erosion/erosion.h"
#include "../../lib/terrane_features.h"
#include "../../lib/water/water.h"

/* Aligned as the library wants it, and never empty; owned. */
static inline void *direct_room(size_t bytes)
{
    const size_t align = TERRANE_SCRATCH_ALIGN;
    void *memory = aligned_alloc(align, (bytes + align) / align * align);
    assert_non_null(memory);
    return memory;
}

static inline float *direct_floats(size_t count)
{
    return memset(direct_room(count * sizeof(float)), 0, count * sizeof(float));
}

/* Erosion of all that a window spans; its arrays are owned. */
static inline struct terrane_eroded direct_erosion(const struct terrane_world *world,
                                                   const struct terrane_window *window,
                                                   const struct terrane_memory *memory)
{
    struct terrane_window all = *window;
    all.step = 1;
    all.width = (window->width - 1) * window->step + 1;
    all.height = (window->height - 1) * window->step + 1;
    struct terrane_eroded eroded = {all, direct_room(samples_of(&all) * 4),
                                    direct_room(samples_of(&all) * 4)};
    assert_int_equal(terrane_erode(world, NULL, memory, &eroded), 0);
    return eroded;
}

static inline void direct_erosion_free(struct terrane_eroded *eroded)
{
    free(eroded->delta);
    free(eroded->flow);
}

/* Ground of a window; if so asked, eroded where its level erodes. */
static inline void direct_ground(const struct terrane_world *world, const struct terrane_window *window,
                                 bool eroded, const struct terrane_memory *memory, float *heights)
{
    assert_int_equal(terrane_heights(world, window, memory, heights), 0);
    if (!eroded || window->level >= world->recipe->erosion.levels)
        return;
    struct terrane_eroded product = direct_erosion(world, window, memory);
    assert_int_equal(terrane_eroded_heights(world->recipe, window, &product, heights), 0);
    direct_erosion_free(&product);
}

static inline float *direct_ground_new(const struct terrane_world *world, const struct terrane_window *window,
                                       bool eroded, const struct terrane_memory *memory)
{
    float *heights = direct_floats(samples_of(window));
    direct_ground(world, window, eroded, memory, heights);
    return heights;
}

/* Water over heights of a window, whose lakes lie on ground as direct_ground has it. surface_m: or NULL. */
static inline void direct_water(const struct terrane_world *world, const struct terrane_window *window,
                                const float *heights, bool eroded, const struct terrane_memory *memory,
                                float *surface_m, float *depth_m)
{
    struct terrane_window lakes, around;
    float *level_m = NULL;
    if (terrane_water_needs(world->recipe, window, &lakes)) {
        terrane_lakes_needs(world->recipe, &lakes, &around);
        float *ground = direct_ground_new(world, &around, eroded, memory);
        level_m = direct_floats(samples_of(&lakes));
        assert_int_equal(terrane_lakes(world, &lakes, ground, memory, level_m), 0);
        free(ground);
    }
    assert_int_equal(
        terrane_water(world->recipe, window, heights, level_m ? &lakes : NULL, level_m, surface_m, depth_m),
        0);
    free(level_m);
}

/* Room for a region's network; owned. */
static inline struct terrane_path_network direct_network(void)
{
    return (struct terrane_path_network){
        .node = direct_room(TERRANE_PATHS_NODES_MAX * sizeof(struct terrane_path_node)),
        .edge = direct_room(TERRANE_PATHS_EDGES_MAX * sizeof(struct terrane_path_edge)),
        .point = direct_room(TERRANE_PATHS_POINTS_MAX * sizeof(struct terrane_path_point)),
    };
}

static inline void direct_network_free(struct terrane_path_network *network)
{
    free(network->node);
    free(network->edge);
    free(network->point);
}

#endif
