/*
 * probe - asks libterrane for samples, for compare.py.
 *
 *     probe [isa] < questions > answers
 *
 * A question is a line of words, its answer another: samples row by row, or "error", the code and its text. Floats are the
 * hexadecimal digits of their bits, so nothing is lost or rounded on the way; integers are decimal; bytes are pairs of
 * hexadecimal digits, "-" for none of them. Who asks is trusted: words that are none read as 0.
 *
 *     seedname BYTES                               the seed
 *     default                                      the recipe that ships, as BYTES
 *     recipe BYTES                                 takes a recipe; analytic, its digest, its canonical bytes
 *     raster WIDTH HEIGHT SAMPLES                  takes a raster, which recipes that follow name; its digest
 *     noise BASE KEY DIMENSIONS X [Y Z [W]]        value and slopes; X .. W are binary64
 *     LAYER SEED LEVEL GI GJ STEP WIDTH HEIGHT     of the recipe taken last
 *     erosion LEVEL                                unit, bound, height bounds in binary64; the level's halo
 *     erode SEED LEVEL GI GJ WIDTH HEIGHT FROM     delta, flow; as floats eroded heights, delta, flow;
 *                                                  by way of a product of level FROM, -1: of none
 *     drain SEED LEVEL GI GJ WIDTH HEIGHT          of each cell z, runoff, where it goes and its stem (level:gi:gj or -), with commas between
 *     lakes SEED GI GJ WIDTH HEIGHT GROUND         level_m of a window on this ground
 *     water LEVEL GI GJ STEP WIDTH HEIGHT HEIGHTS GI GJ WIDTH HEIGHT LEVELS
 *                                                  surfaces, then depths; of the window, its heights, and lakes
 *     edit SEED LEVEL GI GJ STEP WIDTH HEIGHT COUNT and of each BRUSH X Y INNER OUTER STRENGTH METRES TERM SLOPE POINTS and of each X Y HEIGHT
 *                                                  heights under operations, and the digest of these
 *
 * LAYER is height, normal, weights, zones, relief or digest. A recipe's bytes are those that
 * lib/README.md lists for its digest, from the generator on. Members that they leave out are rubbish when the library is
 * asked: it has to ignore them.
 *
 * Samples go to blocks of exactly their size, and memory is filled with NaN patterns, so a build with
 * sanitizers sees a write past the end and any build shows a use of what a former call left.
 */
#include "../../lib/drain/drained.h"
#include "../../lib/erosion/erosion.h"
#include "../../lib/water/water.h"
#include "lib/edit/editing.h"
#include "lib/recipe/bounds.h"
#include "lib/shade/shade.h"
#include "lib/term/noise_at.h"
#include "lib/terrane_features.h"
#include "probe_words.h"
#include "recipe_bytes.h"

static struct terrane_recipe recipe;

static void print_recipe(void)
{
    static uint8_t bytes[WORD_BYTES / 2];
    struct stream stream = {.at = bytes, .end = bytes + sizeof bytes, .writing = 1};

    pass_recipe(&stream, &recipe);
    print_bytes(bytes, (size_t)(stream.at - bytes), "");
    putchar('\n');
}

static void answer_recipe(void)
{
    uint8_t *bytes;
    const size_t count = read_bytes(&bytes);
    struct stream stream = {.at = bytes, .end = bytes + count};

    /* NaN floats, integers of -1 and a name without an end. */
    memset(&recipe, 0xff, sizeof recipe);
    recipe.rivers.top =
        0; /* no rivers, ice, plates or climate, unless they are there, no sand, paths or caves */
    recipe.plates.cell_log2 = recipe.climate.cell_log2 = 0;
    recipe.rivers.sand = 0;
    recipe.ice.width_m = 0;
    recipe.paths.width_m = 0;
    recipe.caves.share = 0;
    recipe.analytic = false;
    pass_recipe(&stream, &recipe);
    if (stream.failed || stream.at != stream.end)
        die("bytes that are no recipe");
    int where;
    const int error = terrane_recipe_init(&recipe, &where);
    if (error < 0) {
        print_error(error);
        return;
    }
    printf("%d ", (int)recipe.analytic);
    print_bytes(recipe.digest.byte, sizeof recipe.digest.byte, "");
    putchar(' ');
    print_recipe();
}

