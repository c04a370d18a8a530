/*
 * terrane bench: what this machine makes of terrane. Kernels of every usable instruction set, then whole
 * tiles in their formats. Comparisons with other programs are `make bench`'s.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../base/check.h"
#include "../render/product.h"
#include "tool.h"

enum { WARM_UPS = 20, RUNS = 201, REGION_RUNS = 21 };

static const char usage[] = "usage: terrane bench [--json]\n\n"
                            "Measures kernels and encoders on this machine, one thread: the median of 201 "
                            "runs, each of another tile\n"
                            "(of 21 where regions are eroded).\n"
                            "  --json    one JSON object instead of a table\n";

/* What is measured: fill makes the k-th tile. */
struct subject {
    const char *name;
    void (*run)(struct subject *subject, int k);
    struct terrane_world world;
    struct tile_key key;
    struct producer *producer;
    struct blob *input; /* the region that the product rests on */
    int runs;           /* 0: RUNS */
    float *out;         /* 257 x 257 x 3 */
    size_t bytes;
};

static struct terrane_window window_of(int k)
{
    struct terrane_window window;
    CHECK(terrane_window_tile(&window, 0, 1000 + k, -77 * k, 257) == 0);
    return window;
}

static void run_heights(struct subject *subject, int k)
{
    const struct terrane_window window = window_of(k);
    CHECK(terrane_heights(&subject->world, &window, &subject->producer->memory, subject->out) == 0);
}

static void run_normals(struct subject *subject, int k)
{
    const struct terrane_window window = window_of(k);
    CHECK(terrane_normals(&subject->world, &window, &subject->producer->memory, subject->out) == 0);
}

static void run_zones(struct subject *subject, int k)
{
    const struct terrane_window window = window_of(k);
    CHECK(terrane_zones(&subject->world, &window, &subject->producer->memory, (uint8_t *)subject->out,
                        NULL) == 0);
}

static void run_tile(struct subject *subject, int k)
{
    struct tile_key key = subject->key;
    struct produce_times times = {0};
    key.x += k;
    CHECK(tile_key_finish(&key) == TILE_FINE);
    struct blob *blob = produce(subject->producer, &key, &subject->world, &times);
    CHECK(blob);
    subject->bytes = blob->bytes;
    blob_release(blob);
}

/* A product whose input is at hand. */
static void make_product(struct subject *subject, const struct product_key *key)
{
    const struct digest digest = product_digest(key, &subject->world);
    struct product_key inputs[PRODUCT_INPUTS_MAX];
    struct product_plan plan;
    struct produce_times times = {0};
    CHECK(product_plan(key, &digest, &subject->world, &plan, inputs) <= 1);
    struct blob *blob = product_make(subject->producer, key, &subject->world, &plan, &subject->input, &times);
    CHECK(blob);
    subject->bytes = blob->bytes;
    blob_release(blob);
}

/* One of the four tiles on a region that is at hand. */
static void run_tile_eroded(struct subject *subject, int k)
{
    struct tile_key key = subject->key;
    key.x += k & 1;
    key.y += k >> 1 & 1;
    CHECK(tile_key_finish(&key) == TILE_FINE);
    const struct product_key product = product_of_tile(&key);
    make_product(subject, &product);
}

