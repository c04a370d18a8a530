/*
 * Worlds through libterrane's public header, and the book of recipes.
 */
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "../server/recipe/book.h"
#include "../server/tool/tool.h"
#include "say.h"

enum { BAND_ROWS = 64, PIECE_SAMPLES = 1024 };

int source_open(struct source *source)
{
    source->scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes());
    if (!source->scratch)
        say_error("out of memory");
    return source->scratch ? 0 : -1;
}

void source_close(struct source *source)
{
    free(source->scratch);
    source->scratch = NULL;
}

/* ---- Recipes and seeds -------------------------------------------------------------------------------- */

int source_recipe(const char *name, struct terrane_recipe *recipe)
{
    const size_t n = name ? strlen(name) : 0;
    const bool file = tool_is_file(name);
    struct recipe *const loaded = malloc(sizeof *loaded);
    struct book *book = NULL;
    char error[RECIPE_ERROR_BYTES] = "out of memory";
    const struct recipe *found = NULL;

    if (!name) {
        terrane_recipe_default(recipe);
        free(loaded);
        return 0;
    }
    if (file && loaded && recipe_load(loaded, name, error, sizeof error) == 0)
        found = loaded;
    else if (!file && (book = book_open("", error, sizeof error)))
        found = book_find(book, name, n);
    if (found)
        *recipe = found->world;
    else if (!book)
        say_error("%s", error);
    else
        say_error("--recipe=%s: there is no such recipe (see terrane recipe)", name);
    book_free(book);
    free(loaded);
    return found ? 0 : 2;
}

