/*
 * Golden digests: prints what the library makes of a fixed list of cases, as JSON. tests/golden/check
 * compares it with samples.json for every instruction set; `make golden` does so for compilers and
 * optimisation levels, `make test-cross` for other machines.
 *
 * A digest is SipHash-2-4-128 of the samples as little-endian bytes: of samples, never of encoded images,
 * since those change with the compressor. Only the library and libc are used, so that it runs wherever the
 * library does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/digest.h"
#include "../../lib/terrane.h"

enum { SAMPLES = 257 * 257, BYTES = SAMPLES * 4 * 4 };

static uint8_t bytes[BYTES];
static float values[SAMPLES * 4];
static uint8_t zones[SAMPLES];
static void *scratch;
static int cases;

static void need(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "golden: %s failed\n", what);
    exit(1);
}

static void print(const char *name, size_t count)
{
    uint64_t digest[2];
    digest_siphash(bytes, count, 2, digest);
    printf("%s\n    \"%s\": \"%016" PRIx64 "%016" PRIx64 "\"", cases++ ? "," : "", name, digest[1],
           digest[0]);
}

/* Floats as little-endian bytes, whatever this machine's order. */
static void print_floats(const char *name, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int b = 0; b < 4; b++)
            bytes[4 * i + (size_t)b] = (uint8_t)(bits >> 8 * b);
    }
    print(name, count * 4);
}

static void print_doubles(const char *name, const double *v, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        for (int b = 0; b < 8; b++)
            bytes[8 * i + (size_t)b] = (uint8_t)(bits >> 8 * b);
    }
    print(name, count * 8);
}

static void print_measure(const char *name, const struct terrane_world *world,
                          const struct terrane_window *window)
{
    struct terrane_measure m;
    terrane_measure_heights(world, window, values, &m);
    const double v[] = {(double)m.min_m,      (double)m.max_m,      m.mean_m,
                        m.centroid_m[0],      m.centroid_m[1],      m.centroid_m[2],
                        m.box_low_m[0],       m.box_low_m[1],       m.box_high_m[0],
                        m.box_high_m[1],      m.sphere_centre_m[0], m.sphere_centre_m[1],
                        m.sphere_centre_m[2], m.sphere_radius_m};
    print_doubles(name, v, sizeof v / sizeof *v);
}

/* All layers of one tile; of a size, since the whole list has to run under emulation, too. */
static void tile(const char *title, const struct terrane_world *world, int level, int64_t x, int64_t y,
                 int size)
{
    struct terrane_window window;
    char name[160];
    const size_t count = (size_t)size * (size_t)size;
    need(terrane_window_tile(&window, level, x, y, size) == 0, "window");
#define NAME(layer) \
    snprintf(name, sizeof name, "%s lod %d tile %" PRId64 " %" PRId64 " %s", title, level, x, y, layer)
    need(terrane_heights(world, &window, scratch, values) == 0, "heights");
    NAME("measure");
    print_measure(name, world, &window);
    NAME("height");
    print_floats(name, count);
    need(terrane_normals(world, &window, scratch, values) == 0, "normals");
    NAME("normal");
    print_floats(name, count * 3);
    need(world->recipe.partition.zones <= 4, "room for weights");
    need(terrane_zones(world, &window, scratch, zones, values) == 0, "zones");
    NAME("weights");
    print_floats(name, count * (size_t)world->recipe.partition.zones);
    memcpy(bytes, zones, count);
    NAME("zones");
    print(name, count);
#undef NAME
}

static void world_of(struct terrane_world *world, const struct terrane_recipe *recipe, uint64_t seed,
                     const char *title)
{
    char name[80];
    need(terrane_world_init(world, recipe, seed) == 0, "world");
    memcpy(bytes, world->digest.byte, sizeof world->digest.byte);
    snprintf(name, sizeof name, "%s world %" PRIu64, title, seed);
    print(name, sizeof world->digest.byte);
}

static void bases(void)
{
    static const char *const name[TERRANE_BASES] = {"value", "polynomial", "polynomial-c1", "perlin3",
                                                    "perlin5"};
    for (int b = 0; b < TERRANE_BASES; b++) {
        const struct terrane_recipe recipe = {
            .spacing_m = 0.5,
            .alias_octaves = 1,
            .offset_m = -3,
            .low_m = -2048,
            .high_m = 2048,
            .base = {(enum terrane_base)b, 7, 8, 7, 400, 0.48f},
            .detail = {(enum terrane_base)((b + 1) % TERRANE_BASES), 8, 10, 12, 600, 0.5f},
            .partition = {(enum terrane_base)((b + 2) % TERRANE_BASES),
                          9,
                          9,
                          3,
                          0.25f,
                          {-0.3f, 0.2f},
                          {{"low", 0.1f, -40, {0}}, {"mid", 0.7f, 0, {0}}, {"high", 1.5f, 90, {0}}}},
        };
        struct terrane_world world;
        world_of(&world, &recipe, UINT64_C(0xFEDCBA9876543210), name[b]);
        tile(name[b], &world, 0, 0, 0, 257);
        tile(name[b], &world, 0, -1, INT64_C(33554432) - 1, 129); /* columns and rows near 2^32 cells */
        tile(name[b], &world, 2, TERRANE_TILE_LIMIT - 1, -TERRANE_TILE_LIMIT, 65);
        tile(name[b], &world, 5, -7, 12, 33);
    }
}

static void continents(void)
{
    static const int level[] = {0, 3, 6, 10, 13, 16, 24};
    struct terrane_world world;
    world_of(&world, terrane_recipe_default(), 42, "continents");
    for (size_t i = 0; i < sizeof level / sizeof *level; i++) {
        tile("continents", &world, level[i], 3, -2, level[i] ? 65 : 257);
        tile("continents", &world, level[i], -TERRANE_TILE_LIMIT, TERRANE_TILE_LIMIT - 1, 65);
    }
    world_of(&world, terrane_recipe_default(), UINT64_MAX, "continents");
    tile("continents of another seed", &world, 0, 3, -2, 65);
}

int main(int argc, char **argv)
{
    const int error = terrane_init(argc > 1 ? argv[1] : NULL);
    if (error) {
        fprintf(stderr, "golden: %s\n", terrane_error_text(error));
        return 2;
    }
    if (argc > 1 && strcmp(argv[1], terrane_isa()) != 0)
        return 2;
    scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, (terrane_scratch_bytes() + TERRANE_SCRATCH_ALIGN - 1) /
                                                       TERRANE_SCRATCH_ALIGN * TERRANE_SCRATCH_ALIGN);
    need(scratch != NULL, "memory");
    printf("{\n  \"generator\": %d,\n  \"digests\": {", TERRANE_GENERATOR_VERSION);
    bases();
    continents();
    printf("\n  }\n}\n");
    free(scratch);
    return 0;
}