/* Samples stay: the recipe borrows them. */
static void answer_raster(void)
{
    struct terrane_raster raster = {.width = read_int()};
    raster.height = read_int();
    raster.sample = read_floats((size_t)raster.width * (size_t)raster.height);
    const int error = terrane_raster_init(&raster);
    if (error < 0) {
        print_error(error);
        return;
    }
    lents = 0; /* the samples alone, which stay */
    free((void *)(uintptr_t)passed_raster.sample);
    passed_raster = raster;
    print_bytes(raster.digest.byte, sizeof raster.digest.byte, "");
    putchar('\n');
}

static void answer_noise(void)
{
    const enum terrane_base base = (enum terrane_base)read_int();
    const uint64_t key = read_unsigned(10);
    const int dimensions = read_int();
    double at[4];
    float value[5];

    for (int k = 0; k < dimensions && k < 4; k++)
        at[k] = read_double();
    print_answer(terrane_noise_at(base, dimensions, key, at, value, value + 1), value,
                 (size_t)dimensions + 1);
}

/* A window's layers that others are made of. Blocks of exactly their size. */
struct layers {
    size_t count, zones;
    float *height, *normal, *weights;
    uint8_t *zone;
    int level, error;
};

static void make_layers(const struct terrane_world *world, const struct terrane_window *window,
                        struct layers *out)
{
    out->level = window->level;
    out->count = samples_of(window);
    out->zones = (size_t)recipe.partition.zones;
    out->height = allocate(out->count * sizeof(float));
    out->normal = allocate(out->count * 3 * sizeof(float));
    out->weights = allocate(out->count * out->zones * sizeof(float));
    out->zone = allocate(out->count);

    out->error = terrane_heights(world, window, &memory, out->height);
    if (out->error == 0)
        out->error = terrane_normals(world, window, &memory, out->normal);
    /* Each of the two may be left out; asked alone they give the same as together. */
    if (out->error == 0 && window->gi % 2 == 0) {
        out->error = terrane_zones(world, window, &memory, out->zone, out->weights);
    } else if (out->error == 0) {
        out->error = terrane_zones(world, window, &memory, out->zone, NULL);
        if (out->error == 0)
            out->error = terrane_zones(world, window, &memory, NULL, out->weights);
    }
}

static void print_layer(const char *name, const struct layers *layers)
{
    uint8_t *rgb = allocate(layers->count * 3);

    if (strcmp(name, "height") == 0) {
        print_floats(layers->height, layers->count);
    } else if (strcmp(name, "normal") == 0) {
        print_floats(layers->normal, layers->count * 3);
    } else if (strcmp(name, "weights") == 0) {
        print_floats(layers->weights, layers->count * layers->zones);
    } else if (strcmp(name, "zones") == 0) {
        print_bytes(layers->zone, layers->count, " ");
    } else if (strcmp(name, "relief") == 0) {
        terrane_relief(&recipe, layers->level, layers->height, layers->normal, layers->weights, NULL,
                       layers->count, rgb);
        print_bytes(rgb, layers->count * 3, " ");
    } else {
        die(name);
    }
    putchar('\n');
}

static void answer_layer(const char *name)
{
    const uint64_t seed = read_unsigned(10);
    const struct terrane_window window = read_window(read_int(), 0);
    struct terrane_world world;
    struct layers layers;

    terrane_world_init(&world, &recipe, seed);
    if (strcmp(name, "digest") == 0) {
        print_bytes(world.digest.byte, sizeof world.digest.byte, "");
        putchar('\n');
        return;
    }
    make_layers(&world, &window, &layers);
    if (layers.error < 0)
        print_error(layers.error);
    else
        print_layer(name, &layers);
}

/* ---- Erosion ------------------------------------------------------------------------------------------- */

static void print_doubles(const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        printf("%s%016" PRIx64, i == 0 ? "" : " ", bits);
    }
}

static void answer_erosion(void)
{
    double value[4] = {terrane_erosion_unit_m(&recipe), terrane_erosion_bound_m(&recipe)};

    terrane_height_bounds_m(&recipe, &value[2], &value[3]);
    print_doubles(value, 4);
    printf(" %d\n", terrane_erosion_halo(&recipe, read_int()));
}

