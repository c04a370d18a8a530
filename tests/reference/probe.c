/*
 * probe - asks libterrane for samples, for compare.py.
 *
 *     probe [isa] < questions > answers
 *
 * One question a line, words apart by one space. Floats are the hexadecimal digits of their bits, so nothing
 * is lost or rounded on the way; integers are decimal; bytes are pairs of hexadecimal digits, "-" for none of
 * them.
 *
 *     seedname BYTES                               the seed
 *     default                                      the recipe that ships, as BYTES
 *     recipe BYTES                                 takes a recipe; analytic, its digest, its canonical bytes
 *     noise BASE KEY X [Y Z [W]]                   value and slopes; X .. W are binary64
 *     LAYER SEED LEVEL GI GJ STEP WIDTH HEIGHT     of the recipe taken last
 *     erosion LEVEL                                unit, bound, height bounds in binary64; the level's halo
 *     erode SEED LEVEL GI GJ WIDTH HEIGHT FROM     delta, flow; as floats eroded heights, delta, flow;
 *                                                  by way of a product of level FROM, -1: of none
 *     lakes SEED GI GJ WIDTH HEIGHT GROUND         level_m of a window on this ground
 *     water LEVEL GI GJ STEP WIDTH HEIGHT HEIGHTS GI GJ WIDTH HEIGHT LEVELS
 *                                                  surfaces, then depths; of the window, its heights, and lakes
 *
 * LAYER is height, normal, weights, slope, zones, hillshade, relief or digest. A recipe's bytes are those
 * that lib/README.md lists for its digest, behind the generator version. Members that they leave out are
 * rubbish when the library is asked: it has to ignore them. The answer is one line of words: samples row by
 * row, or "error", the code and its text. Exits 1 at a line that is not a question.
 *
 * Samples go to blocks of exactly their size, and scratch is filled with NaN patterns before every call, so a
 * build with sanitizers sees a write past the end and any build shows a use of what a former call left.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/terrane.h"
#include "recipe_bytes.h"

enum { LINE_BYTES = 1 << 16, RECIPE_BYTES = LINE_BYTES / 2 };

/*
 * ---- Words of a line --------------------------------------------------------------------------------------
 */

/* The rest of a line. Once something does not fit, failed stays set and everything reads as 0. */
struct reader {
    const char *at;
    int failed;
};

/* The next word; its length in *bytes, 0 when there is none. */
static const char *read_word(struct reader *in, size_t *bytes)
{
    in->at += strspn(in->at, " ");
    const char *word = in->at;
    *bytes = strcspn(word, " ");
    in->at += *bytes;
    if (*bytes == 0)
        in->failed = 1;
    return word;
}

static uint64_t read_unsigned(struct reader *in, int radix, uint64_t max)
{
    size_t bytes;
    const char *word = read_word(in, &bytes);
    char *end;

    if (in->failed || *word == '-' || *word == '+') {
        in->failed = 1;
        return 0;
    }
    errno = 0;
    const uint64_t value = strtoull(word, &end, radix);
    if (errno != 0 || end != word + bytes || value > max) {
        in->failed = 1;
        return 0;
    }
    return value;
}

static int64_t read_signed(struct reader *in, int64_t min, int64_t max)
{
    size_t bytes;
    const char *word = read_word(in, &bytes);
    char *end;

    if (in->failed)
        return 0;
    errno = 0;
    const int64_t value = strtoll(word, &end, 10);
    if (errno != 0 || end != word + bytes || value < min || value > max) {
        in->failed = 1;
        return 0;
    }
    return value;
}

static int read_int(struct reader *in)
{
    return (int)read_signed(in, INT_MIN, INT_MAX);
}

