/*
 * A recipe under construction, from JSON.
 *
 * Terms are made depth first: what a term rests on stands before it, in the order of the arrays that name it, the
 * zones' surfaces before the partition's terms. So the order of terms, and with it the digest, follows from the
 * height, the rivers' runoff, the cover and the objects alone; never from the order of keys. Terms are known by their values: one that is reached twice, by
 * name or by "like", is made once.
 */
#ifndef TERRANE_BUILD_H
#define TERRANE_BUILD_H

#include "../recipe/recipe.h"
#include "read_member.h"

enum { BUILD_NAMED_MAX = 96, BUILD_OPEN_MAX = 128 };

struct build {
    const struct reader *reader;
    const struct terrane_files *files; /* NULL: none is at hand */
    const struct value *root;
    const struct value *named;     /* the object of terms; NULL: none */
    const struct value *zones;     /* the array; NULL: none */
    const struct value *partition; /* the object; NULL: none */
    struct terrane_recipe recipe;
    const struct value *made[TERRANE_TERMS_MAX]; /* what each term was made of */
    char where[TERRANE_TERMS_MAX][PLACE_BYTES];  /* and where that stands */
    int octaves;                                 /* of all fractals so far */
    int zones_term;                              /* of OP_ZONES; -1: not made */
    /* Values being made, from the outermost in: to notice that one rests on itself. */
    struct {
        const struct value *value;
        const char *name; /* NULL: it has none */
    } open[BUILD_OPEN_MAX];
    int depth;
};

/* The document itself, and the object of terms: where references lead to. */
extern const struct place build_root, build_terms;

/* "/terms/hills/sum/1" is called "hills/sum/1", "/height" "height". */
const char *build_name(const char *where);

/* Makes a term of a value: its index, or -1, refused. */
int build_term(struct build *build, const struct place *place, const struct value *value);

/* The named term's value; NULL: refused, at place. */
const struct value *build_named(struct build *build, const struct place *place, const char *name);

/* Puts a term at the end of the list, named after its place: its index, or -1: the list is full, refused. */
int build_append(struct build *build, const struct place *place, const struct value *value,
                 const struct terrane_term *made);

/* Forgets all terms, as if none had been made. */
void build_forget(struct build *build);

/* Makes a fractal of an object that has "fractal" or "like". */
int build_fractal(struct build *build, const struct place *place, const struct value *value);

/* Reads what zones and partition say by themselves: all but their terms. */
int build_zones_read(struct build *build);

/* Makes the terms that the partition reads. Nothing where there is one zone only. */
int build_partition_terms(struct build *build);

/* Makes the term "zones", or finds it. */
int build_zones_term(struct build *build, const struct place *place);

/* Reads plates and climate, but for the term that is the climate's ground. */
int build_plates_climate_read(struct build *build);

/* Makes the climate's ground, where there is a climate. */
int build_climate_ground(struct build *build);

/* Make terms of objects that have "plates" or "climate": their quantities. */
int build_plates(struct build *build, const struct place *place, const struct value *value);
int build_climate(struct build *build, const struct place *place, const struct value *value);

/* Makes the term of an object that has "coarse". */
int build_coarse(struct build *build, const struct place *place, const struct value *value);

/* ... that has "raster". */
int build_raster(struct build *build, const struct place *place, const struct value *value);

/* Read a member of an object, where it has it: a length that is a power of two times spacing_m, as its logarithm in samples; a
 * salt. */
int build_side_read(const struct build *build, const struct place *place, const struct value *object,
                    const char *key, int min, int max, int *log2);
int build_salt_read(const struct build *build, const struct place *place, const struct value *object,
                    uint32_t *salt);

/* Reads erosion, of the recipe and of its zones, lakes, rivers and ice, but for the terms of runoff and sand. After
 * build_zones_read. */
int build_erosion_read(struct build *build);

/* Reads paths and caves. After build_erosion_read. */
int build_paths_caves_read(struct build *build);

/* Makes the term of rivers' runoff, where it is one. */
int build_runoff_term(struct build *build);

/* Makes the term of the sand beside them, where there is one. */
int build_sand_term(struct build *build);

/* Reads cover, and makes the terms that its conditions name. */
int build_cover(struct build *build);

/* Reads trapezoids over quantities and terms, or terms alone, and makes these: TERRANE_CONDITIONS_MAX at most. */
int build_where(struct build *build, const struct place *place, const struct value *where, bool quantities,
                struct terrane_condition *condition, int *conditions);

/* Reads objects, and makes the terms that their conditions name. After build_cover. */
int build_objects(struct build *build);

/* Reads the name of what is in a list (what: "a zone"), which others may have, too. */
int build_title(const struct reader *reader, const struct place *place, const struct value *object,
                const char *what, char name[24]);

/* Refuses erosion whose heights the library cannot count (TERRANE_EEROSION of a recipe that was read). Returns -1. */
int build_erosion_refuse(const struct build *build);

/* Enters and leaves a value, which name (NULL: it has none) outlives; entering one that is open is refused as a cycle. */
int build_enter(struct build *build, const struct place *place, const struct value *value, const char *name);
void build_leave(struct build *build);

/* Colour stops: [[at_m, "#rrggbb"], ...], rising. */
int build_gradient(const struct build *build, const struct place *place, const struct value *value,
                   struct terrane_gradient *gradient);

#endif