/* Fills the arrays of out, which it allocates, by way of a product of level from; -1: of none. */
static int make_eroded(const struct terrane_world *world, int from, struct terrane_eroded *out)
{
    const size_t count = samples_of(&out->window);
    struct terrane_eroded parent = {0};
    int error = 0;

    if (from >= 0) {
        terrane_erode_needs(&recipe, &out->window, from, &parent.window);
        /* It may cover more. */
        parent.window.gi -= out->window.gi & 1;
        parent.window.width += (int)(out->window.gi & 1);
        parent.window.height += (int)(out->window.gj & 3);
        error = make_eroded(world, -1, &parent);
    }
    out->delta = allocate(count * sizeof *out->delta);
    out->flow = allocate(count * sizeof *out->flow);
    if (error == 0)
        error = terrane_erode(world, from >= 0 ? &parent : NULL, &memory, out);
    return error;
}

static void print_eroded(const struct terrane_world *world, const struct terrane_eroded *eroded)
{
    const struct terrane_window *window = &eroded->window;
    const size_t count = samples_of(window);
    float *height = allocate(count * sizeof *height);
    float *delta_m = allocate(count * sizeof *delta_m), *flow = allocate(count * sizeof *flow);

    int error = terrane_heights(world, window, &memory, height);
    if (error == 0)
        error = terrane_eroded_heights(&recipe, window, eroded, height);
    if (error == 0)
        error = terrane_eroded_values(&recipe, window, eroded, delta_m, flow);
    if (error < 0) {
        print_error(error);
    } else {
        for (size_t i = 0; i < count; i++)
            printf("%08" PRIx32 " ", (uint32_t)eroded->delta[i]);
        for (size_t i = 0; i < count; i++)
            printf("%08" PRIx32 " ", eroded->flow[i]);
        print_floats(height, count);
        putchar(' ');
        print_floats(delta_m, count);
        putchar(' ');
        print_floats(flow, count);
        putchar('\n');
    }
}

static void answer_erode(void)
{
    const uint64_t seed = read_unsigned(10);
    struct terrane_eroded eroded = {.window = read_window(read_int(), 1)};
    struct terrane_world world;

    terrane_world_init(&world, &recipe, seed);
    const int error = make_eroded(&world, read_int(), &eroded);
    if (error < 0)
        print_error(error);
    else
        print_eroded(&world, &eroded);
}

/* ---- Drainage ------------------------------------------------------------------------------------------ */

static void answer_drain(void)
{
    const uint64_t seed = read_unsigned(10);
    const struct terrane_window window = read_window(read_int(), 1);
    const size_t count = samples_of(&window);
    struct terrane_drained drained = {window, allocate(count * 4), allocate(count * 4), allocate(count * 4),
                                      allocate(count * 4)};
    struct terrane_world world;

    terrane_world_init(&world, &recipe, seed);
    const int error = terrane_drain(&world, NULL, &memory, &drained);
    for (size_t i = 0; i < count && error == 0; i++) {
        struct terrane_stem stem;
        printf("%s%" PRId32 ",%" PRIu64 ",%d,", i == 0 ? "" : " ", drained.z[i],
               terrane_drained_cell(&drained, i).runoff, terrane_drained_cell(&drained, i).to);
        if (terrane_drained_stem(&recipe, &drained, i, &stem))
            printf("%d:%" PRId64 ":%" PRId64, stem.level, stem.gi, stem.gj);
        else
            putchar('-');
    }
    if (error < 0)
        print_error(error);
    else
        putchar('\n');
}

/* ---- Water --------------------------------------------------------------------------------------------- */

static void answer_lakes(void)
{
    const uint64_t seed = read_unsigned(10);
    const struct terrane_window window = read_window(recipe.lakes.level, 1);
    struct terrane_window needed;
    struct terrane_world world;

    terrane_lakes_needs(&recipe, &window, &needed);
    float *ground = read_floats(samples_of(&needed));
    float *level_m = allocate(samples_of(&window) * sizeof *level_m);
    terrane_world_init(&world, &recipe, seed);
    print_answer(terrane_lakes(&world, &window, ground, &memory, level_m), level_m, samples_of(&window));
}

static void answer_water(void)
{
    const struct terrane_window window = read_window(read_int(), 0);
    const size_t count = samples_of(&window);
    float *heights = read_floats(count);
    const struct terrane_window lakes = read_window(recipe.lakes.level, 1);
    float *level_m = read_floats(samples_of(&lakes)), *seen = allocate(2 * count * sizeof *seen);

    print_answer(terrane_water(&recipe, &window, heights, &lakes, level_m, seen, seen + count), seen,
                 2 * count);
}