bool source_seed(const char *text, uint64_t *seed)
{
    static const char name_signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~-";
    const size_t n = strlen(text);
    const bool decimal = n > 0 && strspn(text, "0123456789") == n;
    const bool hex = n > 2 && text[0] == '0' && text[1] == 'x';
    uint64_t value = 0;

    if (!decimal && !hex) {
        if (n < 1 || n > 64 || strspn(text, name_signs) != n || strncmp(text, "0x", 2) == 0)
            return false;
        *seed = terrane_seed_from_name(text, n);
        return true;
    }
    if (decimal ? n > 20 || (n > 1 && text[0] == '0')
                : n > 18 || strspn(text + 2, "0123456789abcdefABCDEF") != n - 2)
        return false;
    for (const char *at = text + (hex ? 2 : 0); *at; at++) {
        const uint64_t digit = (uint64_t)(*at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10);
        if (decimal && value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * (hex ? 16 : 10) + digit;
    }
    *seed = value;
    return true;
}

int source_fractal(enum terrane_base base, int octaves, float gain, int cell, struct terrane_recipe *recipe)
{
    memset(recipe, 0, sizeof *recipe);
    recipe->spacing_m = 1;
    recipe->low_m = -16;
    recipe->high_m = 16;
    recipe->terms = 1;
    recipe->term[0] = terrane_term_fractal(TERRANE_FBM);
    memset(recipe->term[0].fractal.base, (int)base, sizeof recipe->term[0].fractal.base);
    recipe->term[0].fractal.octaves = octaves;
    recipe->term[0].fractal.cell = cell;
    recipe->term[0].fractal.gain = gain;
    recipe->partition.zones = 1;
    recipe->partition.zone[0] = (struct terrane_zone){.name = "all", .term = -1, .amplitude = 1};
    recipe->steep_low = 1;
    recipe->steep_high = 2;
    return terrane_recipe_init(recipe, NULL);
}

/* ---- Heights ------------------------------------------------------------------------------------------ */

int source_heights(const struct source *source, const struct terrane_world *world,
                   const struct terrane_window *window, bool quiet, struct raster *raster)
{
    if (raster_make(raster, window->width, window->height) != 0) {
        say_error("out of memory");
        return 1;
    }
    raster->dx_m = raster->dy_m = terrane_lattice_m(world, window->level, 1);
    for (int j = 0; j < window->height; j += BAND_ROWS) {
        struct terrane_window band = *window;
        band.gj += j;
        band.height = window->height - j < BAND_ROWS ? window->height - j : BAND_ROWS;
        const int error = terrane_heights(world, &band, source->scratch,
                                          raster->sample + (size_t)j * (size_t)raster->width);
        if (error) {
            say_error("%s", terrane_error_text(error));
            raster_free(raster);
            return 2;
        }
        if (!quiet)
            say_progress("making the world", j, window->height);
    }
    if (!quiet)
        say_done();
    return 0;
}

/* ---- Eroded heights ----------------------------------------------------------------------------------- */

/* Rows of a piece at (i, j) of the raster, out of it or back into it. */
static void copy_piece(struct raster *raster, const struct terrane_window *piece, int i, int j,
                       float *heights, bool back)
{
    const size_t width = (size_t)piece->width;

    for (int row = 0; row < piece->height; row++, heights += width) {
        float *const at = raster->sample + (size_t)(j + row) * (size_t)raster->width + (size_t)i;
        memcpy(back ? at : heights, back ? heights : at, width * sizeof *at);
    }
}

/* Returns 0, TERRANE_EWINDOW, or 1: memory is short. */
static int erode_piece(const struct source *source, const struct terrane_world *world,
                       const struct terrane_window *piece, struct raster *raster, int i, int j)
{
    const size_t count = (size_t)piece->width * (size_t)piece->height;
    struct terrane_eroded eroded = {.window = *piece};
    float *const heights = malloc(count * sizeof *heights);
    void *const memory = aligned_alloc(
        TERRANE_SCRATCH_ALIGN, (terrane_erode_bytes(world->recipe, piece, -1) + TERRANE_SCRATCH_ALIGN - 1) /
                                   TERRANE_SCRATCH_ALIGN * TERRANE_SCRATCH_ALIGN);
    int result = 1;

    eroded.delta = malloc(count * sizeof *eroded.delta);
    eroded.flow = malloc(count * sizeof *eroded.flow);
    if (!heights || !memory || !eroded.delta || !eroded.flow)
        goto out;
    result = terrane_erode(world, NULL, source->scratch, memory, &eroded);
    if (result != 0)
        goto out;
    copy_piece(raster, piece, i, j, heights, false);
    result = terrane_eroded_heights(world->recipe, &eroded, piece, heights);
    copy_piece(raster, piece, i, j, heights, true);
out:
    free(heights);
    free(memory);
    free(eroded.delta);
    free(eroded.flow);
    return result;
}

int source_eroded_heights(const struct source *source, const struct terrane_world *world,
                          const struct terrane_window *window, bool quiet, struct raster *raster)
{
    const int status = source_heights(source, world, window, quiet, raster);
    const int across = (window->width + PIECE_SAMPLES - 1) / PIECE_SAMPLES;
    const int down = (window->height + PIECE_SAMPLES - 1) / PIECE_SAMPLES;
    int error = 0;

    if (status != 0 || window->level >= world->recipe->erosion.levels)
        return status;
    for (int k = 0; k < across * down && error == 0; k++) {
        const int i = k % across * PIECE_SAMPLES, j = k / across * PIECE_SAMPLES;
        struct terrane_window piece = *window;
        piece.gi += i;
        piece.gj += j;
        piece.width = window->width - i < PIECE_SAMPLES ? window->width - i : PIECE_SAMPLES;
        piece.height = window->height - j < PIECE_SAMPLES ? window->height - j : PIECE_SAMPLES;
        if (!quiet)
            say_progress("eroding it", k, across * down);
        error = erode_piece(source, world, &piece, raster, i, j);
    }
    if (!quiet)
        say_done();
    if (error == 0)
        return 0;
    say_error("%s", error < 0 ? terrane_error_text(error) : "out of memory");
    raster_free(raster);
    return error < 0 ? 2 : 1;
}
