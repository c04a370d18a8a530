/*
 * Bodies of POST /prefetch: JSON into a view and a key, and a plan into the JSON of an answer.
 *
 * Every member is checked before anything is planned. The first complaint ends it: JSON itself, members that
 * there are not, members in the order of the table below, what the layer has not (400), and last a recipe
 * that there is not (404).
 */
#include "prefetch.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../base/json_text.h"
#include "../base/text.h"
#include "../recipe/recipe_json.h"

/* What a plan may cost follows from how many tiles it may have: half a millisecond for the default. */
enum { SQUARES_MIN = 2048, SQUARES_PER_TILE = 8 };

/* In metres, and metres a second. */
static const double distance_max_m = 1e7, speed_max = 1e6;

struct body {
    const json_t *root;
    const char *parameter;
    char *detail; /* TARGET_DETAIL_BYTES */
    unsigned status;
};

__attribute__((format(printf, 4, 5))) static bool refuse(struct body *body, unsigned status,
                                                         const char *parameter, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(body->detail, TARGET_DETAIL_BYTES, format, arguments);
    va_end(arguments);
    body->status = status;
    body->parameter = parameter;
    return false;
}

/* ---- Members ------------------------------------------------------------------------------------------- */

/* Each reader returns false once it has refused; what is not given stays as it is. */

static bool read_number(struct body *body, const char *name, double low, double high, double *value)
{
    const json_t *given = json_object_get(body->root, name);
    if (!given)
        return true;
    if (!json_is_number(given) || !(json_number_value(given) >= low) || !(json_number_value(given) <= high))
        return refuse(body, 400, name, "%s must be a number from %.15g to %.15g", name, low, high);
    *value = json_number_value(given);
    return true;
}

static bool read_integer(struct body *body, const char *name, int low, int high, const char *allowed,
                         int *value)
{
    const json_t *given = json_object_get(body->root, name);
    if (!given)
        return true;
    if (!json_is_integer(given) || json_integer_value(given) < low || json_integer_value(given) > high)
        return refuse(body, 400, name, "%s must be %s", name, allowed);
    *value = (int)json_integer_value(given);
    return true;
}

static bool read_vector(struct body *body, const char *name, double value[3])
{
    const json_t *given = json_object_get(body->root, name);
    const size_t count = json_array_size(given); /* of what is no array 0 */
    bool fine = count == 2 || count == 3;
    if (!given)
        return true;
    for (size_t i = 0; fine && i < count; i++) {
        const json_t *number = json_array_get(given, i);
        fine = json_is_number(number);
        value[i] = json_number_value(number);
    }
    return fine || refuse(body, 400, name, "%s must be two or three numbers", name);
}

static bool read_choice(struct body *body, const char *name, const char *const *table, int count, int *value)
{
    const json_t *given = json_object_get(body->root, name);
    char allowed[TARGET_DETAIL_BYTES];
    if (!given)
        return true;
    const int found = json_is_string(given)
                          ? tile_name_find(table, count, json_string_value(given), json_string_length(given))
                          : -1;
    if (found >= 0) {
        *value = found;
        return true;
    }
    tile_names_list(allowed, sizeof allowed, table, count);
    return refuse(body, 400, name, "%s must be one of %.160s", name, allowed);
}

static bool read_seed(struct body *body, const struct target_names *names, struct prefetch_plan *plan)
{
    const json_t *given = json_object_get(body->root, "seed");
    if (json_is_integer(given) && json_integer_value(given) >= 0) {
        plan->key.seed = (uint64_t)json_integer_value(given);
        return true;
    }
    const char *text = json_string_value(given); /* of what is no string NULL */
    const size_t bytes = json_string_length(given);
    if (text && target_read_seed(text, bytes, names, &plan->key, &plan->recipe, &plan->configured))
        return true;
    const char *away =
        text && text_name(text) && names->away ? names->away(names->context, text, bytes) : NULL;
    return away ? refuse(body, 503, "seed", "%s", away)
                : refuse(body, 400, "seed",
                         "seed must be 0 .. 18446744073709551615 (from 2^63 on as a string), a string of 0x "
                         "and 1 "
                         "to 16 hex "
                         "digits, or a name [A-Za-z][A-Za-z0-9_-]{0,63}");
}

