/*
 * Objects as records and as GeoJSON, whose text is written directly: thousands of features would take megabytes as JSON
 * values.
 */
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>

#include "mesh_bytes.h"

int encode_objects_bin(const struct object_scene *scene, unsigned char **data, size_t *bytes)
{
    const size_t whole = (scene->objects + 1) * OBJECT_BYTES;
    unsigned char *out = calloc(whole, 1), *at = out;
    if (!out)
        return -1;
    memcpy(at, OBJECTS_MAGIC, 4);
    put_u32(at + 4, (uint32_t)scene->objects);
    at += OBJECT_BYTES;
    for (size_t i = 0; i < scene->objects; i++) {
        const struct terrane_object *object = &scene->object[i];
        at = put_f32(
            at, (float)(terrane_lattice_m(scene->world, TERRANE_OBJECTS_LATTICE, object->x) - scene->west_m));
        at = put_f32(at, (float)(terrane_lattice_m(scene->world, TERRANE_OBJECTS_LATTICE, object->y) -
                                 scene->north_m));
        at = put_f32(at, object->z);
        *at++ = object->turn;
        *at++ = object->scale;
        *at++ = object->of;
        *at++ = object->variant;
    }
    *data = out;
    *bytes = whole;
    return 0;
}

/* ---- GeoJSON ------------------------------------------------------------------------------------------- */

/* Three numbers of 24 characters, two of 10, a class, a model, a seed, and 150 around. */
enum { FEATURE_BYTES = 336 };

static const char head[] = "{\"type\":\"FeatureCollection\",\"features\":[", tail[] = "]}\n";

/* Names of classes need no escapes in quotes. */
static int write_feature(const struct object_scene *scene, const struct terrane_object *object, char *out)
{
    const struct terrane_class *class = &scene->world->recipe->objects.of[object->of];
    return snprintf(
        out, FEATURE_BYTES,
        "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[%.17g,%.17g,%.17g]},"
        "\"properties\":{\"class\":\"%s\",\"model\":\"%s\","
        "\"turn_deg\":%.9g,\"scale\":%.9g,\"variant\":%d}},",
        terrane_lattice_m(scene->world, TERRANE_OBJECTS_LATTICE, object->x),
        terrane_lattice_m(scene->world, TERRANE_OBJECTS_LATTICE, object->y), (double)object->z, class->name,
        terrane_model_name[class->model], object->turn * 360.0 / 256,
        (double)object->scale / TERRANE_OBJECTS_SCALE, object->variant);
}

int encode_objects_geojson(const struct object_scene *scene, unsigned char **data, size_t *bytes)
{
    char *out = malloc(sizeof head + scene->objects * FEATURE_BYTES + sizeof tail);
    if (!out)
        return -1;
    size_t n = sizeof head - 1;
    memcpy(out, head, n);
    for (size_t i = 0; i < scene->objects; i++)
        n += (size_t)write_feature(scene, &scene->object[i], out + n);
    n -= scene->objects > 0; /* the last comma */
    memcpy(out + n, tail, sizeof tail);
    n += sizeof tail - 1;
    char *fitted = realloc(out, n);
    *data = (unsigned char *)(fitted ? fitted : out);
    *bytes = n;
    return 0;
}
