/*
 * Rasters: terms whose samples a file has, which is named here and opened by whoever reads the text.
 */
#include "build.h"

enum { FILE_BYTES = 65, WHY_BYTES = 320 };

/* What a file of that name holds; NULL: refused. */
static const struct terrane_raster *raster_of(const struct build *build, const struct place *place,
                                              const struct value *value)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                      more[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    char name[FILE_BYTES], why[WHY_BYTES] = "";
    if (reader_text(build->reader, place, value, name, sizeof name) != 0)
        return NULL;
    if (!reader_is_name(name, first, more)) {
        reader_refuse(build->reader, place,
                      "is no name of a file beside the recipe: allowed [A-Za-z0-9][A-Za-z0-9._-]{0,63}");
        return NULL;
    }
    if (!build->files) {
        reader_refuse(build->reader, place, "%s: a recipe from here may not name files", name);
        return NULL;
    }
    const struct terrane_raster *raster = build->files->raster(build->files->user, name, why, sizeof why);
    if (!raster)
        reader_refuse(build->reader, place, "%s: %s", name, why);
    return raster;
}

/* A length in metres, 0 or from so many samples of level 0 to so many. */
static int length_read(const struct build *build, const struct place *place, const struct value *object,
                       const char *key, double min, double max, double *out)
{
    const struct place at = {place, key, 0};
    const double spacing = build->recipe.spacing_m;
    return reader_number(build->reader, &at, value_get(object, key), min * spacing, max * spacing, out);
}

/* Where its north-western sample is; without one its middle is at the origin. */
static int at_read(const struct build *build, const struct place *place, const struct value *object,
                   struct terrane_term *made)
{
    const struct place at = {place, "at", 0};
    const struct value *value = value_get(object, at.key);
    const double max = 0x1p40 * build->recipe.spacing_m;
    made->at_m[0] = -0.5 * (made->raster->width - 1) * made->step_m;
    made->at_m[1] = -0.5 * (made->raster->height - 1) * made->step_m;
    if (!value)
        return 0;
    if (reader_array(build->reader, &at, value, 2, 2, "metres, east and south") != 0)
        return -1;
    for (size_t axis = 0; axis < 2; axis++) {
        const struct place item = {&at, NULL, axis};
        if (reader_number(build->reader, &item, value_item(value, axis), -max, max, &made->at_m[axis]) != 0)
            return -1;
    }
    return 0;
}

int build_raster(struct build *build, const struct place *place, const struct value *value)
{
    const struct reader *reader = build->reader;
    const struct place raster = {place, "raster", 0}, spacing = {place, "spacing_m", 0},
                       beyond = {place, "beyond", 0};
    struct terrane_term made = {.op = TERRANE_OP_RASTER, .inputs = 1};
    members_default(&term_raster_members, &made);
    if (members_object(reader, place, value, &term_raster_members) != 0 ||
        members_read(reader, place, value, &term_raster_members, &made) != 0)
        return -1;
    if (!value_get(value, spacing.key))
        return reader_refuse(reader, &spacing, "is missing: metres between the file's samples");
    if (!value_get(value, beyond.key))
        return reader_refuse(reader, &beyond, "is missing: the term that it fades into beyond its edges");
    if (length_read(build, place, value, "spacing_m", 0x1p-4, 0x1p20, &made.step_m) != 0 ||
        (value_get(value, "fade_m") &&
         length_read(build, place, value, "fade_m", 0, 0x1p32, &made.fade_m) != 0))
        return -1;
    made.raster = raster_of(build, &raster, value_get(value, raster.key));
    if (!made.raster || at_read(build, place, value, &made) != 0)
        return -1;
    if ((made.in[0] = build_term(build, &beyond, value_get(value, beyond.key))) < 0)
        return -1;
    return build_append(build, place, value, &made);
}
