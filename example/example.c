/*
 * terrane-example RECIPE.json SEED LEVEL X Y LAYER VARIANT: samples of a tile to standard output, as the server's
 * /tile/SEED/LEVEL/X/Y.f32?layer=LAYER&variant=VARIANT sends them, in this machine's order of bytes. SEED is what the server
 * takes: a decimal, 0x and hex digits, or a name; but the names that a server's configuration gives its worlds are unknown here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <terrane_make.h>

#define DECIMAL "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

enum { SIDE = 257 };

static int is_of(const char *word, size_t max, const char *characters)
{
    const size_t bytes = strlen(word);
    return bytes > 0 && bytes <= max && strspn(word, characters) == bytes;
}

static int read_seed(const char *word, uint64_t *seed)
{
    const int hex = strncmp(word, "0x", 2) == 0 || strncmp(word, "0X", 2) == 0,
              name = strspn(word, LETTERS) > 0 && is_of(word, 64, LETTERS DECIMAL "_-"),
              decimal = is_of(word, word[0] == '0' ? 1 : 20, DECIMAL);
    errno = 0;
    *seed = name ? terrane_seed_from_name(word, strlen(word)) : strtoull(word, NULL, hex ? 16 : 10);
    if (errno == 0 && (name || decimal || (hex && is_of(word + 2, 16, DECIMAL "ABCDEFabcdef"))))
        return 1;
    fprintf(stderr,
            "terrane-example: SEED: \"%s\" must be 0 .. 18446744073709551615, 0x and 1 to 16 hex digits, "
            "or a name [A-Za-z][A-Za-z0-9_-]{0,63}\n",
            word);
    return 0;
}

static int read_number(const char *what, const char *word, int digits, int64_t *number)
{
    *number = strtoll(word, NULL, 10);
    if (is_of(word + (word[0] == '-'), (size_t)digits, DECIMAL))
        return 1;
    fprintf(stderr, "terrane-example: %s: \"%s\" must be a decimal of 1 to %d digits\n", what, word, digits);
    return 0;
}

static int find(const char *const *names, int count, const char *name)
{
    while (count > 0 && strcmp(names[count - 1], name) != 0)
        count--;
    return count - 1;
}

int main(int argc, char **argv)
{
    static char text[TERRANE_RECIPE_TEXT_MAX + 1], why[TERRANE_REFUSAL_BYTES];
    static struct terrane_recipe recipe;
    static float out[SIDE * SIDE * TERRANE_ZONES_MAX];
    struct terrane_world world;
    struct terrane_window window;
    uint64_t seed;
    int64_t level, x, y;
    const int layer = argc == 8 ? find(terrane_layer_name, TERRANE_LAYERS, argv[6]) : -1;
    const int variant = argc == 8 ? find(terrane_variant_name, TERRANE_VARIANTS, argv[7]) : -1;
    FILE *file = layer < 0 || variant < 0 ? NULL : fopen(argv[1], "rb");
    if (!file)
        return fprintf(stderr, "usage: terrane-example RECIPE.json SEED LEVEL X Y LAYER VARIANT\n"), 2;
    if (!read_seed(argv[2], &seed) || !read_number("LEVEL", argv[3], 9, &level) ||
        !read_number("X", argv[4], 18, &x) || !read_number("Y", argv[5], 18, &y))
        return 2;
    const size_t bytes = fread(text, 1, sizeof text, file);
    if (terrane_recipe_parse(text, bytes, NULL, NULL, &recipe, NULL, why, sizeof why) != 0)
        return fprintf(stderr, "terrane-example: %s: %s\n", argv[1], why), 1;
    terrane_world_init(&world, &recipe, seed);
    int error = terrane_window_tile(&window, (int)level, x, y, SIDE);
    if (error == 0 && (error = terrane_init(NULL)) == 0)
        error = terrane_make(&world, &window, layer, variant, NULL, NULL, out);
    if (error != 0)
        return fprintf(stderr, "terrane-example: %s\n", terrane_error_text(error)), 1;
    const size_t numbers = (size_t)(SIDE * SIDE * terrane_layer_values(&recipe, layer));
    return fwrite(out, sizeof *out, numbers, stdout) == numbers && fflush(stdout) == 0 ? 0 : 1;
}
