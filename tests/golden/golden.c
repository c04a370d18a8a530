/*
 * Golden digests: prints what the library makes of a fixed list of cases, as JSON. tests/golden/check
 * compares it with kept/ for every instruction set; `make golden` does so for compilers and
 * optimisation levels, `make test-cross` for other machines.
 *
 * A digest is SipHash-2-4-128 of the samples as little-endian bytes: of samples, never of encoded images,
 * since those change with the compressor. Only the library and libc are used, so that it runs wherever the
 * library does. The whole list has to run under emulation, too: windows are small, but wider than the
 * longest block and where a row crosses cells of every size; cases.h has the recipes.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "../../lib/base/digest.h"
#include "../../lib/recipe/bounds.h"
#include "../../lib/recipe/kinds.h"
#include "../../lib/shade/shade.h"
#include "../../lib/term/noise_at.h"
#include "../../lib/terrane_make.h"
#include "cases.h"
#include "golden.h"
#include "shipped.h"

enum { SAMPLES = 257 * 257, BYTES = 8 << 20 };

/* What the next digest is of. */
static uint8_t bytes[BYTES];
static size_t length;

static float heights[SAMPLES], values[SAMPLES * TERRANE_ZONES_MAX];
static uint8_t octets[SAMPLES * 3];
static int cases;

int generator;
static bool dear; /* what takes most of the time of what ships is made, too */

void need(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "golden: %s failed\n", what);
    exit(1);
}

void *need_memory(size_t size)
{
    const size_t align = TERRANE_SCRATCH_ALIGN;
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);
    need(memory != NULL, "memory");
    return memory;
}

static void *lent[1024];
static size_t lents;

void *lend(size_t size)
{
    need(lents < sizeof lent / sizeof *lent, "room for what is lent");
    return lent[lents++] = need_memory(size);
}

/* ---- Digests ------------------------------------------------------------------------------------------- */

void put(uint64_t bits, int size)
{
    need(length + (size_t)size <= BYTES, "room for bytes");
    for (int b = 0; b < size; b++)
        bytes[length++] = (uint8_t)(bits >> 8 * b);
}

void put_octets(const uint8_t *v, size_t count)
{
    need(length + count <= BYTES, "room for bytes");
    memcpy(bytes + length, v, count);
    length += count;
}

void put_floats(const float *v, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        put(bits, 4);
    }
}

void put_doubles(const double *v, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        put(bits, 8);
    }
}

void print(const char *name)
{
    uint64_t digest[2];
    digest_siphash(bytes, length, 2, digest);
    printf("%s\n    \"%s\": \"%016" PRIx64 "%016" PRIx64 "\"", cases++ ? "," : "", name, digest[1],
           digest[0]);
    length = 0;
    while (lents > 0)
        free(lent[--lents]);
}

void print_as(const char *format, ...)
{
    char name[160];
    va_list rest;
    va_start(rest, format);
    vsnprintf(name, sizeof name, format, rest);
    va_end(rest);
    print(name);
}

/* ---- Layers -------------------------------------------------------------------------------------------- */

static void put_heights(const struct terrane_world *world, const struct terrane_window *window)
{
    need(samples_of(window) <= SAMPLES, "room for samples");
    need(terrane_heights(world, window, NULL, heights) == 0, "heights");
    put_floats(heights, samples_of(window));
}

static void put_bounds(const struct terrane_recipe *recipe)
{
    double bounds[2];
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++) {
        const double error = terrane_level_error_m(recipe, level);
        put_doubles(&error, 1);
    }
    terrane_height_bounds_m(recipe, &bounds[0], &bounds[1]);
    put_doubles(bounds, 2);
}

static void put_normals(const struct terrane_world *world, const struct terrane_window *window)
{
    need(terrane_normals(world, window, NULL, values) == 0, "normals");
    put_floats(values, samples_of(window) * 3);
}

static void put_zones(const struct terrane_world *world, const struct terrane_window *window)
{
    const size_t count = samples_of(window);
    need(terrane_zones(world, window, NULL, octets, values) == 0, "zones");
    put_octets(octets, count);
    put_floats(values, count * (size_t)world->recipe->partition.zones);
}

