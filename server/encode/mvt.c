/*
 * Writes vector tiles. A message of protocol buffers is a sequence of fields, each a key (number << 3 | wire type) and a varint,
 * or a length and that many bytes.
 */
#include "mvt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../base/little_endian.h"
#include "mvt_parts.h"

enum { KEYS_MAX = 16, BUCKETS_FIRST = 64 };

struct bytes {
    unsigned char *at;
    size_t count, room;
};

struct mvt {
    bool failed;
    struct bytes tile;
    const char *layer; /* the name; NULL: none is open */
    const char *key[KEYS_MAX];
    uint32_t keys;
    struct bytes features, values; /* of the layer, as fields */
    struct bucket {
        uint32_t index, at, length; /* of a value: index + 1, 0: empty; its field in values */
    } * bucket;
    uint32_t buckets, value_count;
    bool open; /* a feature is */
    enum mvt_kind kind;
    uint64_t id;
    struct bytes tags, geometry;
    int32_t x, y; /* position of the pen */
};

/* ---- Fields -------------------------------------------------------------------------------------------- */

static void put(struct mvt *mvt, struct bytes *to, const void *bytes, size_t count)
{
    if (mvt->failed || count == 0)
        return;
    if (to->room - to->count < count) {
        const size_t room = 2 * (to->count + count) + 256;
        unsigned char *more = realloc(to->at, room);
        if (!more) {
            mvt->failed = true;
            return;
        }
        to->at = more;
        to->room = room;
    }
    memcpy(to->at + to->count, bytes, count);
    to->count += count;
}

static void put_varint(struct mvt *mvt, struct bytes *to, uint64_t value)
{
    unsigned char text[10];
    size_t n = 0;
    for (; value > 127; value >>= 7)
        text[n++] = (unsigned char)(value | 128);
    text[n++] = (unsigned char)value;
    put(mvt, to, text, n);
}

static void put_field(struct mvt *mvt, struct bytes *to, int field, const void *bytes, size_t count)
{
    put_varint(mvt, to, (uint64_t)field << 3 | MVT_LENGTH);
    put_varint(mvt, to, count);
    put(mvt, to, bytes, count);
}

static uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

/* ---- Layers -------------------------------------------------------------------------------------------- */

static void end_feature(struct mvt *mvt)
{
    struct bytes feature = {NULL, 0, 0};
    if (mvt->open && mvt->geometry.count > 0) {
        if (mvt->id != 0) {
            put_varint(mvt, &feature, MVT_FEATURE_ID << 3);
            put_varint(mvt, &feature, mvt->id);
        }
        put_field(mvt, &feature, MVT_FEATURE_TAGS, mvt->tags.at, mvt->tags.count);
        put_varint(mvt, &feature, MVT_FEATURE_KIND << 3);
        put_varint(mvt, &feature, (uint64_t)mvt->kind);
        put_field(mvt, &feature, MVT_FEATURE_GEOMETRY, mvt->geometry.at, mvt->geometry.count);
        put_field(mvt, &mvt->features, MVT_LAYER_FEATURES, feature.at, feature.count);
        free(feature.at);
    }
    mvt->open = false;
    mvt->tags.count = mvt->geometry.count = 0;
}

static void end_layer(struct mvt *mvt)
{
    struct bytes layer = {NULL, 0, 0};
    end_feature(mvt);
    if (mvt->features.count > 0) {
        put_varint(mvt, &layer, MVT_LAYER_VERSION << 3);
        put_varint(mvt, &layer, 2);
        put_field(mvt, &layer, MVT_LAYER_NAME, mvt->layer, strlen(mvt->layer));
        put(mvt, &layer, mvt->features.at, mvt->features.count);
        for (uint32_t k = 0; k < mvt->keys; k++)
            put_field(mvt, &layer, MVT_LAYER_KEYS, mvt->key[k], strlen(mvt->key[k]));
        put(mvt, &layer, mvt->values.at, mvt->values.count);
        put_varint(mvt, &layer, MVT_LAYER_EXTENT << 3);
        put_varint(mvt, &layer, MVT_EXTENT);
        put_field(mvt, &mvt->tile, MVT_TILE_LAYERS, layer.at, layer.count);
        free(layer.at);
    }
    mvt->features.count = mvt->values.count = 0;
    mvt->keys = mvt->value_count = 0;
    if (mvt->bucket)
        memset(mvt->bucket, 0, mvt->buckets * sizeof *mvt->bucket);
}

void mvt_layer(struct mvt *mvt, const char *name)
{
    end_layer(mvt);
    mvt->layer = name;
}

void mvt_feature(struct mvt *mvt, enum mvt_kind kind, uint64_t id)
{
    end_feature(mvt);
    mvt->open = true;
    mvt->kind = kind;
    mvt->id = id;
    mvt->x = mvt->y = 0;
}

/* ---- What is said of features -------------------------------------------------------------------------- */

static uint32_t key_index(struct mvt *mvt, const char *key)
{
    uint32_t k = 0;
    while (k < mvt->keys && strcmp(mvt->key[k], key) != 0)
        k++;
    if (k == KEYS_MAX)
        mvt->failed = true;
    else if (k == mvt->keys)
        mvt->key[mvt->keys++] = key;
    return k;
}

