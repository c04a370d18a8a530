/*
 * probe - asks libterrane for samples, for compare.py.
 *
 *     probe [isa] < questions > answers
 *
 * One question a line, words apart by one space. Floats are the hexadecimal digits of their bits, so nothing
 * is lost or rounded on the way; integers are decimal; bytes are pairs of hexadecimal digits, "-" for none of
 * them.
 *
 *     seedname BYTES
 *     LAYER SEED LEVEL GI GJ STEP WIDTH HEIGHT RECIPE      LAYER: height normal zones weights digest
 *
 *     RECIPE     spacing_m alias_octaves offset_m low_m high_m FRACTAL FRACTAL PARTITION
 *     FRACTAL    base salt octaves cell_log2 amplitude_m gain
 *     PARTITION  base salt cell_log2 zones blend, 15 thresholds, 16 times: name amplitude offset_m colour
 *
 * All 15 thresholds and 16 zones are there, and members that a recipe does not use may hold anything: the
 * library has to ignore them. The answer is one line of words: samples row by row (hexadecimal), a digest's
 * bytes or a seed, or "error", the code and its text. Exits 1 at a line that is not a question.
 *
 * Samples go to a block of exactly their size, and scratch is filled with NaN patterns before every call, so
 * a build with sanitizers sees a write past the end and any build shows a use of what a former call left.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/terrane.h"

#define LINE_BYTES 8192

struct question {
    char layer[16];
    uint64_t seed;
    struct terrane_window window;
    struct terrane_recipe recipe;
};

/*
 * ---- Reading ----------------------------------------------------------------------------------------------
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

static uint32_t read_u32(struct reader *in)
{
    return (uint32_t)read_unsigned(in, 10, UINT32_MAX);
}

static float read_float(struct reader *in)
{
    const uint32_t bits = (uint32_t)read_unsigned(in, 16, UINT32_MAX);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
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

static void read_exactly(struct reader *in, void *out, size_t bytes)
{
    if (read_bytes(in, out, bytes) != bytes)
        in->failed = 1;
}

static void read_fractal(struct reader *in, struct terrane_fractal *fractal)
{
    fractal->base = (enum terrane_base)read_u32(in);
    fractal->salt = read_u32(in);
    fractal->octaves = read_int(in);
    fractal->cell_log2 = read_int(in);
    fractal->amplitude_m = read_float(in);
    fractal->gain = read_float(in);
}

static void read_partition(struct reader *in, struct terrane_partition *partition)
{
    partition->base = (enum terrane_base)read_u32(in);
    partition->salt = read_u32(in);
    partition->cell_log2 = read_int(in);
    partition->zones = read_int(in);
    partition->blend = read_float(in);
    for (int k = 0; k < TERRANE_ZONES_MAX - 1; k++)
        partition->threshold[k] = read_float(in);
    for (int k = 0; k < TERRANE_ZONES_MAX; k++) {
        struct terrane_zone *zone = &partition->zone[k];
        read_exactly(in, zone->name, sizeof zone->name);
        zone->amplitude = read_float(in);
        zone->offset_m = read_float(in);
        read_exactly(in, zone->colour, sizeof zone->colour);
    }
}

static void read_question(struct reader *in, struct question *question)
{
    struct terrane_window *window = &question->window;
    struct terrane_recipe *recipe = &question->recipe;

    memset(question, 0, sizeof *question);
    size_t bytes;
    const char *word = read_word(in, &bytes);
    if (bytes >= sizeof question->layer)
        in->failed = 1;
    else
        memcpy(question->layer, word, bytes);
    question->seed = read_unsigned(in, 10, UINT64_MAX);

    window->level = read_int(in);
    window->gi = read_signed(in, INT64_MIN, INT64_MAX);
    window->gj = read_signed(in, INT64_MIN, INT64_MAX);
    window->step = read_int(in);
    window->width = read_int(in);
    window->height = read_int(in);

    recipe->spacing_m = read_double(in);
    recipe->alias_octaves = read_int(in);
    recipe->offset_m = read_float(in);
    recipe->low_m = read_float(in);
    recipe->high_m = read_float(in);
    read_fractal(in, &recipe->base);
    read_fractal(in, &recipe->detail);
    read_partition(in, &recipe->partition);
}

/*
 * ---- Answering --------------------------------------------------------------------------------------------
 */

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
    putchar('\n');
}