/* Refuses a well-formed name that there is not with 404: to be called last. */
static bool read_recipe(struct body *body, const struct target_names *names, struct prefetch_plan *plan)
{
    const json_t *given = json_object_get(body->root, "recipe");
    const char *name = json_string_value(given); /* of what is no string NULL */
    if (!given)
        return true;
    if (plan->key.edits)
        return refuse(body, 400, "recipe", "recipe: a world that people change has its own");
    if (!name || !text_name(name))
        return refuse(body, 400, "recipe", "recipe must be a name [A-Za-z][A-Za-z0-9_-]{0,63}");
    const struct recipe *found = names->recipe ? names->recipe(names->context, name, strlen(name)) : NULL;
    if (!found)
        return refuse(body, 404, "recipe", "there is no recipe %s", name);
    plan->recipe = found;
    return true;
}

/* The recipe under the generator that is asked for; like target_query.c's. Refuses with 404 and 410, too: to be called last. */
static bool read_generator(struct body *body, struct prefetch_plan *plan)
{
    const json_t *given = json_object_get(body->root, "v");
    const json_int_t v = json_integer_value(given);
    if (!given)
        return true;
    if (!json_is_integer(given) || v < 0)
        return refuse(body, 400, "v", "v must be a generator version, a whole number");
    if (v < TERRANE_GENERATOR_OLDEST || v > TERRANE_GENERATOR_VERSION)
        return refuse(body, 410, "v",
                      "v: there is no such generator here; /world/{seed} says which there are");
    const struct recipe *kept = recipe_under(plan->recipe, (int)v);
    if (!kept)
        return refuse(body, 404, "v", "v: the recipe is not among those of this generator");
    plan->recipe = kept;
    return true;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

static bool check_members(struct body *body)
{
    static const char *const member[] = {"seed",   "position",  "velocity", "view_distance", "seconds",
                                         "detail", "level_max", "layer",    "format",        "variant",
                                         "enc",    "bands",     "size",     "recipe",        "v"};
    const int count = (int)(sizeof member / sizeof *member), needed[] = {0, 1, 3};
    json_t *root = (json_t *)(uintptr_t)body->root; /* iterating changes nothing */
    for (void *at = json_object_iter(root); at; at = json_object_iter_next(root, at)) {
        const char *name = json_object_iter_key(at);
        char quote[41] = "", allowed[TARGET_DETAIL_BYTES];
        if (tile_name_find(member, count, name, strlen(name)) >= 0)
            continue;
        for (size_t i = 0; i < 40 && name[i]; i++)
            quote[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
        tile_names_list(allowed, sizeof allowed, member, count);
        return refuse(body, 400, "body", "there is no member \"%s\": allowed are %s", quote, allowed);
    }
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!json_object_get(root, member[needed[i]]))
            return refuse(body, 400, member[needed[i]], "%s is missing", member[needed[i]]);
    return true;
}

/* In metres. */
static bool read_view(struct body *body, struct prefetch_view *view)
{
    *view = (struct prefetch_view){.seconds = 10, .detail = 1, .level_max = TERRANE_LEVEL_MAX};
    if (!read_vector(body, "position", view->at) || !read_vector(body, "velocity", view->speed))
        return false;
    for (int k = 0; k < 3; k++)
        if (fabs(view->speed[k]) > speed_max)
            return refuse(body, 400, "velocity", "velocity must be at most %.0f m/s in each direction",
                          speed_max);
    if (!read_number(body, "view_distance", 0, distance_max_m, &view->distance))
        return false;
    if (!(view->distance > 0))
        return refuse(body, 400, "view_distance", "view_distance must be above 0");
    return read_number(body, "seconds", 0, 120, &view->seconds) &&
           read_number(body, "detail", 0.1, 100, &view->detail) &&
           read_integer(body, "level_max", 0, TERRANE_LEVEL_MAX, "a whole number from 0 to 24",
                        &view->level_max);
}

static const char sizes[] = "2^k from 2 to 256 or 2^k + 1 from 3 to 257"; /* at every level */

static bool read_key(struct body *body, struct tile_key *key)
{
    int layer = LAYER_HEIGHT, format = FORMAT_PNG, variant = VARIANT_UNSAID, enc = ENC_TERRARIUM;
    if (!read_choice(body, "layer", tile_layer_name, LAYERS, &layer) ||
        !read_choice(body, "format", tile_ending_name, FORMATS, &format) ||
        !read_choice(body, "variant", tile_variant_name, VARIANTS, &variant) ||
        !read_choice(body, "enc", tile_enc_name, ENCS, &enc) ||
        !read_integer(body, "bands", 0, 1, "0 or 1", &key->bands) ||
        !read_integer(body, "size", 2, 257, sizes, &key->size))
        return false;
    key->layer = (enum tile_layer)layer;
    key->format = (enum tile_format)format;
    key->variant = (enum tile_variant)variant;
    key->enc = (enum tile_enc)enc;
    return true;
}

/* At level 0, which has the fewest sizes; what is fine there is fine at every other. */
static bool finish_key(struct body *body, struct prefetch_plan *plan)
{
    tile_key_vary(&plan->key, &plan->recipe->world);
    switch (tile_key_finish(&plan->key)) {
    case TILE_FINE:
        return true;
    case TILE_BAD_FORMAT:
        return refuse(body, 400, "format", "format %s is none of %s", tile_format_name[plan->key.format],
                      tile_layer_name[plan->key.layer]);
    case TILE_BAD_ENC:
        return refuse(body, 400, "enc", "enc %s is none of %s: allowed are terrarium and mapbox",
                      tile_enc_name[plan->key.enc], tile_layer_name[plan->key.layer]);
    case TILE_BAD_BANDS:
        return refuse(body, 400, "bands", "only a png or rgba8 of cover has more than the first ones");
    case TILE_BAD_LEVEL:
    case TILE_BAD_TILE:
    case TILE_BAD_SIZE:
    case TILE_BAD_REG:
    case TILE_BAD_TEXTURE:
        break;
    }
    return refuse(body, 400, "size", "size must be %s", sizes);
}

static bool read_body(struct body *body, const struct target_names *names, struct prefetch_plan *plan,
                      struct prefetch_view *view)
{
    if (!json_is_object(body->root))
        return refuse(body, 400, "body", "the body must be a JSON object");
    if (!check_members(body) || !read_seed(body, names, plan) || !read_view(body, view) ||
        !read_key(body, &plan->key))
        return false;
    const bool found = read_recipe(body, names, plan) && read_generator(body, plan);
    if (!found && body->status == 400)
        return false;
    return finish_key(body, plan) && found;
}

/* Why a text is no JSON. Jansson's own words quote what was given. */
static void refuse_text(struct body *body, const json_error_t *trouble)
{
    const enum json_error_code code = json_error_code(trouble);
    const char *why = code == json_error_numeric_overflow ? "a number is too big"
                      : code == json_error_duplicate_key  ? "a member stands twice"
                                                          : "the body must be a JSON object";
    if (code == json_error_out_of_memory)
        refuse(body, 503, NULL, "The server is short of memory; try again shortly.");
    else
        refuse(body, 400, "body", "%s: line %d, column %d", why, trouble->line, trouble->column);
}

unsigned prefetch_read(struct prefetch_plan *plan, const char *text, size_t bytes, size_t max,
                       const struct target_names *names, const char **parameter,
                       char detail[static TARGET_DETAIL_BYTES])
{
    struct body body = {.detail = detail};
    struct prefetch_plan made = {.recipe = names->standard, .key.variant = VARIANT_UNSAID};
    struct prefetch_view view;
    json_error_t trouble;
    json_t *root = NULL;
    if (bytes > PREFETCH_BODY_BYTES)
        refuse(&body, 413, "body", "the body must have at most %d bytes", PREFETCH_BODY_BYTES);
    else if (bytes > 0 && memchr(text, 0, bytes))
        refuse(&body, 400, "body", "the body must have no zero bytes"); /* Jansson passes over some */
    else if (!(body.root = root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &trouble)))
        refuse_text(&body, &trouble);
    else
        read_body(&body, names, &made, &view);
    json_decref(root);
    if (!body.status) {
        const double tile_m = TERRANE_TILE_SAMPLES * made.recipe->world.spacing_m;
        for (int k = 0; k < 3; k++) {
            view.at[k] /= tile_m;
            view.speed[k] /= tile_m;
        }
        view.distance /= tile_m;
        view.squares_max = SQUARES_MIN + SQUARES_PER_TILE * (unsigned)max;
        if (prefetch_walk(&view, &made.tile, &made.wanted) != 0)
            refuse(&body, 503, NULL, "The server is short of memory; try again shortly.");
    }
    if (body.status) {
        *parameter = body.parameter;
        return body.status;
    }
    made.count = made.wanted < max ? made.wanted : max;
    target_name_recipe(&made.key, made.recipe, names->standard);
    *plan = made;
    return 0;
}