static void put_measure(const struct terrane_world *world, const struct terrane_window *window)
{
    struct terrane_measure m;
    terrane_measure_heights(world, window, heights, &m);
    const double v[] = {(double)m.min_m,      (double)m.max_m,      m.mean_m,
                        m.centroid_m[0],      m.centroid_m[1],      m.centroid_m[2],
                        m.box_low_m[0],       m.box_low_m[1],       m.box_high_m[0],
                        m.box_high_m[1],      m.sphere_centre_m[0], m.sphere_centre_m[1],
                        m.sphere_centre_m[2], m.sphere_radius_m};
    put_doubles(v, sizeof v / sizeof *v);
}

/* The pictures that are made of samples: slopes, hillshade, relief. */
static void put_shading(const struct terrane_world *world, const struct terrane_window *window)
{
    static float normals[SAMPLES * 3], degrees[SAMPLES];
    const size_t count = samples_of(window);
    need(terrane_heights(world, window, NULL, heights) == 0, "heights");
    need(terrane_normals(world, window, NULL, normals) == 0, "normals");
    need(terrane_zones(world, window, NULL, NULL, values) == 0, "zones");
    terrane_slopes(normals, count, degrees);
    put_floats(degrees, count);
    terrane_hillshade(window->level, normals, count, octets);
    put_octets(octets, count);
    terrane_relief(world->recipe, window->level, heights, normals, values, NULL, count, octets);
    put_octets(octets, count * 3);
}

struct terrane_world world_of(struct terrane_recipe *recipe, uint64_t seed)
{
    struct terrane_world world;
    int where;
    recipe->generator = generator;
    need(terrane_recipe_init(recipe, &where) == 0, "recipe");
    terrane_world_init(&world, recipe, seed);
    return world;
}

void put_recipe(struct terrane_recipe *recipe, uint64_t seed, const struct terrane_window *window,
                size_t windows)
{
    double bounds[2];
    const struct terrane_world world = world_of(recipe, seed);
    put_octets(recipe->digest.byte, sizeof recipe->digest.byte);
    terrane_height_bounds_m(recipe, &bounds[0], &bounds[1]);
    put_doubles(bounds, 2);
    for (size_t i = 0; i < windows; i++)
        put_heights(&world, &window[i]);
}

/* ---- Fractals ------------------------------------------------------------------------------------------ */

static const struct terrane_window fractal_windows[] = {
    {.gi = -21, .gj = 1000003, .step = 1, .width = 75, .height = 11},
    {.level = 2, .gi = INT64_C(1) << 40, .gj = -5, .step = 3, .width = 9, .height = 5},
};

static void put_fractal_windows(const struct terrane_world *world)
{
    for (size_t i = 0; i < sizeof fractal_windows / sizeof *fractal_windows; i++) {
        put_heights(world, &fractal_windows[i]);
        put_normals(world, &fractal_windows[i]);
    }
}

/* Every base in every kind; a digest is of heights and normals of all windows, made in every way. */
static void fractals(void)
{
    for (int base = 0; base < TERRANE_BASES; base++)
        for (int kind = 0; kind < TERRANE_MIDPOINT; kind++) {
            for (int way = 0; way < CASE_WAYS; way++) {
                struct terrane_recipe recipe;
                case_fractal(&recipe, (enum terrane_base)base, (enum terrane_fractal_kind)kind,
                             (enum case_way)way);
                const struct terrane_world world = world_of(&recipe, UINT64_C(0xFEDCBA9876543210));
                put_fractal_windows(&world);
            }
            print_as("%s of %s", case_kind_name[kind], base_rows[base].name);
        }
}

/* One octave with cells of each size, on their own: shorter than a vector, as long, longer; and far cells. */
static void cells(void)
{
    static const int64_t far[] = {0, INT64_C(1) << 32, -(INT64_C(1) << 32), INT64_C(1) << 40};
    for (int base = 0; base < TERRANE_BASES; base++) {
        for (int way = CASE_LATTICE; way <= CASE_POINTS; way++)
            for (int k = 0; k <= 9; k += k < 4 ? 1 : 5)
                for (int at = 0; at < 4; at++) {
                    struct terrane_recipe recipe;
                    case_octave(&recipe, (enum terrane_base)base, k, (enum case_way)way);
                    const struct terrane_world world = world_of(&recipe, 5);
                    const int64_t carry = far[at] * (INT64_C(1) << k); /* the shift lies in cell 0 or -1 */
                    const struct terrane_window window = {0, carry - 37, -carry - 2, 1, 67, 4};
                    put_heights(&world, &window);
                    put_normals(&world, &window);
                }
        print_as("cells of %s", base_rows[base].name);
    }
}

