/*
 * What of a set is there.
 */
#include <stdlib.h>
#include <string.h>

#include "export_sheets.h"

static bool has_file(const struct export_set *set, const struct export_folder *folder,
                     enum export_layer layer, int file, int tile)
{
    char name[EXPORT_NAME_BYTES];
    const uint64_t bytes = export_set_bytes(set, layer, file);
    export_set_name(set, layer, file, tile % set->across, tile / set->across, name);
    const size_t length = strlen(name);
    if (bytes == 0 && length > 4 && strcmp(name + length - 4, ".png") == 0)
        return export_folder_has_png(folder, name);
    const int64_t size = export_folder_size(folder, name, false);
    return bytes > 0 ? size == (int64_t)bytes : size > 0;
}

/* Whether heights of an earlier run wait. */
static bool has_kept(const struct export_set *set, const struct export_folder *folder,
                     enum export_layer layer, int tile)
{
    char name[EXPORT_NAME_BYTES];
    if (!export_layer_row[layer].heights || !export_set_waits(set))
        return false;
    export_set_name(set, layer, 0, tile % set->across, tile / set->across, name);
    return export_folder_size(folder, name, true) == (int64_t)(export_set_count(set) * sizeof(float));
}

/* Heights that were written before their range was known are none of the set's. */
static enum export_state state_of(const struct export_set *set, const struct export_folder *folder,
                                  bool ranged, enum export_layer layer, int tile)
{
    bool has = set->layer[layer] && (ranged || !export_layer_row[layer].heights);
    if (!set->layer[layer])
        return EXPORT_THERE;
    if (!folder)
        return EXPORT_MISSING;
    for (int file = 0; has && file < export_set_files(set, layer); file++)
        has = has_file(set, folder, layer, file, tile);
    return has ? EXPORT_THERE : has_kept(set, folder, layer, tile) ? EXPORT_WAITS : EXPORT_MISSING;
}

enum export_state *export_states(const struct export_set *set, const struct export_folder *folder)
{
    float low_m, high_m;
    const int tiles = set->across * set->down;
    const bool ranged = !export_set_waits(set) || (folder && export_folder_range(folder, &low_m, &high_m));
    enum export_state *state = calloc((size_t)tiles * EXPORT_LAYERS, sizeof *state);
    for (int i = 0; state && i < tiles * EXPORT_LAYERS; i++)
        state[i] = state_of(set, folder, ranged, (enum export_layer)(i / tiles), i % tiles);
    return state;
}

/* Marks the tiles of the world that a tile of the set touches. */
static void mark(const struct export_set *set, int tile, const struct export_rect *all, bool *marked)
{
    const struct export_rect rect = export_set_touched(set, tile % set->across, tile / set->across);
    for (int64_t y = rect.y0; y < rect.y1; y++)
        memset(marked + (y - all->y0) * (all->x1 - all->x0) + rect.x0 - all->x0, true,
               (size_t)(rect.x1 - rect.x0));
}

int64_t export_left(const struct export_set *set, const enum export_state *state, int64_t *total,
                    int64_t *files)
{
    const int tiles = set->across * set->down;
    const struct export_rect all = export_set_all(set);
    const int64_t count = (all.x1 - all.x0) * (all.y1 - all.y0);
    bool *marked = malloc((size_t)count);
    int64_t left = 0;
    *total = *files = 0;
    for (int layer = 0; marked && layer < EXPORT_LAYERS; layer++) {
        if (!set->layer[layer])
            continue;
        *total += count;
        memset(marked, false, (size_t)count);
        for (int tile = 0; tile < tiles; tile++)
            if (state[layer * tiles + tile] == EXPORT_MISSING)
                mark(set, tile, &all, marked);
            else if (state[layer * tiles + tile] == EXPORT_THERE)
                *files += export_set_files(set, (enum export_layer)layer);
        for (int64_t i = 0; i < count; i++)
            left += marked[i];
    }
    free(marked);
    return marked ? left : -1;
}