/* Finds the bucket of a value's field, or the empty one for it. */
static struct bucket *find(const struct mvt *mvt, const unsigned char *field, size_t length)
{
    uint32_t at = (uint32_t)XXH3_64bits(field, length) & (mvt->buckets - 1);
    for (;; at = (at + 1) & (mvt->buckets - 1)) {
        struct bucket *bucket = &mvt->bucket[at];
        if (bucket->index == 0 ||
            (bucket->length == length && memcmp(mvt->values.at + bucket->at, field, length) == 0))
            return bucket;
    }
}

/* Doubles the buckets; false: memory is short. */
static bool widen(struct mvt *mvt)
{
    const struct mvt before = *mvt;
    struct bucket *more =
        calloc(before.buckets ? 2 * (size_t)before.buckets : BUCKETS_FIRST, sizeof *mvt->bucket);
    if (!more)
        return false;
    mvt->bucket = more;
    mvt->buckets = before.buckets ? 2 * before.buckets : BUCKETS_FIRST;
    for (uint32_t k = 0; k < before.buckets; k++)
        if (before.bucket[k].index != 0)
            *find(mvt, mvt->values.at + before.bucket[k].at, before.bucket[k].length) = before.bucket[k];
    free(before.bucket);
    return true;
}

/* Adds a tag: a key with the value whose message is in value. */
static void tag(struct mvt *mvt, const char *key, struct bytes *value)
{
    struct bytes field = {NULL, 0, 0};
    put_field(mvt, &field, MVT_LAYER_VALUES, value->at, value->count);
    free(value->at);
    if (!mvt->failed && mvt->value_count >= mvt->buckets / 2 && !widen(mvt))
        mvt->failed = true;
    if (!mvt->failed) {
        struct bucket *bucket = find(mvt, field.at, field.count);
        if (bucket->index == 0) {
            *bucket = (struct bucket){++mvt->value_count, (uint32_t)mvt->values.count, (uint32_t)field.count};
            put(mvt, &mvt->values, field.at, field.count);
        }
        put_varint(mvt, &mvt->tags, key_index(mvt, key));
        put_varint(mvt, &mvt->tags, bucket->index - 1);
    }
    free(field.at);
}

void mvt_text(struct mvt *mvt, const char *key, const char *text)
{
    struct bytes value = {NULL, 0, 0};
    put_field(mvt, &value, MVT_VALUE_TEXT, text, strlen(text));
    tag(mvt, key, &value);
}

void mvt_id(struct mvt *mvt, const char *key, uint64_t id)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, id);
    mvt_text(mvt, key, text);
}

void mvt_whole(struct mvt *mvt, const char *key, int64_t number)
{
    struct bytes value = {NULL, 0, 0};
    put_varint(mvt, &value, MVT_VALUE_ZIGZAG << 3);
    put_varint(mvt, &value, zigzag(number));
    tag(mvt, key, &value);
}

void mvt_number(struct mvt *mvt, const char *key, double number)
{
    struct bytes value = {NULL, 0, 0};
    unsigned char little[sizeof number];
    if (fabs(number) < INT32_MAX && number == (double)(int32_t)number) {
        mvt_whole(mvt, key, (int32_t)number);
        return;
    }
    put_f64(little, number);
    put_varint(mvt, &value, MVT_VALUE_DOUBLE << 3 | MVT_EIGHT);
    put(mvt, &value, little, sizeof little);
    tag(mvt, key, &value);
}

/* ---- Geometry ------------------------------------------------------------------------------------------ */

static void command(struct mvt *mvt, enum mvt_command id, size_t count)
{
    put_varint(mvt, &mvt->geometry, (uint64_t)count << 3 | id);
}

static void go(struct mvt *mvt, const struct mvt_point *point)
{
    put_varint(mvt, &mvt->geometry, zigzag((int64_t)point->x - mvt->x));
    put_varint(mvt, &mvt->geometry, zigzag((int64_t)point->y - mvt->y));
    mvt->x = point->x;
    mvt->y = point->y;
}

void mvt_geometry(struct mvt *mvt, const struct mvt_point *point, size_t points, bool closed)
{
    const bool back = closed && mvt->kind == MVT_LINE;
    command(mvt, MVT_MOVE_TO, 1);
    go(mvt, point);
    if (points > 1)
        command(mvt, MVT_LINE_TO, points - 1 + back);
    for (size_t i = 1; i < points; i++)
        go(mvt, &point[i]);
    if (back)
        go(mvt, point);
    if (mvt->kind == MVT_POLYGON)
        command(mvt, MVT_CLOSE_PATH, 1);
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

struct mvt *mvt_create(void)
{
    return calloc(1, sizeof(struct mvt));
}

void mvt_free(struct mvt *mvt)
{
    if (!mvt)
        return;
    free(mvt->tile.at);
    free(mvt->features.at);
    free(mvt->values.at);
    free(mvt->bucket);
    free(mvt->tags.at);
    free(mvt->geometry.at);
    free(mvt);
}

unsigned char *mvt_finish(struct mvt *mvt, size_t *bytes)
{
    unsigned char *data = NULL;
    end_layer(mvt);
    if (!mvt->failed)
        data = mvt->tile.at ? mvt->tile.at : malloc(1);
    if (data == mvt->tile.at)
        mvt->tile.at = NULL;
    *bytes = mvt->tile.count;
    mvt_free(mvt);
    return data;
}