/* Ends and middles of the numbers that bases have for themselves; bases that change from octave to octave. */
static void members(void)
{
    for (int turn = 0; turn < CASE_MEMBERS; turn++) {
        for (int way = 0; way < CASE_WAYS; way++) {
            struct terrane_recipe recipe;
            case_members(&recipe, (enum case_way)way, turn);
            const struct terrane_world world = world_of(&recipe, 6);
            put_fractal_windows(&world);
        }
        print_as("members %d", turn);
    }
}

static void midpoints(void)
{
    for (int kind = TERRANE_MIDPOINT; kind <= TERRANE_MIDPOINT_SMOOTHED; kind++) {
        struct terrane_recipe recipe;
        case_midpoint(&recipe, (enum terrane_fractal_kind)kind);
        const struct terrane_world world = world_of(&recipe, 7);
        for (int level = 0; level <= 8; level += 2) {
            const struct terrane_window window = {level, -19, 77, 1, 70, 12};
            put_heights(&world, &window);
            put_normals(&world, &window);
        }
        print(case_kind_name[kind]);
    }
}

/* ---- Terms and zones ----------------------------------------------------------------------------------- */

static void terms(void)
{
    for (int op = TERRANE_OP_SUM; op < TERRANE_OPS; op++) {
        if (op > TERRANE_OP_CURVE &&
            op_rows[op].most < TERRANE_INPUTS_MAX) /* those have digests of their own */
            continue;
        for (int way = CASE_LATTICE; way <= CASE_POINTS; way++) {
            struct terrane_recipe recipe;
            case_term(&recipe, (enum terrane_op)op, (enum case_way)way);
            const struct terrane_world world = world_of(&recipe, 8);
            put_fractal_windows(&world);
        }
        print(terrane_op_name[op]);
    }
}

static void partitions(void)
{
    static const int level[] = {0, 2, 4, 9};
    for (int kind = 0; kind < TERRANE_PARTITION_KINDS; kind++)
        for (int turn = 0; turn < CASE_PARTITIONS; turn++) {
            struct terrane_recipe recipe;
            case_partition(&recipe, (enum terrane_partition_kind)kind, turn);
            const struct terrane_world world = world_of(&recipe, 9);
            for (size_t i = 0; i < sizeof level / sizeof *level; i++) {
                const struct terrane_window window = {
                    level[i], i % 2 ? INT64_C(3) << 32 : -40, 31, i == 2 ? 5 : 1, 83, 9};
                put_heights(&world, &window);
                put_normals(&world, &window);
                put_zones(&world, &window);
                put_shading(&world, &window);
            }
            print_as("partition %s %d", case_partition_name[kind], turn);
        }
}

static void put_bounds_of(struct terrane_recipe *recipe, int alias)
{
    recipe->alias_octaves = alias;
    (void)world_of(recipe, 0);
    put_bounds(recipe);
}

static void put_bounds_of_bases(int first, int bases, int alias)
{
    struct terrane_recipe recipe;
    for (int n = 0; n < bases * TERRANE_MIDPOINT * CASE_WAYS; n++) {
        case_fractal(&recipe, (enum terrane_base)(first + n % bases),
                     (enum terrane_fractal_kind)(n / bases % TERRANE_MIDPOINT),
                     (enum case_way)(n / bases / TERRANE_MIDPOINT));
        put_bounds_of(&recipe, alias);
    }
}

