/*
 * A recipe under construction: for the files of server/recipe alone.
 *
 * Terms are made depth first: what a term rests on stands before it, in the order of the arrays that name it, the
 * zones' surfaces before the partition's terms. So the order of terms, and with it the digest, follows from the
 * height alone; never from the order of keys. Terms are known by their json_t: a value that is reached twice, by
 * name or by "like", is made once.
 */
#ifndef TERRANE_SERVER_RECIPE_BUILD_H
#define TERRANE_SERVER_RECIPE_BUILD_H

#include "reader.h"
#include "recipe_json.h"

enum { BUILD_NAMED_MOST = 96, BUILD_OPEN_MOST = 128 };

struct build {
    const struct reader *reader;
    json_t *named;     /* the object of terms; NULL: none */
    json_t *zones;     /* the array; NULL: none */
    json_t *partition; /* the object; NULL: none */
    struct terrane_recipe recipe;
    const json_t *made[TERRANE_TERMS_MAX];      /* what each term was made of */
    char where[TERRANE_TERMS_MAX][PLACE_BYTES]; /* and where that stands */
    int octaves;                                /* of all fractals so far */
    int zones_term;                             /* of OP_ZONES; -1: not made */
    /* Values being made, from the outermost in: to notice that one rests on itself. */
    struct {
        const json_t *value;
        const char *name; /* NULL: it has none */
    } open[BUILD_OPEN_MOST];
    int depth;
};

/* The document itself, and the object of terms: where references lead to. */
extern const struct place build_root, build_terms;

/* Makes a term of a value: its index, or -1, refused. */
int build_term(struct build *build, const struct place *place, json_t *value);

/* The named term's value; NULL: refused, at place. */
json_t *build_named(struct build *build, const struct place *place, const char *name);

/* Puts a term at the end of the list, named after its place: its index, or -1: the list is full, refused. */
int build_append(struct build *build, const struct place *place, const json_t *value,
                 const struct terrane_term *made);

/* Makes a fractal of an object that has "fractal" or "like". */
int build_fractal(struct build *build, const struct place *place, json_t *value);

/* The words of bases and kinds, in the order of their enums. */
extern const char *const build_base_name[TERRANE_BASES];
extern const char *const build_kind_name[TERRANE_FRACTAL_KINDS];
extern const char *const build_partition_name[TERRANE_PARTITION_KINDS];

/* Reads what zones and partition say by themselves: all but their terms. */
int build_zones_read(struct build *build);

/* Makes the terms that the partition reads. Nothing where there is one zone only. */
int build_partition_terms(struct build *build);

/* Makes the term "zones", or finds it. */
int build_zones_term(struct build *build, const struct place *place);

/* Reads erosion, of the recipe and of its zones, and lakes. After build_zones_read. */
int build_erosion_read(struct build *build, json_t *root);

/* Reads paths and caves. After build_erosion_read. */
int build_paths_read(struct build *build, json_t *root);

/* A member that is a whole number low .. high. *out stays where there is none. */
int build_whole_read(const struct reader *reader, const struct place *place, const json_t *object,
                     const char *key, int low, int high, int *out);

/* The member "cell": the side of a cell, 2^least .. 2^most samples. *log2 stays where there is none. */
int build_cell_read(const struct reader *reader, const struct place *place, const json_t *object, int least,
                    int most, int *log2);

/* Refuses erosion whose heights the library cannot count (TERRANE_EEROSION of a recipe that was read). Returns -1. */
int build_erosion_refuse(const struct build *build);

/* What recipe_cost counts for them. 0 where there are none. */
double cost_of_erosion(const struct terrane_recipe *recipe);
double cost_of_lakes(const struct terrane_recipe *recipe);

/* Steps of droplets a sample in a phase of at most so many steps. */
double steps_of_phase(const struct terrane_recipe *recipe, int steps);

/* Enters and leaves a value, which name (NULL: it has none) outlives; entering one that is open is refused as a cycle. */
int build_enter(struct build *build, const struct place *place, const json_t *value, const char *name);
void build_leave(struct build *build);

/* Colour stops: [[at_m, "#rrggbb"], ...], rising. */
int build_gradient(const struct build *build, const struct place *place, const json_t *value,
                   struct terrane_gradient *gradient);

/* v is 1 or more, as a cell is in samples. */
static inline bool is_power_of_two(double v)
{
    while (v > 1)
        v /= 2;
    return v == 1;
}

#endif