static double read_double(struct reader *in)
{
    const uint64_t bits = read_unsigned(in, 16, UINT64_MAX);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The value of a hexadecimal digit, or -1. */
static int digit_value(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = digit == '\0' ? NULL : strchr(digits, digit);

    return found == NULL ? -1 : (int)(found - digits);
}

/* Fills out with as many bytes as the word has, at most max; returns their number. */
static size_t read_bytes(struct reader *in, void *out, size_t max)
{
    size_t length;
    const char *word = read_word(in, &length);
    uint8_t *byte = out;

    if (length == 1 && *word == '-')
        return 0;
    if (in->failed || length % 2 != 0 || length / 2 > max) {
        in->failed = 1;
        return 0;
    }
    for (size_t i = 0; i < length / 2; i++) {
        const int high = digit_value(word[2 * i]), low = digit_value(word[2 * i + 1]);
        if (high < 0 || low < 0) {
            in->failed = 1;
            return 0;
        }
        byte[i] = (uint8_t)(high * 16 + low);
    }
    return length / 2;
}

/*
 * ---- Answering --------------------------------------------------------------------------------------------
 */

static struct terrane_recipe recipe;
static void *scratch;

static void *allocate(size_t bytes)
{
    void *block = malloc(bytes);

    if (block == NULL) {
        fputs("probe: out of memory\n", stderr);
        exit(1);
    }
    return block;
}

static void print_error(int error)
{
    printf("error %d %s\n", error, terrane_error_text(error));
}

static void print_bytes(const uint8_t *byte, size_t count, const char *between)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%02x", i == 0 ? "" : between, byte[i]);
}

static void print_floats(const float *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        printf("%s%08" PRIx32, i == 0 ? "" : " ", bits);
    }
}

static void print_recipe(void)
{
    static uint8_t bytes[RECIPE_BYTES];
    struct stream stream = {.at = bytes, .end = bytes + sizeof bytes, .writing = 1};

    pass_recipe(&stream, &recipe);
    print_bytes(bytes, (size_t)(stream.at - bytes), "");
    putchar('\n');
}

static int answer_recipe(struct reader *in)
{
    static uint8_t bytes[RECIPE_BYTES];
    const size_t count = read_bytes(in, bytes, sizeof bytes);
    struct stream stream = {.at = bytes, .end = bytes + count};

    /* NaN floats, integers of -1 and a name without an end. */
    memset(&recipe, 0xff, sizeof recipe);
    recipe.paths.width_m = 0; /* neither paths nor caves */
    recipe.caves.share = 0;
    recipe.analytic = false;
    pass_recipe(&stream, &recipe);
    if (in->failed || stream.failed || stream.at != stream.end)
        return -1;
    int where;
    const int error = terrane_recipe_init(&recipe, &where);
    if (error < 0) {
        printf("error %d %s (%d)\n", error, terrane_error_text(error), where);
        return 0;
    }
    printf("%d ", (int)recipe.analytic);
    print_bytes(recipe.digest.byte, sizeof recipe.digest.byte, "");
    putchar(' ');
    print_recipe();
    return 0;
}

static int answer_noise(struct reader *in)
{
    const enum terrane_base base = (enum terrane_base)read_unsigned(in, 10, TERRANE_BASES - 1);
    const uint64_t key = read_unsigned(in, 10, UINT64_MAX);
    double at[4];
    float value[5];
    int dimensions = 0;

    while (dimensions < 4 && *in->at != '\0')
        at[dimensions++] = read_double(in);
    if (in->failed || *in->at != '\0')
        return -1;
    const int error = terrane_noise_at(base, dimensions, key, at, value, value + 1);
    if (error < 0) {
        print_error(error);
        return 0;
    }
    print_floats(value, (size_t)dimensions + 1);
    putchar('\n');
    return 0;
}

/* A window's layers that others are made of. Blocks of exactly their size. */
struct layers {
    size_t count, zones;
    float *height, *normal, *weights;
    uint8_t *zone;
    int error;
};

static void make_layers(const struct terrane_world *world, const struct terrane_window *window,
                        struct layers *out)
{
    out->count = (size_t)window->width * (size_t)window->height;
    out->zones = (size_t)recipe.partition.zones;
    out->height = allocate(out->count * sizeof(float));
    out->normal = allocate(out->count * 3 * sizeof(float));
    out->weights = allocate(out->count * out->zones * sizeof(float));
    out->zone = allocate(out->count);