/* One of the 16 regions on an anchor that is at hand. */
static void run_region(struct subject *subject, int k)
{
    const struct product_key product = product_of_region(
        &(struct terrane_region){.x = k % 4, .y = k / 4 % 4, .variant = TERRANE_VARIANT_ERODED});
    make_product(subject, &product);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Median microseconds of a run. */
static double measure(struct subject *subject)
{
    uint64_t ns[RUNS] = {0};
    const int runs = subject->runs ? subject->runs : RUNS;
    for (int k = 0; k < WARM_UPS && k < runs; k++)
        subject->run(subject, k);
    for (int k = 0; k < runs; k++) {
        const uint64_t start = uv_hrtime();
        subject->run(subject, WARM_UPS + k);
        ns[k] = uv_hrtime() - start;
    }
    qsort(ns, (size_t)runs, sizeof *ns, compare);
    const uint64_t median = ns[runs / 2];
    return (double)median / 1e3;
}

/* Eight octaves, the first with cells of 128 samples: what libraries of noise are compared by. */
static void recipe_of(struct terrane_recipe *recipe, enum terrane_fractal_kind kind, enum terrane_base base)
{
    struct terrane_term term = terrane_term_fractal(kind);
    term.fractal.octaves = 8;
    term.fractal.cell = 128;
    term.fractal.amplitude_m = 1000;
    memset(term.fractal.base, (int)base, sizeof term.fractal.base);
    memset(recipe, 0, sizeof *recipe);
    recipe->spacing_m = 1;
    recipe->alias_octaves = 1;
    recipe->low_m = -4096;
    recipe->high_m = 4096;
    recipe->terms = 1;
    recipe->term[0] = term;
    recipe->partition.zones = 1;
    CHECK(terrane_recipe_init(recipe, NULL) == 0);
}

static void report(json_t *rows, bool json, const char *isa, const struct subject *subject, double us)
{
    if (json)
        json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:I}", "isa", isa, "what", subject->name, "us",
                                              us, "bytes", (json_int_t)subject->bytes));
    else if (subject->bytes)
        printf("%-8s %-44s %9.1f us %10zu bytes\n", isa, subject->name, us, subject->bytes);
    else
        printf("%-8s %-44s %9.1f us\n", isa, subject->name, us);
    fflush(stdout);
}

static void bench_kernels(json_t *rows, bool json, struct producer *producer, float *out)
{
    enum { SHIPPED = -1 };
    const struct {
        const char *name;
        void (*run)(struct subject *subject, int k);
        int kind, base; /* kind SHIPPED: the default recipe */
    } kernel[] = {
        {"fBm 257x257, 8 octaves, value", run_heights, TERRANE_FBM, TERRANE_VALUE},
        {"fBm 257x257, 8 octaves, zero-gradient D2M1N3", run_heights, TERRANE_FBM, TERRANE_POLYNOMIAL},
        {"fBm 257x257, 8 octaves, zero-gradient C1", run_heights, TERRANE_FBM, TERRANE_POLYNOMIAL_C1},
        {"fBm 257x257, 8 octaves, Perlin S3", run_heights, TERRANE_FBM, TERRANE_PERLIN3},
        {"fBm 257x257, 8 octaves, Perlin S5", run_heights, TERRANE_FBM, TERRANE_PERLIN5},
        {"fBm 257x257, 8 octaves, simplex", run_heights, TERRANE_FBM, TERRANE_SIMPLEX},
        {"fBm 257x257, 8 octaves, cellular F1", run_heights, TERRANE_FBM, TERRANE_CELLULAR_F1},
        {"ridged 257x257, 8 octaves, Perlin S5", run_heights, TERRANE_RIDGED, TERRANE_PERLIN5},
        {"continents 257x257, heights", run_heights, SHIPPED, 0},
        {"continents 257x257, normals", run_normals, SHIPPED, 0},
        {"continents 257x257, zones", run_zones, SHIPPED, 0},
    };
    static struct terrane_recipe recipe;
    for (int k = 0; terrane_isa_usable(k); k++) {
        CHECK(terrane_init(terrane_isa_usable(k)) == 0);
        for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++) {
            struct subject subject = {
                .name = kernel[i].name, .run = kernel[i].run, .producer = producer, .out = out};
            if (kernel[i].kind == SHIPPED)
                terrane_recipe_default(&recipe);
            else
                recipe_of(&recipe, (enum terrane_fractal_kind)kernel[i].kind,
                          (enum terrane_base)kernel[i].base);
            terrane_world_init(&subject.world, &recipe, 42);
            report(rows, json, terrane_isa(), &subject, measure(&subject));
        }
    }
    CHECK(tool_init() == 0);
}

