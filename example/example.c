/*
 * terrane-example RECIPE.json SEED LEVEL X Y LAYER VARIANT: samples of a tile to standard output, as the server's
 * /tile/SEED/LEVEL/X/Y.f32?layer=LAYER&variant=VARIANT sends them, in this machine's order of bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <terrane_make.h>

enum { SIDE = 257 };

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
    const int layer = argc == 8 ? find(terrane_layer_name, TERRANE_LAYERS, argv[6]) : -1;
    const int variant = argc == 8 ? find(terrane_variant_name, TERRANE_VARIANTS, argv[7]) : -1;
    FILE *file = layer < 0 || variant < 0 ? NULL : fopen(argv[1], "rb");
    if (!file)
        return fprintf(stderr, "usage: terrane-example RECIPE.json SEED LEVEL X Y LAYER VARIANT\n"), 2;
    const size_t bytes = fread(text, 1, sizeof text, file);
    if (terrane_recipe_parse(text, bytes, NULL, &recipe, NULL, why, sizeof why) != 0)
        return fprintf(stderr, "terrane-example: %s: %s\n", argv[1], why), 1;
    terrane_world_init(&world, &recipe, strtoull(argv[2], NULL, 10));
    const int64_t x = strtoll(argv[4], NULL, 10), y = strtoll(argv[5], NULL, 10);
    int error = terrane_window_tile(&window, (int)strtol(argv[3], NULL, 10), x, y, SIDE);
    if (error == 0 && (error = terrane_init(NULL)) == 0)
        error = terrane_make(&world, &window, layer, variant, NULL, NULL, out);
    if (error != 0)
        return fprintf(stderr, "terrane-example: %s\n", terrane_error_text(error)), 1;
    const size_t numbers = (size_t)(SIDE * SIDE * terrane_layer_values(&recipe, layer));
    return fwrite(out, sizeof *out, numbers, stdout) == numbers && fflush(stdout) == 0 ? 0 : 1;
}