    memset(scratch, 0xff, terrane_scratch_bytes());
    out->error = terrane_heights(world, window, scratch, out->height);
    memset(scratch, 0xff, terrane_scratch_bytes());
    if (out->error == 0)
        out->error = terrane_normals(world, window, scratch, out->normal);
    memset(scratch, 0xff, terrane_scratch_bytes());
    /* Each of the two may be left out; asked alone they give the same as together. */
    if (out->error == 0 && window->gi % 2 == 0) {
        out->error = terrane_zones(world, window, scratch, out->zone, out->weights);
    } else if (out->error == 0) {
        out->error = terrane_zones(world, window, scratch, out->zone, NULL);
        memset(scratch, 0xff, terrane_scratch_bytes());
        if (out->error == 0)
            out->error = terrane_zones(world, window, scratch, NULL, out->weights);
    }
}

static void free_layers(struct layers *layers)
{
    free(layers->height);
    free(layers->normal);
    free(layers->weights);
    free(layers->zone);
}

/* Returns 0, or -1 when the layer is unknown. */
static int print_layer(const char *name, const struct layers *layers)
{
    float *degrees = allocate(layers->count * sizeof *degrees);
    uint8_t *byte = allocate(layers->count * 3);
    int result = 0;

    if (strcmp(name, "height") == 0) {
        print_floats(layers->height, layers->count);
    } else if (strcmp(name, "normal") == 0) {
        print_floats(layers->normal, layers->count * 3);
    } else if (strcmp(name, "weights") == 0) {
        print_floats(layers->weights, layers->count * layers->zones);
    } else if (strcmp(name, "zones") == 0) {
        print_bytes(layers->zone, layers->count, " ");
    } else if (strcmp(name, "slope") == 0) {
        terrane_slopes(layers->normal, layers->count, degrees);
        print_floats(degrees, layers->count);
    } else if (strcmp(name, "hillshade") == 0) {
        terrane_hillshade(layers->normal, layers->count, byte);
        print_bytes(byte, layers->count, " ");
    } else if (strcmp(name, "relief") == 0) {
        terrane_relief(&recipe, layers->height, layers->normal, layers->weights, NULL, layers->count, byte);
        print_bytes(byte, layers->count * 3, " ");
    } else {
        result = -1;
    }
    putchar('\n');
    free(degrees);
    free(byte);
    return result;
}

static int answer_layer(const char *name, struct reader *in)
{
    const uint64_t seed = read_unsigned(in, 10, UINT64_MAX);
    struct terrane_window window = {.level = read_int(in)};
    struct terrane_world world;
    struct layers layers;

    window.gi = read_signed(in, INT64_MIN, INT64_MAX);
    window.gj = read_signed(in, INT64_MIN, INT64_MAX);
    window.step = read_int(in);
    window.width = read_int(in);
    window.height = read_int(in);
    /* Blocks of other sizes would be undefined. The library's own check of windows is a unit test's. */
    if (in->failed || *in->at != '\0' || window.width < 1 || window.height < 1)
        return -1;
    terrane_world_init(&world, &recipe, seed);
    if (strcmp(name, "digest") == 0) {
        print_bytes(world.digest.byte, sizeof world.digest.byte, "");
        putchar('\n');
        return 0;
    }
    make_layers(&world, &window, &layers);
    int result = 0;
    if (layers.error < 0)
        print_error(layers.error);
    else
        result = print_layer(name, &layers);
    free_layers(&layers);
    return result;
}

/*
 * ---- Erosion ----------------------------------------------------------------------------------------------
 */

static void print_doubles(const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        printf("%s%016" PRIx64, i == 0 ? "" : " ", bits);
    }
}

static int answer_erosion(struct reader *in)
{
    const int level = (int)read_signed(in, 0, TERRANE_LEVEL_MAX);
    double value[4] = {terrane_erosion_unit_m(&recipe), terrane_erosion_bound_m(&recipe)};

    if (in->failed || *in->at != '\0')
        return -1;
    terrane_height_bounds_m(&recipe, &value[2], &value[3]);
    print_doubles(value, 4);
    printf(" %d\n", terrane_erosion_halo(&recipe, level));
    return 0;
}

