/*
 * Golden digests of paths through patches: lines, limits, both relaxations, the fast way and distances. golden.c has the rest.
 */
#include <stdio.h>

#include "../../tests/golden/golden.h"
#include "patch_ground_kit.h"

static void put_units(const int32_t *v, size_t count)
{
    for (size_t k = 0; k < count; k++)
        put((uint64_t)v[k], 4);
}

static void put_report(const struct terrane_relax_report *report)
{
    put((uint64_t)report->how, 4);
    put((uint64_t)report->iterations, 8);
    for (int k = 0; k < TERRANE_HOLDS; k++) {
        put((uint64_t)report->held[k], 8);
        put((uint64_t)report->unsatisfied[k], 8);
        put_doubles(&report->distance[k], 1);
    }
}

static void put_lines(struct kit *kit)
{
    enum { ROOM = 4096 };
    int line[5], sample[ROOM];
    need(terrane_patch_lines(&kit->patch, &kit->graph, &kit->shape, kit->ground, kit->memory, &kit->limits,
                             line, sample, ROOM, NULL) == 0,
         "lines of a patch");
    for (int e = 0, at = 0; e < kit->graph.edges; at += line[e++])
        for (int k = 0; k < line[e]; k++)
            put((uint64_t)sample[at + k], 4);
    put_floats(kit->limits.gradient, kit->samples);
    put_floats(kit->limits.across, kit->samples);
    put_floats(kit->limits.across_x, kit->samples);
    put_floats(kit->limits.across_y, kit->samples);
    put_floats(kit->limits.roughness, kit->samples);
}

/* How far the heights are from what the patch was. */
static void put_distance(const struct kit *kit, const int32_t *from)
{
    void *memory = need_memory(terrane_patch_distance_bytes(&kit->patch));
    double distance;
    need(terrane_patch_distance(&kit->patch, from, kit->units, memory, &distance) == 0, "a distance");
    put_doubles(&distance, 1);
    free(memory);
}

static void patch(int side, double slope, enum terrane_beside beside)
{
    struct kit kit;
    struct terrane_relax_report report;
    kit_make(&kit, side, (uint64_t)side);
    kit_graph(&kit, slope);
    kit.shape.beside = beside;
    kit.relax.iterations_max = 300;
    int32_t *from = need_memory(kit.samples * sizeof *from);
    put_lines(&kit);
    kit_start(&kit);
    memcpy(from, kit.units, kit.samples * sizeof *from);
    need(terrane_patch_relax(&kit.patch, &kit.limits, &kit.relax, kit.memory, kit.heights, &report) == 0,
         "relax");
    put_doubles(kit.heights, kit.samples);
    put_report(&report);
    need(terrane_patch_relax_integer(&kit.patch, &kit.limits, &kit.relax, kit.memory, kit.units, &report) ==
             0,
         "relax in integers");
    put_units(kit.units, kit.samples);
    put_report(&report);
    put_distance(&kit, from);
    kit_start(&kit);
    need(terrane_patch_carve(&kit.patch, &kit.limits, kit.memory, kit.units) == 0, "carve");
    put_units(kit.units, kit.samples);
    put_distance(&kit, from);
    free(from);
    kit_free(&kit);
}

void patches(void)
{
    static const double slope[] = {0.0005, 0.0035, 0.0095};
    for (int side = 9; side <= 65; side = 2 * side - 1)
        for (int k = 0; k < 3; k++) {
            char name[80];
            patch(side, slope[k], k == 1 ? TERRANE_BESIDE_ROUGHNESS : TERRANE_BESIDE_ACROSS);
            snprintf(name, sizeof name, "patch %d, slope %d", side, k);
            print(name);
        }
}
