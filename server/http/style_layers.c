/*
 * Lines and names over the picture of a style.
 *
 * Rivers and names are shown; contours, which cover much, and paths, which the picture has, wait to be. Names are
 * written in fonts of whoever looks: a style without glyphs has MapLibre GL JS do so, from 5.11 on.
 */
#include "style_layers.h"

#include "../base/json_text.h"
#include "../encode/vectors.h"

static json_t *layer_of(const char *source, const char *id, const char *type, enum vector_layer of,
                        json_t *layout, json_t *paint)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "id", id, "type", type, "source", source,
                     "source-layer", vector_row[of].name, "layout", layout, "paint", paint);
}

static json_t *line_that_waits(const char *source, enum vector_layer of, const char *colour, double width)
{
    return layer_of(source, vector_row[of].name, "line", of, json_pack("{s:s}", "visibility", "none"),
                    json_pack("{s:s, s:f}", "line-color", colour, "line-width", width));
}

/* The wider the more they carry, so that small ones are to be seen beside great ones. */
static json_t *rivers(const char *source)
{
    return layer_of(source, vector_row[VECTOR_RIVER].name, "line", VECTOR_RIVER,
                    json_pack("{s:s, s:s}", "line-cap", "round", "line-join", "round"),
                    json_pack("{s:s, s:[s, f, [s, f, [s, [s, s], f]]]}", "line-color", "#2f6fae",
                              "line-width", "min", 5.0, "*", 0.75, "^", "get", "discharge", 0.25));
}

static json_t *name_layout(void)
{
    return json_pack("{s:[s, s], s:[s, s], s:[s, [s], [s, s], i, i, i, i], s:[s, s], s:i}", "text-field",
                     "get", "name", "text-font", "system-ui", "sans-serif", "text-size", "interpolate",
                     "linear", "get", "rank", 1, 16, 8, 11, "symbol-sort-key", "get", "rank", "text-padding",
                     8);
}

static json_t *name_paint(void)
{
    return json_pack("{s:[s, [s, s], [s, s, s, s, s], s, s], s:s, s:f}", "text-color", "match", "get", "kind",
                     "river", "lake", "sea", "bay", "bank", "#0e3d6b", "#1d1408", "text-halo-color",
                     "#fffcf0", "text-halo-width", 1.5);
}

static json_t *names(const char *source)
{
    json_t *layer = layer_of(source, "label", "symbol", VECTOR_LABEL, name_layout(), name_paint());
    json_put(&layer, "filter", json_pack("[s, [s, s]]", "!", "has", "angle"));
    return layer;
}

/* Names that run along what they are of. */
static json_t *names_along(const char *source)
{
    json_t *layout = name_layout();
    json_put(&layout, "text-rotate", json_pack("[s, s]", "get", "angle"));
    json_put(&layout, "text-rotation-alignment", json_string("map"));
    json_put(&layout, "text-pitch-alignment", json_string("viewport"));
    json_t *layer = layer_of(source, "label-along", "symbol", VECTOR_LABEL, layout, name_paint());
    json_put(&layer, "filter", json_pack("[s, s]", "has", "angle"));
    return layer;
}

void style_add_vectors(json_t **layers, const char *source)
{
    json_append(layers, line_that_waits(source, VECTOR_CONTOUR, "#4a2c12", 0.5));
    json_append(layers, rivers(source));
    json_append(layers, line_that_waits(source, VECTOR_PATH, "#9c3b1c", 1));
    json_append(layers, names_along(source));
    json_append(layers, names(source));
}
