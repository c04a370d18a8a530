/* Tags and GeoKeys for the plane of samples. Private to tif.c and tif_head.c. */
#ifndef TERRANE_SERVER_TIF_KEYS_H
#define TERRANE_SERVER_TIF_KEYS_H

#include <stdint.h>
#include <stdio.h>

#include "tif.h"

enum {
    TIF_STRIP_ROWS = 64,
    TIF_SIDE_MAX = 4097,
    TIF_CHANNELS_MAX = 32,
    TIF_TAG_PIXEL_SCALE = 33550,
    TIF_TAG_TIEPOINT = 33922,
    TIF_TAG_GEO_KEYS = 34735,
    TIF_TAG_GEO_TEXT = 34737,
    TIF_TAG_NODATA = 42113,
    TIF_NODATA_BYTES = 24
};

/*
 * Texts and keys of the plane. The model is "user-defined", with a name: readers take that as a local CRS;
 * for a projected one they would need a globe. A key is its number, the place of its value (0: here; else the
 * tag), the number of values, and the value or its offset.
 */
#define TIF_GEO_TEXT "terrane plane|" /* '|' ends a text */
static const char tif_geo_text[] = TIF_GEO_TEXT;

enum { TIF_GEO_KEYS = 5, TIF_GEO_SHORTS = 4 * TIF_GEO_KEYS };
static const uint16_t tif_geo_keys[TIF_GEO_KEYS][4] = {
    {1, 1, 0, TIF_GEO_KEYS - 1},     /* version 1, revision 1.0 */
    {1024, 0, 1, 32767},             /* GTModelType: user-defined */
    {1025, 0, 1, 2},                 /* GTRasterType: pixels are points */
    {1026, TIF_TAG_GEO_TEXT, 14, 0}, /* GTCitation */
    {3076, 0, 1, 9001},              /* ProjLinearUnits: metres */
};
_Static_assert(sizeof TIF_GEO_TEXT == 14 + 1, "the citation's length");

/* Metres a pixel (the third is for heights), and the first pixel's column, row, height and place. */
static inline void tif_scale(const struct grid_place *place, double scale[3])
{
    scale[0] = scale[1] = place->spacing_m;
    scale[2] = 0;
}

/* GDAL's tag: the number as text, to its end. Returns its bytes with the zero. */
static inline size_t tif_nodata(const struct grid_place *place, char text[TIF_NODATA_BYTES])
{
    return (size_t)snprintf(text, TIF_NODATA_BYTES, "%.9g", (double)place->none) + 1;
}

static inline void tif_tiepoint(const struct grid_place *place, double tie[6])
{
    tie[0] = tie[1] = tie[2] = tie[5] = 0;
    tie[3] = place->west_m;
    tie[4] = place->north_m;
}

#endif
