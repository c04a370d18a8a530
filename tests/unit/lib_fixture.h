/*
 * What the unit tests of libterrane share: dice with a fixed seed, recipes and windows thrown with them,
 * memory between guard pages, and the four layers under one call. Include it first: it brings cmocka.
 */
#ifndef TERRANE_TESTS_LIB_FIXTURE_H
#define TERRANE_TESTS_LIB_FIXTURE_H

#include <sys/mman.h>

#include "../../lib/base/window.h"
#include "dice_recipe.h"

/* A fractal of the recipe, or NULL where there is none. */
static inline const struct terrane_fractal *dice_fractal(struct dice *dice,
                                                         const struct terrane_recipe *recipe)
{
    const int first = dice_int(dice, 0, recipe->terms - 1);
    for (int i = 0; i < recipe->terms; i++) {
        const struct terrane_term *term = &recipe->term[(first + i) % recipe->terms];
        if (term->op == TERRANE_OP_FRACTAL)
            return &term->fractal;
    }
    return NULL;
}

/* Where the low half of a column carries into the high one: tests/golden, tests/reference. */
static inline int64_t dice_place(struct dice *dice)
{
    const int64_t sign = dice_chance(dice, 0.5) ? 1 : -1, limit = INT64_C(1) << 50;
    const int64_t places[] = {
        dice_whole(dice, -300, 300),
        dice_whole(dice, -1000000, 1000000),
        sign * (INT64_C(1) << 48) + dice_whole(dice, -300, 300),
        sign * (limit - dice_whole(dice, 0, 300)),
        dice_whole(dice, -limit, limit),
    };
    return places[dice_int(dice, 0, COUNT(places) - 1)];
}

/* Mostly one that has octaves of a fractal. */
static inline int dice_level(struct dice *dice, const struct terrane_world *world)
{
    const struct terrane_fractal *fractal = dice_fractal(dice, world->recipe);
    const int cell = fractal ? ilogb(fractal->cell) : TERRANE_LEVEL_MAX;
    const int max = dice_chance(dice, 0.8) && cell < TERRANE_LEVEL_MAX ? cell : TERRANE_LEVEL_MAX;
    return dice_chance(dice, 0.3) ? 0 : dice_int(dice, 0, max);
}

/* Sizes around whole blocks, chunks and tiles, and all small ones; wide windows are low. */
static inline struct terrane_window dice_window(struct dice *dice, const struct terrane_world *world)
{
    static const int wide[] = {127, 128, 129, 255, 256, 257, 258, 259, 511, 512, 513, 514, 515, 769, 1025};
    const int level = dice_level(dice, world);
    const int width =
        dice_chance(dice, 0.7) ? dice_int(dice, 1, 67) : wide[dice_int(dice, 0, COUNT(wide) - 1)];
    const int max = width > 67 ? 4 : 8; /* of log2 step: what is skipped is made, too, and takes its time */
    const int step = dice_chance(dice, 0.5) ? 1 << dice_int(dice, 0, max) : dice_int(dice, 1, 1 << max);
    return (struct terrane_window){
        .level = level,
        .gi = dice_place(dice),
        .gj = dice_place(dice),
        .step = dice_chance(dice, 0.5) ? 1 : step,
        .width = width,
        .height = dice_int(dice, 1, width > 67 ? 5 : 19),
    };
}

/* A window inside another one, of dice. */
static inline struct terrane_window dice_part(struct dice *dice, const struct terrane_window *whole,
                                              int widest)
{
    const int max = whole->width < widest ? whole->width : widest;
    const int high = whole->height < widest ? whole->height : widest;
    struct terrane_window part = *whole;
    part.width = dice_int(dice, 1, max);
    part.height = dice_int(dice, 1, high);
    part.gi += dice_int(dice, 0, whole->width - part.width);
    part.gj += dice_int(dice, 0, whole->height - part.height);
    return part;
}

/* For messages; static storage, one at a time. */
static inline const char *window_text(const struct terrane_window *window)
{
    static char text[160];
    snprintf(text, sizeof text, "level %d, gi %" PRId64 ", gj %" PRId64 ", step %d, %d x %d", window->level,
             window->gi, window->gj, window->step, window->width, window->height);
    return text;
}

/* Whether a sample is in a window, with those around it. */
static inline bool window_holds(const struct terrane_window *window, int64_t gi, int64_t gj, int around)
{
    return gi - around >= window->gi && gi + around < window->gi + window->width &&
           gj - around >= window->gj && gj + around < window->gj + window->height;
}

static inline size_t place_of(const struct terrane_window *window, int64_t gi, int64_t gj)
{
    assert_true(window_holds(window, gi, gj, 0));
    return (size_t)(gj - window->gj) * (size_t)window->width + (size_t)(gi - window->gi);
}

enum layer { LAYER_HEIGHTS, LAYER_NORMALS, LAYER_INDEX, LAYER_WEIGHTS, LAYER_COUNT };

static inline size_t layer_sample_bytes(const struct terrane_world *world, enum layer layer)
{
    const size_t bytes[LAYER_COUNT] = {4, 12, 1, 4 * (size_t)world->recipe->partition.zones};
    return bytes[layer];
}

static inline int layer_make(const struct terrane_world *world, enum layer layer,
                             const struct terrane_window *window, const struct terrane_memory *memory,
                             void *out)
{
    switch (layer) {
    case LAYER_HEIGHTS:
        return terrane_heights(world, window, memory, out);
    case LAYER_NORMALS:
        return terrane_normals(world, window, memory, out);
    case LAYER_INDEX:
        return terrane_zones(world, window, memory, out, NULL);
    default:
        return terrane_zones(world, window, memory, NULL, out);
    }
}

