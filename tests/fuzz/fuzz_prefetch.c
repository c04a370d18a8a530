/*
 * Fuzzing bodies of POST /prefetch.
 *
 * Whatever comes in is refused in one printable sentence, or becomes a plan whose tiles exist, none twice,
 * and whose answer is JSON that leads to them. Seeds: tests/fuzz/corpus/prefetch.
 */
#include <jansson.h>

#include "../../server/http/prefetch.h"
#include "fuzz_names.h"

static void require_problem(unsigned status, const char *parameter, const char *detail)
{
    require(status == 400 || status == 404 || status == 413, "an unknown status");
    require(parameter != NULL, "nothing is named");
    require_sentence(detail, TARGET_DETAIL_BYTES);
}

static int tile_order(const void *a, const void *b)
{
    const struct prefetch_tile *const left = a, *const right = b;

    if (left->level != right->level)
        return left->level < right->level ? -1 : 1;
    if (left->x != right->x)
        return left->x < right->x ? -1 : 1;
    return (left->y > right->y) - (left->y < right->y);
}

static void require_plan(const struct prefetch_plan *plan, size_t max)
{
    require(plan->tile != NULL && plan->count <= max && plan->count <= plan->wanted, "more than there are");
    require(plan->wanted <= PREFETCH_TILES_MAX, "no end of them");
    require(plan->recipe == &standard || plan->recipe == &other, "no recipe");
    for (size_t i = 0; i < plan->count; i++) {
        struct tile_key key = prefetch_key(plan, i);
        const int size = key.size;
        require(tile_key_finish(&key) == TILE_FINE && key.size == size, "a tile that there is not");
    }
    qsort(plan->tile, plan->count, sizeof *plan->tile, tile_order);
    for (size_t i = 1; i < plan->count; i++)
        require(tile_order(&plan->tile[i - 1], &plan->tile[i]) != 0, "a tile twice");
}

static void require_answer(const struct prefetch_plan *plan)
{
    size_t bytes;
    char *const text = prefetch_answer(plan, "", plan->count, 0, 0, &bytes);
    require(text != NULL, "no answer");
    json_t *const answer = json_loadb(text, bytes, 0, NULL), *const tiles = json_object_get(answer, "tiles");

    require(json_array_size(tiles) == plan->count, "another number of links");
    for (size_t i = 0; i < plan->count; i++) {
        const char *const link = json_string_value(json_array_get(tiles, i));
        struct target target;
        const struct tile_key key = prefetch_key(plan, i);
        require(link != NULL, "a link that is no string");
        target_parse(&target, link, strlen(link), &names);
        require(target.status == 0 && target.route == ROUTE_TILE && target.recipe == plan->recipe,
                "a bad link");
        require(keys_equal(&target.key, &key), "a link to another tile");
    }
    json_decref(answer);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const size_t max = bytes % 300;
    char detail[TARGET_DETAIL_BYTES];
    const char *parameter = NULL;
    struct prefetch_plan plan;
    names_fill();
    memset(detail, 0x5a, sizeof detail);
    const unsigned status = prefetch_read(&plan, (const char *)data, bytes, max, &names, &parameter, detail);

    if (status != 0) {
        require_problem(status, parameter, detail);
        return 0;
    }
    require_plan(&plan, max);
    require_answer(&plan);
    free(plan.tile);
    return 0;
}