static void print_floats(const float *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        printf("%s%08" PRIx32, i == 0 ? "" : " ", bits);
    }
    putchar('\n');
}

/* The three float layers are one shape: so many channels a sample. */
static void answer_floats(const struct question *question, const struct terrane_world *world, void *scratch,
                          size_t channels)
{
    const struct terrane_window *window = &question->window;
    const size_t count = (size_t)window->width * (size_t)window->height * channels;
    float *out = allocate(count * sizeof *out);
    int error;

    if (strcmp(question->layer, "height") == 0)
        error = terrane_heights(world, window, scratch, out);
    else if (strcmp(question->layer, "normal") == 0)
        error = terrane_normals(world, window, scratch, out);
    else
        error = terrane_zones(world, window, scratch, NULL, out);
    if (error < 0)
        print_error(error);
    else
        print_floats(out, count);
    free(out);
}

static void answer_zones(const struct question *question, const struct terrane_world *world, void *scratch)
{
    const size_t count = (size_t)question->window.width * (size_t)question->window.height;
    uint8_t *index = allocate(count);
    const int error = terrane_zones(world, &question->window, scratch, index, NULL);

    if (error < 0)
        print_error(error);
    else
        print_bytes(index, count, " ");
    free(index);
}

/* Returns 0, or -1 when the layer is unknown. */
static int answer(const struct question *question, void *scratch, size_t scratch_bytes)
{
    struct terrane_world world;
    const int error = terrane_world_init(&world, &question->recipe, question->seed);

    if (error < 0) {
        print_error(error);
        return 0;
    }
    /* The size of the block below would be undefined. The library's own check of windows is a unit test's. */
    if (question->window.width < 1 || question->window.height < 1) {
        print_error(TERRANE_EWINDOW);
        return 0;
    }
    memset(scratch, 0xff, scratch_bytes);
    if (strcmp(question->layer, "height") == 0)
        answer_floats(question, &world, scratch, 1);
    else if (strcmp(question->layer, "normal") == 0)
        answer_floats(question, &world, scratch, 3);
    else if (strcmp(question->layer, "weights") == 0)
        answer_floats(question, &world, scratch, (size_t)world.recipe.partition.zones);
    else if (strcmp(question->layer, "zones") == 0)
        answer_zones(question, &world, scratch);
    else if (strcmp(question->layer, "digest") == 0)
        print_bytes(world.digest.byte, sizeof world.digest.byte, "");
    else
        return -1;
    return 0;
}

static int answer_line(const char *line, void *scratch, size_t scratch_bytes)
{
    static const char seedname[] = "seedname ";
    struct reader in = {line, 0};
    struct question question;

    if (strncmp(line, seedname, sizeof seedname - 1) == 0) {
        char name[LINE_BYTES];
        in.at += sizeof seedname - 1;
        const size_t bytes = read_bytes(&in, name, sizeof name);
        if (in.failed)
            return -1;
        printf("%016" PRIx64 "\n", terrane_seed_from_name(name, bytes));
        return 0;
    }
    read_question(&in, &question);
    if (in.failed || *in.at != '\0')
        return -1;
    return answer(&question, scratch, scratch_bytes);
}

int main(int argc, char **argv)
{
    static char line[LINE_BYTES];
    const int error = terrane_init(argc > 1 ? argv[1] : NULL);

    if (error < 0) {
        fprintf(stderr, "probe: %s\n", terrane_error_text(error));
        return 1;
    }
    /* aligned_alloc wants a multiple of the alignment. */
    const size_t scratch_bytes =
        (terrane_scratch_bytes() + TERRANE_SCRATCH_ALIGN - 1) / TERRANE_SCRATCH_ALIGN * TERRANE_SCRATCH_ALIGN;
    void *scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, scratch_bytes);
    if (scratch == NULL) {
        fputs("probe: out of memory\n", stderr);
        return 1;
    }

    int result = 0;
    for (long number = 1; fgets(line, sizeof line, stdin) != NULL; number++) {
        const size_t length = strcspn(line, "\n");
        const int whole = line[length] == '\n';
        line[length] = '\0';
        if (!whole || answer_line(line, scratch, scratch_bytes) != 0) {
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
