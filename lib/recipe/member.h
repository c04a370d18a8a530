/*
 * Members of a recipe's structures as rows: JSON key, range, default, and place in the structure. The code that reads,
 * checks, canonicalises and digests a structure uses its rows.
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
    uint16_t trait; /* trait of the structure that makes it count; 0: it always does */
    double min, max, usual;
    bool
        late; /* added later: recipes without it have usual. 0 in a structure means that, too, and leaves the digest unchanged */
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

#define PLACE(structure, member) (uint16_t) offsetof(struct structure, member)

/* Rows in short: PLACE is where a member is, KEY is read by hand. */
#define KEY(key)                                \
    {                                           \
        key, MEMBER_OTHER, 0, 0, 0, 0, 0, false \
    }
#define ROW(key, type, at, low, high, usual)               \
    {                                                      \
        key, MEMBER_##type, at, 0, low, high, usual, false \
    }
/* For a member added after recipes had been promised to stay: "usual" is the old behaviour. */
#define LATE(key, type, at, low, high, usual)             \
    {                                                     \
        key, MEMBER_##type, at, 0, low, high, usual, true \
    }

enum { MEMBERS_MAX = 24 }; /* rows of a structure */

/* Also false for NaN. */
static inline bool within(double v, double low, double high)
{
    return v >= low && v <= high;
}

/* Fills all members with a place with their defaults; colours stay. */
void members_default(const struct members *members, void *out);

/* Writes a number into the place of a row that has one; colours stay. */
void member_put(const struct member *member, double number, void *out);

/* True if all members that count are in range. */
bool members_within(const struct members *members, unsigned traits, const void *in);

/* Copies members that count; -0 becomes +0. */
void members_canonical(const struct members *members, unsigned traits, void *out, const void *in);

/* Digests all members with a place, in the order of the structure: floats and doubles by their bits, whole numbers in four bytes.
 * A late member adds nothing if it has its default; else it is preceded by eight bytes of its key. */
struct digest;
void members_digest(const struct members *members, struct digest *digest, const void *in);

/* Likewise for numbers in an array, and for a name: up to its first zero, at most size - 1 bytes, into zeros. */
void floats_canonical(float *out, const float *in, int count);
void floats_digest(struct digest *digest, const float *v, int count);
void name_canonical(char *out, const char *in, size_t size);

/* ---- The structures ------------------------------------------------------------------------------------ */

/*
 * Named after the object with the members. Items of sums write into a factor; warp_by into the fractal; bands, sites and table
 * are the partition's object of each kind, voronoi and climate the objects in it: all write into the partition. weather is the
 * recipe's climate.
 */
extern const struct members recipe_members, relief_members, term_sum_members, sum_item_members,
    term_product_members, term_blend_members, term_curve_members, term_zones_members, term_plates_members,
    term_climate_members, term_coarse_members, term_raster_members, plates_members, weather_members,
    fractal_members, warp_members, zone_members, bands_members, sites_members, voronoi_members, table_members,
    climate_members, droplets_members, erosion_members, lakes_members, rivers_members, ice_members,
    paths_members, towns_members, caves_members, cover_members, material_members, texture_members,
    objects_members, class_members;

/* Traits: the numbers of a fractal (base_row, kind_row), of a zone, and of erosion and rivers that count. */
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
