/*
 * Fuzzing the request target, Accept, Accept-Encoding, If-None-Match, Range and If-Range. The input's first line is the
 * target, the rest a header's value.
 *
 * Whatever comes in is either refused in one printable sentence, or names a tile that the library has, and
 * that comes back when its canonical target is written out and read again. Seeds: tests/fuzz/corpus/target.
 */
#include <inttypes.h>

#include "../../lib/terrane_features.h"
#include "../../server/encode/encode.h"
#include "../../server/http/request_text.h"
#include "fuzz_names.h"

static struct target parse(const void *data, size_t bytes)
{
    char *const text = copy(data, bytes, false);
    struct target target;

    names_fill();
    memset(&target, 0xa5, sizeof target);
    target_parse(&target, text, bytes, &names);
    free(text);
    return target;
}

static bool targets_equal(const struct target *a, const struct target *b)
{
    return a->route == b->route && a->status == b->status && a->negotiated == b->negotiated &&
           a->pinned == b->pinned && a->parameter == b->parameter && strcmp(a->detail, b->detail) == 0 &&
           a->page_x == b->page_x && a->page_y == b->page_y &&
           memcmp(&a->window, &b->window, sizeof a->window) == 0 && a->place.given == b->place.given &&
           strcmp(a->file, b->file) == 0 && keys_equal(&a->key, &b->key);
}

/* A refusal says why, and says it in order. */
static void require_problem(const struct target *target)
{
    require(target->status == 400 || target->status == 404 || target->status == 410 || target->status == 413,
            "an unknown status");
    require(target->parameter != NULL, "nothing is named");
    require_sentence(target->detail, sizeof target->detail);
    require(strncmp(target->detail, target->parameter, strlen(target->parameter)) == 0, "another name");
}

static void require_tile(const struct target *target)
{
    const struct tile_key *const key = &target->key;
    struct tile_key again = *key;
    struct terrane_window window;
    struct terrane_world world;
    char text[300];

    require(key->layer < LAYERS && key->variant < VARIANTS && key->format < FORMATS && key->enc < ENCS &&
                key->reg < REGS,
            "a key of unknown names");
    require(terrane_window_tile(&window, key->level, key->x, key->y, key->size) == 0, "no such window");
    require(tile_key_finish(&again) == TILE_FINE && keys_equal(key, &again), "not finished yet");

    require(target->recipe == &standard || target->recipe == &other, "no recipe");
    terrane_world_init(&world, &target->recipe->world, key->seed);
    const struct digest digest = tile_key_digest(key, &world), same = tile_key_digest(&again, &world);
    require(digest_equal(&digest, &same), "equal keys, different digests");

    if (key->shift != SHIFT_NONE || !tile_ending_name[key->format] || key->reg != REG_CORNER)
        return; /* of a pyramid's own paths alone */
    const int length = snprintf(
        text, sizeof text,
        "/tile/%" PRIu64 "/%d/%" PRId64 "/%" PRId64 ".%s?layer=%s&variant=%s&enc=%s&size=%d&recipe=%s",
        key->seed, key->level, key->x, key->y, tile_format_name[key->format], tile_layer_name[key->layer],
        tile_variant_name[key->variant], tile_enc_name[key->enc], key->size, target->recipe->name);
    const struct target canonical = parse(text, (size_t)length);
    require(canonical.status == 0 && keys_equal(key, &canonical.key) && canonical.recipe == target->recipe,
            "the canonical target is another tile");
}

/* Every format may be chosen; an Accept header chooses one. */
static void finish(const struct target *target, const char *header)
{
    const enum tile_format chosen = accept_choose(header);

    require(chosen < FORMATS && chosen != FORMAT_R16, "Accept chose what it cannot name");
    for (int format = 0; format < FORMATS; format++) {
        struct target finished = *target;
        target_finish(&finished, (enum tile_format)format);
        require(finished.key.format == (enum tile_format)format, "another format");
        if (finished.status == 0)
            require_tile(&finished);
        else
            require_problem(&finished);
        require(finished.status == 0 || finished.status == 400, "out of range, and not seen before");
    }
}

