/*
 * native RECIPE.json: what bench.mjs measures of the module, of the library for this machine, by the same calls: seconds of a base
 * tile (the median of many), and of each region that eroded tiles rest on, as JSON.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../lib/js/module.h"
#include "../../lib/terrane.h"

enum { TILES = 41, REGIONS = 3, PER_REGION = 4, KEPT = 64, WIDEST = 16, SIZE = 257 };

static struct kept {
    struct js_region region;
    void *data;
    size_t bytes;
} kept[KEPT];
static int count;

static void need(int result)
{
    if (result >= 0)
        return;
    fprintf(stderr, "native: %s\n", js_message(result));
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static const struct kept *make(const struct js_region *region)
{
    struct js_region needs[2];
    const struct kept *input[2];
    for (int k = 0; k < count; k++)
        if (memcmp(&kept[k].region, region, sizeof *region) == 0)
            return &kept[k];
    const int n = js_needs(region);
    memcpy(needs, js_regions(), (size_t)n * sizeof *needs);
    for (int k = 0; k < n; k++)
        input[k] = make(&needs[k]);
    js_needs(region);
    for (int k = 0; k < n; k++)
        js_input(k, input[k]->data, input[k]->bytes);
    const double begun = now();
    need(js_region_make(region));
    printf("%s{\"region\": \"%d/%d\", \"seconds\": %.6f}", count > 0 ? ", " : "", region->kind, region->level,
           now() - begun);
    struct kept *made = &kept[count++];
    *made = (struct kept){*region, malloc(js_made_bytes()), js_made_bytes()};
    memcpy(made->data, js_made(), made->bytes);
    return made;
}

static int by_size(const void *a, const void *b)
{
    const double one = *(const double *)a, two = *(const double *)b;
    return (one > two) - (one < two);
}

int main(int argc, char **argv)
{
    static char text[TERRANE_RECIPE_TEXT_MAX];
    double seconds[TILES];
    struct js_region regions[WIDEST];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    need(js_open(text, fread(text, 1, sizeof text, file), 42, 0));
    need(terrane_init(getenv("TERRANE_ISA")));
    for (int k = 0; k < TILES; k++) {
        const double begun = now();
        need(js_tile(0, -1027 + k, 851, 0, 0, SIZE));
        need(js_tile_make());
        seconds[k] = now() - begun;
    }
    qsort(seconds, TILES, sizeof *seconds, by_size);
    printf("{\"kernels\": \"%s\", \"base\": %.6f, \"regions\": [", js_isa(), seconds[TILES / 2]);
    for (int k = 0; k < REGIONS; k++) {
        const int n = js_tile(0, -1027 + PER_REGION * k, 850, 0, 1, SIZE);
        need(n);
        memcpy(regions, js_regions(), (size_t)n * sizeof *regions);
        for (int r = 0; r < n; r++)
            make(&regions[r]);
    }
    printf("]}\n");
    return 0;
}