/* Fills the arrays of out, which it allocates, by way of a product of level from; -1: of none. */
static int make_eroded(const struct terrane_world *world, int from, struct terrane_eroded *out)
{
    const size_t count = (size_t)out->window.width * (size_t)out->window.height;
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
    const size_t bytes = (terrane_erode_bytes(&recipe, &out->window, from) + TERRANE_SCRATCH_ALIGN - 1) /
                         TERRANE_SCRATCH_ALIGN * TERRANE_SCRATCH_ALIGN;
    void *memory = aligned_alloc(TERRANE_SCRATCH_ALIGN, bytes);
    if (memory == NULL) {
        fputs("probe: out of memory\n", stderr);
        exit(1);
    }
    memset(memory, 0xff, bytes);
    memset(scratch, 0xff, terrane_scratch_bytes());
    out->delta = allocate(count * sizeof *out->delta);
    out->flow = allocate(count * sizeof *out->flow);
    if (error == 0)
        error = terrane_erode(world, from >= 0 ? &parent : NULL, scratch, memory, out);
    free(memory);
    free(parent.delta);
    free(parent.flow);
    return error;
}

static void print_eroded(const struct terrane_world *world, const struct terrane_eroded *eroded)
{
    const struct terrane_window *window = &eroded->window;
    const size_t count = (size_t)window->width * (size_t)window->height;
    float *height = allocate(count * sizeof *height);
    float *delta_m = allocate(count * sizeof *delta_m), *flow = allocate(count * sizeof *flow);

    memset(scratch, 0xff, terrane_scratch_bytes());
    int error = terrane_heights(world, window, scratch, height);
    if (error == 0)
        error = terrane_eroded_heights(&recipe, eroded, window, height);
    if (error == 0)
        error = terrane_eroded_values(&recipe, eroded, window, delta_m, flow);
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
    free(height);
    free(delta_m);
    free(flow);
}

static int answer_erode(struct reader *in)
{
    const uint64_t seed = read_unsigned(in, 10, UINT64_MAX);
    struct terrane_eroded eroded = {.window = {.level = read_int(in), .step = 1}};
    struct terrane_world world;

    eroded.window.gi = read_signed(in, INT64_MIN, INT64_MAX);
    eroded.window.gj = read_signed(in, INT64_MIN, INT64_MAX);
    eroded.window.width = (int)read_signed(in, 1, TERRANE_WINDOW_MAX);
    eroded.window.height = (int)read_signed(in, 1, TERRANE_WINDOW_MAX);
    const int from = (int)read_signed(in, -1, TERRANE_LEVEL_MAX);
    if (in->failed || *in->at != '\0' ||
        (from >= 0 && (from <= eroded.window.level || from >= recipe.erosion.levels)))
        return -1;
    terrane_world_init(&world, &recipe, seed);
    const int error = make_eroded(&world, from, &eroded);
    if (error < 0)
        print_error(error);
    else
        print_eroded(&world, &eroded);
    free(eroded.delta);
    free(eroded.flow);
    return 0;
}

/*
 * ---- Water ------------------------------------------------------------------------------------------------
 */

/* Returns owned: count floats, most significant byte first. NULL when the word has another number of them. */
static float *read_floats(struct reader *in, size_t count)
{
    static uint8_t bytes[LINE_BYTES / 2];
    if (read_bytes(in, bytes, sizeof bytes) != count * sizeof(float) || in->failed) {
        in->failed = 1;
        return NULL;
    }
    float *value = allocate(count * sizeof *value);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *b = bytes + i * sizeof *value;
        const uint32_t bits = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
        memcpy(&value[i], &bits, sizeof bits);
    }
    return value;
}

static void read_place(struct reader *in, struct terrane_window *window)
{
    window->gi = read_signed(in, INT64_MIN, INT64_MAX);
    window->gj = read_signed(in, INT64_MIN, INT64_MAX);
}

static void read_size(struct reader *in, struct terrane_window *window)
{
    window->width = (int)read_signed(in, 1, TERRANE_WINDOW_MAX);
    window->height = (int)read_signed(in, 1, TERRANE_WINDOW_MAX);
}

static size_t window_count(const struct terrane_window *window)
{
    return (size_t)window->width * (size_t)window->height;
}