static void match_etags(const char *header)
{
    static const char etag[] = "\"0123456789abcdef0123456789abcdef\"";
    const bool matches = etag_matches(header, etag, false);

    require(!matches || strstr(header, etag) || strchr(header, '*'), "a tag that is not there matches");
    require(etag_matches(etag, etag, true), "a tag does not match itself");
    require(matches || !etag_matches(header, etag, true), "a tag matches strongly alone");
    (void)etag_matches(header, "\"\"", true);
}

/* A coding that is chosen is named, or anything is, or nothing else is left. */
static void choose_coding(const char *header)
{
    const enum tile_coding coding = accept_coding(header);

    require(coding < CODINGS, "an unknown coding");
    require(coding == CODING_IDENTITY || strchr(header, '*') ||
                strcasestr(header, tile_coding_name[coding]) ||
                (coding == CODING_GZIP && strcasestr(header, "identity")),
            "a coding that nobody asked for");
}

/* What is selected is there; what is not selected leaves the ends alone; If-Range takes no other tag. */
static void select_range(const char *header)
{
    static const char etag[] = "\"0123456789abcdef0123456789abcdef\"";
    static const uint64_t lengths[] = {0, 1, 2, 1000, 264196, UINT64_MAX};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint64_t first = 1, last = 0, again_first = 1, again_last = 0;
        const enum range_kind kind = range_parse(header, NULL, etag, lengths[i], &first, &last);
        const enum range_kind same = range_parse(header, etag, etag, lengths[i], &again_first, &again_last);

        require(kind <= RANGE_UNSATISFIABLE, "an unknown kind");
        require(kind == same && first == again_first && last == again_last, "its own tag changes the range");
        if (kind == RANGE_PART)
            require(first <= last && last < lengths[i] && !strchr(header, ','),
                    "a range of bytes that are not there");
        else
            require(first == 1 && last == 0, "no range, and its ends are set");
        if (kind == RANGE_UNSATISFIABLE)
            require(strchr(header, '-') && !strchr(header, ','), "no range is not satisfiable");
        require(range_parse("bytes=0-0", header, etag, lengths[i], &first, &last) == RANGE_WHOLE ||
                    strstr(header, etag),
                "If-Range takes another tag");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const uint8_t *const line = bytes ? memchr(data, '\n', bytes) : NULL;
    const size_t target_bytes = line ? (size_t)(line - data) : bytes;
    char *const header = line ? copy(line + 1, bytes - target_bytes - 1, true) : copy("", 0, true);
    const struct target target = parse(data, target_bytes), again = parse(data, target_bytes);

    require(target.route < ROUTES, "an unknown route");
    require(targets_equal(&target, &again), "the same target twice, and two answers");
    const uint8_t *const mark = target_bytes ? memchr(data, '?', target_bytes) : NULL;
    const size_t path_bytes = mark ? (size_t)(mark - data) : target_bytes;
    if (target_bytes && data[0] == '/' &&
        (memmem(data, path_bytes, "%2F", 3) || memmem(data, path_bytes, "%2f", 3)))
        require(target.status == 404 || target.status == 400, "an escaped slash separates");
    require(!target.pinned || target.route < ROUTE_BATCH || target.route == ROUTE_WORLD,
            "pinned, and no world");
    if (target.status != 0)
        require_problem(&target);
    else if (target.route == ROUTE_MODEL)
        require(terrane_model_name[target.model] && target.model_seed >= 0 &&
                    target.model_seed < TERRANE_MODEL_SEEDS,
                "a model that there is not");
    else if (target_is_tile(&target) && !target.negotiated)
        require_tile(&target);
    else if (target_is_tile(&target))
        finish(&target, header);
    match_etags(header);
    (void)accept_choose(header);
    choose_coding(header);
    select_range(header);
    free(header);
    return 0;
}
