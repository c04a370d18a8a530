#include "raster_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_free(struct refcount *references)
{
    struct raster_set *set = (struct raster_set *)references;
    for (int k = 0; k < set->count; k++) {
        free(set->file[k].sample);
        free(set->file[k].path);
    }
    free(set);
}

struct raster_set *raster_set_create(void)
{
    struct raster_set *set = calloc(1, sizeof *set);
    if (set)
        refcount_init(&set->references, set_free);
    return set;
}

static int file_read(struct raster_file *file, const char *folder, const char *name, char *why,
                     size_t why_bytes)
{
    struct raster_samples samples;
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        snprintf(why, why_bytes, "out of memory");
        return -1;
    }
    if (raster_read(path, &samples, why, why_bytes) != 0) {
        free(path);
        return -1;
    }
    *file = (struct raster_file){
        .raster = {.width = samples.width, .height = samples.height, .sample = samples.sample},
        .sample = samples.sample,
        .path = path,
        .stamp = samples.stamp};
    snprintf(file->name, sizeof file->name, "%s", name);
    if (terrane_raster_init(&file->raster) == 0)
        return 0;
    snprintf(why, why_bytes, "%s", terrane_error_text(TERRANE_ERASTER));
    free(samples.sample);
    free(path);
    return -1;
}

const struct terrane_raster *raster_set_get(struct raster_set *set, const char *folder, const char *name,
                                            char *why, size_t why_bytes)
{
    for (int k = 0; k < set->count; k++)
        if (strcmp(set->file[k].name, name) == 0)
            return &set->file[k].raster;
    if (set->count == TERRANE_RASTERS_MAX) {
        snprintf(why, why_bytes, "one file more than the %d that a recipe can name", TERRANE_RASTERS_MAX);
        return NULL;
    }
    struct raster_file *file = &set->file[set->count];
    if (file_read(file, folder, name, why, why_bytes) != 0)
        return NULL;
    set->count++;
    return &file->raster;
}