static int answer_lakes(struct reader *in)
{
    const uint64_t seed = read_unsigned(in, 10, UINT64_MAX);
    struct terrane_window window = {.level = recipe.lakes.level, .step = 1}, needed;
    struct terrane_world world;

    read_place(in, &window);
    read_size(in, &window);
    if (in->failed)
        return -1;
    terrane_lakes_needs(&recipe, &window, &needed);
    float *ground = read_floats(in, window_count(&needed));
    if (in->failed || *in->at != '\0') {
        free(ground);
        return -1;
    }
    terrane_world_init(&world, &recipe, seed);
    float *level_m = allocate(window_count(&window) * sizeof *level_m);
    void *memory = allocate(terrane_lakes_bytes(&recipe));
    memset(memory, 0xff, terrane_lakes_bytes(&recipe));
    const int error = terrane_lakes(&world, &window, ground, memory, level_m);
    if (error < 0) {
        print_error(error);
    } else {
        print_floats(level_m, window_count(&window));
        putchar('\n');
    }
    free(memory);
    free(level_m);
    free(ground);
    return 0;
}

static int answer_water(struct reader *in)
{
    struct terrane_window window = {.level = read_int(in)}, lakes = {.level = recipe.lakes.level, .step = 1};

    read_place(in, &window);
    window.step = read_int(in);
    read_size(in, &window);
    float *heights = in->failed ? NULL : read_floats(in, window_count(&window));
    read_place(in, &lakes);
    read_size(in, &lakes);
    float *level_m = in->failed ? NULL : read_floats(in, window_count(&lakes));
    if (in->failed || *in->at != '\0') {
        free(heights);
        free(level_m);
        return -1;
    }
    const size_t count = window_count(&window);
    float *seen = allocate(2 * count * sizeof *seen);
    const int error = terrane_water(&recipe, &window, heights, &lakes, level_m, seen, seen + count);
    if (error < 0) {
        print_error(error);
    } else {
        print_floats(seen, 2 * count);
        putchar('\n');
    }
    free(seen);
    free(heights);
    free(level_m);
    return 0;
}

static int answer_line(const char *line)
{
    struct reader in = {line, 0};
    char name[16] = "";
    size_t bytes;
    const char *word = read_word(&in, &bytes);

    if (bytes >= sizeof name)
        return -1;
    memcpy(name, word, bytes);
    if (strcmp(name, "seedname") == 0) {
        char text[256];
        const size_t length = read_bytes(&in, text, sizeof text);
        if (in.failed)
            return -1;
        printf("%016" PRIx64 "\n", terrane_seed_from_name(text, length));
        return 0;
    }
    if (strcmp(name, "default") == 0) {
        terrane_recipe_default(&recipe);
        print_recipe();
        return 0;
    }
    if (strcmp(name, "recipe") == 0)
        return answer_recipe(&in);
    if (strcmp(name, "noise") == 0)
        return answer_noise(&in);
    if (strcmp(name, "lakes") == 0)
        return answer_lakes(&in);
    if (strcmp(name, "water") == 0)
        return answer_water(&in);
    if (strcmp(name, "erosion") == 0)
        return answer_erosion(&in);
    if (strcmp(name, "erode") == 0)
        return answer_erode(&in);
    return answer_layer(name, &in);
}

int main(int argc, char **argv)
{
    static char line[LINE_BYTES + 16];
    const int error = terrane_init(argc > 1 ? argv[1] : NULL);

    if (error < 0) {
        fprintf(stderr, "probe: %s\n", terrane_error_text(error));
        return 1;
    }
    scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes());
    if (scratch == NULL) {
        fputs("probe: out of memory\n", stderr);
        return 1;
    }

    int result = 0;
    for (long number = 1; fgets(line, sizeof line, stdin) != NULL; number++) {
        const size_t length = strcspn(line, "\n");
        const int whole = line[length] == '\n';
        line[length] = '\0';
        if (!whole || answer_line(line) != 0) {
            fprintf(stderr, "probe: line %ld is not a question\n", number);
            result = 1;
            break;
        }
    }
    free(scratch);
    if (fflush(stdout) != 0 || ferror(stdout))
        result = 1;
    return result;
}