/* ---- Edits --------------------------------------------------------------------------------------------- */

enum { EDITS_MAX = 64, LINES_MAX = 1024 };

static size_t read_edits(struct terrane_edit *edits)
{
    static struct terrane_path_point room[LINES_MAX], *line;
    const size_t count = (size_t)read_int();
    line = room;
    if (count > EDITS_MAX)
        die("too many operations");
    for (struct terrane_edit *edit = edits; edit < edits + count; edit++) {
        edit->brush = (enum terrane_brush)read_int();
        edit->x = read_signed();
        edit->y = read_signed();
        edit->inner = read_int();
        edit->outer = read_int();
        edit->strength = read_int();
        edit->height = read_int();
        edit->term = read_int();
        edit->slope = read_int();
        edit->points = read_int();
        edit->line = edit->points > 0 ? line : NULL;
        for (int k = 0; k < edit->points; k++, line++) {
            if (line == room + LINES_MAX)
                die("too many points");
            line->x = read_signed();
            line->y = read_signed();
            line->height = read_int();
        }
        if (terrane_edit_check(&recipe, edit, NULL) != 0)
            die("an operation that is none");
    }
    return count;
}

static int make_edited(const struct terrane_world *world, const struct terrane_window *window,
                       const struct terrane_edit *edits, size_t count, float *heights)
{
    struct terrane_edit_needs needs;
    struct terrane_editing *editing = NULL;
    float *ground[TERRANE_EDIT_LATTICES];
    terrane_edit_needs(edits, count, window, false, &needs);
    int error = terrane_heights(world, window, &memory, heights);
    for (int k = 0; k < needs.count; k++) {
        ground[k] = allocate(samples_of(&needs.window[k]) * sizeof(float));
        if (error == 0)
            error = terrane_heights(world, &needs.window[k], &memory, ground[k]);
    }
    if (error == 0)
        error = editing_open(world, window, heights, &needs, (const float *const *)ground, &memory, &editing);
    if (error == 0)
        error = editing_apply(editing, edits, count);
    if (error == 0)
        editing_heights(editing, heights);
    editing_close(editing);
    return error;
}

static void answer_edit(void)
{
    const uint64_t seed = read_unsigned(10);
    const struct terrane_window window = read_window(read_int(), 0);
    float *heights = allocate(samples_of(&window) * sizeof *heights);
    struct terrane_edit edits[EDITS_MAX];
    struct terrane_digest digest = {{0}};
    struct terrane_world world;

    const size_t count = read_edits(edits);
    terrane_world_init(&world, &recipe, seed);
    terrane_edits_digest(&digest, edits, count);
    const int error = make_edited(&world, &window, edits, count, heights);
    if (error < 0) {
        print_error(error);
    } else {
        print_floats(heights, samples_of(&window));
        putchar(' ');
        print_bytes(digest.byte, sizeof digest.byte, "");
        putchar('\n');
    }
}

static void answer_seedname(void)
{
    uint8_t *text;
    const size_t length = read_bytes(&text);
    printf("%016" PRIx64 "\n", terrane_seed_from_name((const char *)text, length));
}

static void answer_default(void)
{
    terrane_recipe_default(&recipe);
    print_recipe();
}

static void answer(const char *name)
{
    static const struct {
        const char *name;
        void (*answer)(void);
    } questions[] = {{"seedname", answer_seedname}, {"default", answer_default}, {"recipe", answer_recipe},
                     {"raster", answer_raster},     {"noise", answer_noise},     {"drain", answer_drain},
                     {"lakes", answer_lakes},       {"water", answer_water},     {"edit", answer_edit},
                     {"erosion", answer_erosion},   {"erode", answer_erode}};

    for (size_t k = 0; k < sizeof questions / sizeof *questions; k++)
        if (strcmp(name, questions[k].name) == 0) {
            questions[k].answer();
            return;
        }
    answer_layer(name);
}

int main(int argc, char **argv)
{
    char name[16];
    const int error = terrane_init(argc > 1 ? argv[1] : NULL);

    if (error < 0)
        die(terrane_error_text(error));
    while (scanf("%15s", name) == 1) {
        answer(name);
        free_all();
    }
    return fflush(stdout) != 0 || ferror(stdout);
}