/* Returns owned: all samples of a window's layer. */
static inline void *layer_new(const struct terrane_world *world, enum layer layer,
                              const struct terrane_window *window, const struct terrane_memory *memory)
{
    void *out = malloc(samples_of(window) * layer_sample_bytes(world, layer));
    assert_non_null(out);
    assert_int_equal(layer_make(world, layer, window, memory, out), 0);
    return out;
}

/* One height, the plainest way. */
static inline float height_at(const struct terrane_world *world, int level, int64_t gi, int64_t gj,
                              const struct terrane_memory *memory)
{
    const struct terrane_window window = {level, gi, gj, 1, 1, 1};
    float height;
    assert_int_equal(terrane_heights(world, &window, memory, &height), 0);
    return height;
}

/*
 * bytes between two pages that no one may touch: flush with the page behind (at_end) or with the one before.
 * What is left of their pages on the other side holds a pattern that guarded_intact looks for.
 */
struct guarded {
    uint8_t *map, *data;
    size_t page, map_bytes, bytes;
};

enum { GUARD_PATTERN = 0xC5 };

static inline struct guarded guarded_new(size_t bytes, bool at_end)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (bytes + page - 1) / page * page;
    struct guarded guarded = {.page = page, .map_bytes = inner + 2 * page, .bytes = bytes};
    guarded.map = mmap(NULL, guarded.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(guarded.map != MAP_FAILED);
    assert_int_equal(mprotect(guarded.map + page, inner, PROT_READ | PROT_WRITE), 0);
    memset(guarded.map + page, GUARD_PATTERN, inner);
    guarded.data = guarded.map + page + (at_end ? inner - bytes : 0);
    return guarded;
}

static inline bool guarded_intact(const struct guarded *guarded)
{
    const uint8_t *end = guarded->map + guarded->map_bytes - guarded->page;
    for (const uint8_t *p = guarded->map + guarded->page; p < end; p++) {
        if (p == guarded->data)
            p += guarded->bytes;
        if (p < end && *p != GUARD_PATTERN)
            return false;
    }
    return true;
}

static inline void guarded_free(struct guarded *guarded)
{
    assert_int_equal(munmap(guarded->map, guarded->map_bytes), 0);
    *guarded = (struct guarded){0};
}

/* Blocks of a struct terrane_memory, by turns at the end and the beginning of pages, which come full of NaN, or -1, and go intact. */
static struct guarded guarded_lent[24] __attribute__((unused));

static inline void *guarded_alloc(void *user, size_t bytes)
{
    static unsigned turn;
    struct guarded *guarded = user;
    while (guarded->map)
        guarded++;
    assert_true(guarded < guarded_lent + sizeof guarded_lent / sizeof *guarded_lent);
    *guarded =
        guarded_new((bytes + TERRANE_SCRATCH_ALIGN - 1) & -(size_t)TERRANE_SCRATCH_ALIGN, turn++ % 2 == 0);
    guarded->bytes = bytes;
    return memset(guarded->data, 0xFF, bytes);
}

static inline void guarded_take_back(void *user, void *block)
{
    struct guarded *guarded = user;
    while (guarded->data != block)
        guarded++;
    assert_true(guarded_intact(guarded));
    guarded_free(guarded);
}

static const struct terrane_memory guarded_memory
    __attribute__((unused)) = {.alloc = guarded_alloc, .free = guarded_take_back, .user = guarded_lent};

/* Memory that ends after some blocks and counts what it lends, which comes full of rubbish. */
struct purse {
    int left;         /* blocks that it has */
    size_t lent, max; /* bytes that are out, and were */
};

static inline void *purse_lend(void *user, size_t bytes)
{
    struct purse *purse = user;
    if (purse->left-- <= 0)
        return NULL;
    size_t *block = aligned_alloc(TERRANE_SCRATCH_ALIGN,
                                  (bytes + 2 * TERRANE_SCRATCH_ALIGN) & -(size_t)TERRANE_SCRATCH_ALIGN);
    assert_non_null(block);
    memset(block, 0xA5, bytes + TERRANE_SCRATCH_ALIGN);
    *block = bytes;
    purse->lent += bytes;
    purse->max = purse->lent > purse->max ? purse->lent : purse->max;
    return (char *)block + TERRANE_SCRATCH_ALIGN;
}

static inline void purse_take_back(void *user, void *block)
{
    size_t *from = (size_t *)(void *)((char *)block - TERRANE_SCRATCH_ALIGN);
    ((struct purse *)user)->lent -= *from;
    free(from);
}

/* ---- Set-up ---------------------------------------------------------------------------------------------- */

/* Of the whole program: the best kernels, and memory with one scratch buffer. */
static struct terrane_memory memory_lent;
static const struct terrane_memory *const scratch __attribute__((unused)) = &memory_lent;

static inline int set_up(void **state)
{
    (void)state;
    memory_lent.scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes);
    assert_non_null(memory_lent.scratch);
    return terrane_init(NULL);
}

static inline int tear_down(void **state)
{
    (void)state;
    free(memory_lent.scratch);
    return 0;
}

/* The usable instruction sets in turn. */
static inline void isa_choose(int turn)
{
    int count = 0;
    while (terrane_isa_usable(count))
        count++;
    assert_int_equal(terrane_init(terrane_isa_usable(turn % count)), 0);
}

/* How many random parameter sets: at least as many as TERRANE_TEST_SETS says. */
static inline int sets(int usual)
{
    const char *raised = getenv("TERRANE_TEST_SETS");
    const int max = raised ? (int)strtol(raised, NULL, 10) : 0;
    return max > usual ? max : usual;
}

#endif