static void bench_tiles(json_t *rows, bool json, struct producer *producer)
{
    const struct {
        const char *name;
        struct tile_key key;
    } tile[] = {
        {"tile 256 terrarium png", {.format = FORMAT_PNG}},
        {"tile 256 gray16 png", {.format = FORMAT_PNG, .enc = ENC_GRAY16}},
        {"tile 256 normal png", {.format = FORMAT_PNG, .layer = LAYER_NORMAL}},
        {"tile 256 partition png", {.format = FORMAT_PNG, .layer = LAYER_PARTITION}},
        {"tile 256 relief png", {.format = FORMAT_PNG, .layer = LAYER_RELIEF}},
        {"tile 256 hillshade png", {.format = FORMAT_PNG, .layer = LAYER_HILLSHADE}},
        {"tile 257 f32", {.format = FORMAT_F32}},
        {"tile 257 r16", {.format = FORMAT_R16}},
        {"tile 257 json", {.format = FORMAT_JSON}},
        {"tile 257 mvt", {.format = FORMAT_MVT}},
    };
    static struct terrane_recipe recipe;
    terrane_recipe_default(&recipe);
    for (size_t i = 0; i < sizeof tile / sizeof *tile; i++) {
        struct subject subject = {
            .name = tile[i].name, .run = run_tile, .key = tile[i].key, .producer = producer};
        subject.key.seed = 42;
        terrane_world_init(&subject.world, &recipe, 42);
        report(rows, json, terrane_isa(), &subject, measure(&subject));
    }
}

/* The recipe that ships, if it erodes, at level 0. */
static void bench_erosion(json_t *rows, bool json, struct producer *producer)
{
    static struct terrane_recipe recipe;
    struct subject tile = {.name = "tile 257 eroded f32, its region at hand",
                           .run = run_tile_eroded,
                           .producer = producer,
                           .key = {.seed = 42, .format = FORMAT_F32, .variant = VARIANT_ERODED}};
    struct subject region = {.name = "region of erosion, its anchor at hand",
                             .run = run_region,
                             .producer = producer,
                             .runs = REGION_RUNS};
    const struct product_key first =
        product_of_region(&(struct terrane_region){.variant = TERRANE_VARIANT_ERODED});
    struct product_key anchor[PRODUCT_INPUTS_MAX];
    struct produce_times times = {0};
    terrane_recipe_default(&recipe);
    if (recipe.erosion.levels == 0)
        return;
    terrane_world_init(&tile.world, &recipe, 42);
    region.world = tile.world;
    tile.input = product_make_alone(producer, &first, &tile.world, NULL, &times);
    CHECK(tile.input);
    report(rows, json, terrane_isa(), &tile, measure(&tile));
    if (product_inputs(&first, &tile.world, anchor) > 0) {
        region.input = product_make_alone(producer, &anchor[0], &tile.world, NULL, &times);
        CHECK(region.input);
    }
    report(rows, json, terrane_isa(), &region, measure(&region));
    blob_release(tile.input);
    blob_release(region.input);
}

int bench_command(int argc, char **argv)
{
    bool json = false;
    const struct option_spec specs[] = {{"json", 0, NULL, &json}, {0}};
    const char *word;
    int words, status = 1;
    const int ended = options_read("bench", usage, argc, argv, specs, &word, 0, &words);
    if (ended != OPTIONS_FINE)
        return ended;
    float *out = malloc(sizeof *out * 257 * 257 * 3);
    struct producer *producer = producer_create();
    json_t *rows = json_array();
    if (out && producer && rows) {
        bench_kernels(rows, json, producer, out);
        bench_tiles(rows, json, producer);
        bench_erosion(rows, json, producer);
        status = 0;
        json_t *all = json ? json_pack("{s:s, s:i, s:O}", "version", TERRANE_VERSION, "generator",
                                       TERRANE_GENERATOR_VERSION, "rows", rows)
                           : NULL;
        if (all)
            json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        if (all)
            putchar('\n');
        json_decref(all);
    } else {
        fprintf(stderr, "terrane bench: out of memory\n");
    }
    json_decref(rows);
    producer_free(producer);
    free(out);
    return status;
}
