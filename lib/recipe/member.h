/*
 * Members of a recipe's structures as rows: how each is called in JSON, what it may be, what it is where it is left out,
 * and where it lies. What reads, checks, makes canonical and digests a structure asks its rows.
 */
#ifndef TERRANE_MEMBER_H
#define TERRANE_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum member_type {
    MEMBER_OTHER,  /* a key that is known, and read by hand: it has no place */
    MEMBER_FLOAT,  /* float */
    MEMBER_DOUBLE, /* double */
    MEMBER_WHOLE,  /* int */
    MEMBER_CELL,   /* int: the logarithm of a cell's side in samples, which is a power of two */
    MEMBER_COLOUR  /* uint8_t[3] */
};

struct member {
    const char *key;
    enum member_type type;
    uint16_t at;
    uint16_t trait; /* what the structure must be for it to count; 0: it always does */
    double least, most, usual;
    bool
        late; /* what recipes of before are without it: usual. 0 in a structure means that, too, and the digest is as it was */
};

/* The rows of a structure, in the order in which messages list keys. */
struct members {
    const struct member *row;
    size_t count;
};

#define MEMBERS(rows)                       \
    {                                       \
        rows, sizeof(rows) / sizeof *(rows) \
    }

enum { MEMBERS_MOST = 24 }; /* rows of a structure */

/* Also false for NaN. */
static inline bool within(double v, double low, double high)
{
    return v >= low && v <= high;
}

/* Fills what has a place with what it usually is; colours stay. */
void members_default(const struct members *members, void *out);

/* A number into the place of a row that has one; colours stay. */
void member_put(const struct member *member, double number, void *out);

/* Whether all that counts lies in its range. */
bool members_within(const struct members *members, unsigned traits, const void *in);

/* Copies what counts; -0 becomes +0. */
void members_canonical(const struct members *members, unsigned traits, void *out, const void *in);

/* All that has a place, as it lies in the structure: floats and doubles by their bits, whole numbers in four bytes. Of a late member
 * nothing where it is what it usually is; else first of all its key's bytes, eight of them. */
struct digest;
void members_digest(const struct members *members, struct digest *digest, const void *in);

/* ---- The structures ------------------------------------------------------------------------------------ */

/*
 * Named after what has the members. Those of items of sums lie in a factor; those of warp_by in the fractal; bands, sites
 * and table are the partition's object of each kind, voronoi and climate what stands in it: all lie in the partition. weather's
 * is the recipe's climate.
 */
extern const struct members recipe_members, relief_members, term_sum_members, sum_item_members,
    term_product_members, term_blend_members, term_curve_members, term_zones_members, term_plates_members,
    term_climate_members, term_coarse_members, term_raster_members, plates_members, weather_members,
    fractal_members, warp_members, zone_members, bands_members, sites_members, voronoi_members, table_members,
    climate_members, droplets_members, erosion_members, lakes_members, rivers_members, ice_members,
    paths_members, towns_members, caves_members, cover_members, material_members, texture_members,
    objects_members, class_members;

/* What numbers of a fractal count for (base_row, kind_row), of a zone, and of works. */
enum {
    FRACTAL_WEIGHT = 1,
    FRACTAL_JITTER = 2,
    FRACTAL_OFFSET = 4,
    FRACTAL_SHARPNESS = 8,
    FRACTAL_WARP = 16,
    FRACTAL_DAMP = 32,
    ZONE_SURFACE = 1,
    ZONE_DRAWN = 2,
    EROSION_DROPLETS = 1, /* numbers of zone 0, which are checked with those of the others */
    RIVERS_EVEN = 1,      /* runoff_mm, where runoff is no term */
    TEXTURE_WIND = 1
};

#endif