struct tile_key prefetch_key(const struct prefetch_plan *plan, size_t i)
{
    struct tile_key key = plan->key;
    key.level = plan->tile[i].level;
    key.x = plan->tile[i].x;
    key.y = plan->tile[i].y;
    return key;
}

/* ---- Answers ------------------------------------------------------------------------------------------- */

enum { QUERY_BYTES = 200 };

static void query_add(char query[QUERY_BYTES], const char *name, const char *value)
{
    const size_t n = strlen(query);
    snprintf(query + n, QUERY_BYTES - n, "%c%s=%s", n ? '&' : '?', name, value);
}

/* What of the key the path does not say and is not a default. */
static void query_write(char query[QUERY_BYTES], const struct tile_key *key, const struct recipe *recipe)
{
    struct tile_key plain = {.layer = key->layer, .format = key->format, .variant = VARIANT_UNSAID};
    char size[16];
    *query = 0;
    tile_key_vary(&plain, &recipe->world);
    tile_world_query(key, '?', query);
    if (key->layer != LAYER_HEIGHT)
        query_add(query, "layer", tile_layer_name[key->layer]);
    if (key->variant != plain.variant)
        query_add(query, "variant", tile_variant_name[key->variant]);
    if (key->enc != ENC_TERRARIUM)
        query_add(query, "enc", tile_enc_name[key->enc]);
    if (key->bands != 0)
        query_add(query, "bands", "1");
    if (tile_key_finish(&plain) != TILE_FINE || key->size != plain.size) {
        snprintf(size, sizeof size, "%d", key->size);
        query_add(query, "size", size);
    }
}

char *prefetch_answer(const struct prefetch_plan *plan, const char *prefix, size_t queued, size_t cached,
                      size_t refused, size_t *bytes)
{
    char query[QUERY_BYTES], seed[TILE_SEED_BYTES];
    const char *world = tile_world_name(&plan->key, seed);
    json_t *tiles = json_array();
    query_write(query, &plan->key, plan->recipe);
    for (size_t i = 0; tiles && i < plan->count; i++) {
        const struct prefetch_tile *tile = &plan->tile[i];
        json_t *path = json_sprintf("%s/tile/%s/%d/%" PRId64 "/%" PRId64 ".%s%s", prefix, world, tile->level,
                                    tile->x, tile->y, tile_format_name[plan->key.format], query);
        json_append(&tiles, path);
    }
    return json_text(json_pack("{s:I, s:I, s:I, s:o, s:I}", "queued", (json_int_t)queued, "cached",
                               (json_int_t)cached, "refused", (json_int_t)refused, "tiles", tiles, "wanted",
                               (json_int_t)plan->wanted),
                     JSON_COMPACT, bytes);
}
