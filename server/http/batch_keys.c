/*
 * Batches: targets out of a body, heads of frames.
 */
#include "batch_keys.h"

#include <stdlib.h>

#include "../recipe/recipe_json.h"

static void read_target(struct target *target, const json_t *given, const struct target_names *names)
{
    target_parse(target, json_string_value(given), json_string_length(given), names);
    if (target->route != ROUTE_UNKNOWN && (!target_is_tile(target) || target->key.format == FORMAT_SUBTREE))
        target_refuse(target, 400, "path",
                      "a batch is of tiles: /tile/..., /xyz/..., /terrain/... and /3dtiles/...glb");
    if (target->status == 0 && target->negotiated)
        target_finish(target, accept_choose(NULL));
    if (target->status == 0 && target->recipe != names->standard)
        target->key.recipe = target->recipe->name;
}

struct batch_keys *batch_keys_read(const char *text, size_t bytes, const struct target_names *names,
                                   struct body_complaint *complaint)
{
    const json_t *list;
    json_t *root = body_list(text, bytes, "tiles", BATCH_TILES_MOST, &list, complaint);
    struct batch_keys *keys = NULL;
    if (!root)
        return NULL;
    const size_t count = json_array_size(list);
    for (size_t i = 0; i < count && !complaint->status; i++)
        if (!json_is_string(json_array_get(list, i)))
            body_refuse(complaint, 400, "tiles", "tiles[%zu] must be a string, such as /tile/42/0/1/-2.f32",
                        i);
    if (!complaint->status) {
        keys = malloc(sizeof *keys + count * sizeof *keys->target);
        if (!keys)
            body_refuse(complaint, 503, NULL, "The server is short of memory; try again shortly.");
    }
    if (keys) {
        keys->count = count;
        for (size_t i = 0; i < count; i++)
            read_target(&keys->target[i], json_array_get(list, i), names);
    }
    json_decref(root);
    return keys;
}

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

void batch_head_write(unsigned char head[static BATCH_HEAD_BYTES], uint32_t index, unsigned status,
                      uint32_t bytes)
{
    put_u32(head, index);
    put_u32(head + 4, (uint32_t)status);
    put_u32(head + 8, bytes);
}