/* What is said of heights before any is made: of all cases, with and without octaves that alias. */
static void bounds(void)
{
    struct terrane_recipe recipe;
    for (int alias = 0; alias <= 1; alias++) {
        put_bounds_of_bases(0, CASE_BASES, alias);
        for (int n = 0; n < CASE_WAYS * CASE_MEMBERS; n++) {
            case_members(&recipe, (enum case_way)(n / CASE_MEMBERS), n % CASE_MEMBERS);
            put_bounds_of(&recipe, alias);
        }
        for (int kind = TERRANE_MIDPOINT; kind <= TERRANE_MIDPOINT_SMOOTHED; kind++) {
            case_midpoint(&recipe, (enum terrane_fractal_kind)kind);
            put_bounds_of(&recipe, alias);
        }
        for (int op = TERRANE_OP_SUM; op <= TERRANE_OP_CURVE; op++) {
            case_term(&recipe, (enum terrane_op)op, CASE_LATTICE);
            put_bounds_of(&recipe, alias);
        }
        for (int n = 0; n < TERRANE_PARTITION_KINDS * CASE_PARTITIONS; n++) {
            case_partition(&recipe, (enum terrane_partition_kind)(n / CASE_PARTITIONS), n % CASE_PARTITIONS);
            put_bounds_of(&recipe, alias);
        }
        print(alias ? "bounds and level errors, aliased" : "bounds and level errors");
    }
    for (int base = CASE_BASES; base < TERRANE_BASES; base++) {
        put_bounds_of_bases(base, 1, 0);
        put_bounds_of_bases(base, 1, 1);
        print_as("bounds and level errors of %s", base_rows[base].name);
    }
}

/* ---- Any layer by one call ------------------------------------------------------------------------------ */

static void layers(void)
{
    static float out[33 * 33 * TERRANE_ZONES_MAX];
    struct terrane_window window;
    struct terrane_recipe recipe;
    recipe_shipped(&recipe, "continents", generator);
    const struct terrane_world world = world_of(&recipe, 42);
    need(terrane_window_tile(&window, 9, -4, 2, 33) == 0, "a window");
    for (int layer = 0; layer < TERRANE_LAYERS; layer++) {
        need(terrane_make(&world, &window, (enum terrane_layer)layer, TERRANE_VARIANT_BASE, NULL, NULL,
                          out) == 0,
             "a layer");
        put_floats(out, (size_t)(33 * 33) * (size_t)terrane_layer_values(&recipe, (enum terrane_layer)layer));
        print_as("layer %s", terrane_layer_name[layer]);
    }
}

/* ---- Noise at a point ---------------------------------------------------------------------------------- */

static void points(void)
{
    static const enum terrane_base base[] = {TERRANE_PERLIN3, TERRANE_PERLIN5, TERRANE_SIMPLEX};
    static const int dimensions[] = {1, 3, 4};
    for (int b = 0; b < 3; b++) {
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < 1000; k++) {
                const double far = k % 3 == 0 ? 0 : k % 3 == 1 ? 0x1p32 : -0x1p45;
                double at[4];
                float value, slope[4] = {0};
                for (int axis = 0; axis < 4; axis++)
                    at[axis] = far + (double)((k * (7919 + 104 * axis)) % 65536) / 256 - 128;
                need(terrane_noise_at(base[b], dimensions[d], (uint64_t)k, at, &value, slope) == 0,
                     "noise at a point");
                put_floats(&value, 1);
                put_floats(slope, (size_t)dimensions[d]);
            }
        print_as("%s at points of 1, 3 and 4 dimensions", base_rows[base[b]].name);
    }
}

/* ---- The recipes that ship ---------------------------------------------------------------------------- */

/* All layers of one tile. */
static void put_tile(const struct terrane_world *world, int level, int64_t x, int64_t y, int size)
{
    struct terrane_window window;
    need(terrane_window_tile(&window, level, x, y, size) == 0, "window");
    put_heights(world, &window);
    put_measure(world, &window);
    put_normals(world, &window);
    put_zones(world, &window);
    put_shading(world, &window);
}

static void defaults(void)
{
    static const int level[] = {0, 3, 6, 10, 13, 16, 24};
    struct terrane_window window;
    struct terrane_recipe recipe;
    struct terrane_world world;
    recipe_shipped(&recipe, "continents", generator);
    terrane_world_init(&world, &recipe, 42);
    put_octets(recipe.digest.byte, sizeof recipe.digest.byte);
    put_octets(world.digest.byte, sizeof world.digest.byte);
    print("default world 42");
    put_bounds(&recipe);
    print("default bounds and level errors");
    need(terrane_window_tile(&window, 0, 3, -2, 65) == 0, "window");
    put_heights(&world, &window); /* the self-test's, too */
    print("default, level 0, tile 3 -2 of 65: heights");
    for (size_t i = 0; i < sizeof level / sizeof *level; i++) {
        put_tile(&world, level[i], 3, -2, 65);
        put_tile(&world, level[i], -TERRANE_TILE_LIMIT, TERRANE_TILE_LIMIT - 1, 33);
        print_as("default, level %d, tiles of 65 and 33", level[i]);
    }
    put_tile(&world, 0, 3, -2, 257);
    print("default, a tile of 257");
    put_tile(&world, 5, -1, 7, 128);
    print("default, a tile of 128");
    terrane_world_init(&world, &recipe, UINT64_MAX);
    put_tile(&world, 0, 3, -2, 33);
    print("default of another seed");
}

/* The recipe's own digest, as it is: tests/config compares it with the JSON file's. */
static void print_recipe(const char *title, const struct terrane_recipe *recipe)
{
    printf(",\n    \"%s recipe\": \"", title);
    for (size_t i = 0; i < sizeof recipe->digest.byte; i++)
        printf("%02x", (unsigned)recipe->digest.byte[i]);
    printf("\"");
}

/* Everything under config/worlds: whatever its recipes lean on is followed from here. */
static void shipped(void)
{
    static const char *const all[] = {"alpine",     "archipelago", "badlands",
                                      "continents", "desert",      "wayfarer"};
    static const int level[] = {0, 5, 9, 13};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        struct terrane_recipe recipe;
        struct terrane_world world;
        recipe_shipped(&recipe, all[k], generator);
        print_recipe(all[k], &recipe);
        terrane_world_init(&world, &recipe, 42);
        for (size_t i = 0; i < sizeof level / sizeof *level; i++)
            put_tile(&world, level[i], -7, 11, 33);
        put_tile(&world, 0, TERRANE_TILE_LIMIT - 1, -TERRANE_TILE_LIMIT, 33);
        print_as("%s, tiles of 33", all[k]);
        shipped_water(&world, all[k], strcmp(all[k], "continents") == 0);
        /* of generators that are kept each has another one's layers */
        const bool finest = strcmp(all[k], "continents") == 0;
        shipped_rivers(&world, all[k], finest,
                       dear || finest || (size_t)generator % (sizeof all / sizeof *all) == k);
        if (generator >= 17 && finest)
            shipped_relief(&world, "relief of rivers", false);
        if (strcmp(all[k], "wayfarer") != 0)
            continue;
        if (generator >= 17)
            shipped_relief(&world, "relief of a broad river", true);
        if (generator >= 16)
            shipped_bridge(&world);
    }
}

/* In the order of kept/. ships: what is checked of a generator that is kept wherever the newest is checked. */
static const struct section {
    void (*run)(void);
    bool ships;
} section[] = {
    {fractals, false},   {cells, false},  {members, false}, {midpoints, false}, {terms, false},
    {partitions, false}, {bounds, false}, {layers, false},  {covers, false},    {points, false},
    {erosions, false},   {waters, false}, {paths, false},   {caves, false},     {earths, false},
    {models, false},     {edits, false},  {rasters, false}, {patches, false},   {defaults, true},
    {shipped, true},
};

/*
 * golden [ISA [GENERATOR [all]]]: with a generator only layers of rivers of two recipes, and of an older one what ships alone; or
 * all.
 */
int main(int argc, char **argv)
{
    const int error = terrane_init(argc > 1 ? argv[1] : NULL);
    generator = argc > 2 ? (int)strtol(argv[2], NULL, 10) : TERRANE_GENERATOR_VERSION;
    const bool all = argc > 3 || generator == TERRANE_GENERATOR_VERSION;
    dear = argc < 3 || argc > 3;
    if (error) {
        fprintf(stderr, "golden: %s\n", terrane_error_text(error));
        return 2;
    }
    if (argc > 1 && strcmp(argv[1], terrane_isa()) != 0)
        return 2;
    printf("{\n  \"generator\": %d,\n  \"digests\": {", generator);
    for (size_t k = 0; k < sizeof section / sizeof *section; k++)
        if (all || section[k].ships)
            section[k].run();
    printf("\n  }\n}\n");
    return 0;
}
