/* Internal functions on recipes. */
#ifndef TERRANE_RECIPE_H
#define TERRANE_RECIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "../terrane.h"

/* Terms as a set: bit i is term i. */
_Static_assert(TERRANE_TERMS_MAX <= 64, "a set of terms is one word");

static inline uint64_t recipe_term_bit(int term)
{
    return term < 0 ? 0 : UINT64_C(1) << term;
}

/*
 * A set of terms plus all their direct and indirect dependencies: inputs, displacements, and for
 * TERRANE_OP_ZONES the terms of zones and partition. Indices must be in range.
 */
uint64_t recipe_rests_on(const struct terrane_recipe *recipe, uint64_t terms);

/* The direct dependencies of a term alone. */
uint64_t recipe_inputs_of(const struct terrane_recipe *recipe, const struct terrane_term *term);

/* TERRANE_OP_ZONES, and the terms that depend on it. */
uint64_t recipe_zoned_terms(const struct terrane_recipe *recipe);

/* The terms that a partition reads. */
uint64_t recipe_partition_terms(const struct terrane_partition *partition);

/* The terms of one operation. */
uint64_t recipe_terms_of(const struct terrane_recipe *recipe, enum terrane_op op);

/* The numbers that a fractal's kind and bases read. */
bool fractal_is_midpoint(const struct terrane_fractal *fractal);
bool fractal_is_faint(
    const struct terrane_fractal *fractal); /* its kind divides by an amplitude that is too little for that */
bool fractal_is_displaced(const struct terrane_fractal *fractal); /* by terms */
unsigned fractal_traits(const struct terrane_fractal *fractal);   /* FRACTAL_WEIGHT ... (member.h) */

/* The traits of a zone (member.h): a factor if it has a surface, a share if zones are drawn at random. */
unsigned zone_traits(const struct terrane_partition *partition, const struct terrane_zone *zone);

/* 0, or the error of terrane_recipe_init. *where, -1 before, is set as by that call. */
int recipe_check(const struct terrane_recipe *recipe, int *where);

/* Copies the members that count, and zeros elsewhere; out must be another recipe. */
void recipe_canonical(struct terrane_recipe *out, const struct terrane_recipe *in);

/* Digests generator version and a canonical recipe. */
struct terrane_digest recipe_digest(const struct terrane_recipe *recipe);

/* The parts of recipe_check, recipe_canonical and recipe_digest for erosion and lakes. The first needs a recipe that
 * passes all other checks. */
struct digest;
int recipe_erosion_check(const struct terrane_recipe *recipe, int *where);
void recipe_erosion_canonical(struct terrane_recipe *out, const struct terrane_recipe *in);
void recipe_erosion_digest(struct digest *digest, const struct terrane_recipe *recipe);

/* Likewise for plates, climate and coarse terms; only the climate's ground may still be an invalid term. */
int recipe_earth_check(const struct terrane_recipe *recipe, int *where);
void recipe_earth_canonical(struct terrane_recipe *out, const struct terrane_recipe *in);
void recipe_earth_digest(struct digest *digest, const struct terrane_recipe *recipe);

/* Likewise for rivers, paths and caves. A recipe without them keeps the digest it had before they were added. */
int recipe_paths_check(const struct terrane_recipe *recipe);
void recipe_paths_canonical(struct terrane_recipe *out, const struct terrane_recipe *in);
void recipe_paths_digest(struct digest *digest, const struct terrane_recipe *recipe);

/* Likewise for cover. A pair: the numbers between which a condition rises or falls. */
#define COVER_NUMBER_MAX 0x1p20
#define TEXTURE_SIZE_MIN 0x1p-4
#define TEXTURE_SIZE_MAX 0x1p20
#define COVER_MIN_STEP   0x1p-20
bool cover_pair_rises(const float pair[2]);
int recipe_cover_check(const struct terrane_recipe *recipe);
void recipe_cover_canonical(struct terrane_recipe *out, const struct terrane_recipe *in);
void recipe_cover_digest(struct digest *digest, const struct terrane_recipe *recipe);

/* Conditions, on a quantity from `least` on or on one of so many terms: check, canonical form and digest. */
bool condition_fine(const struct terrane_condition *condition, int min, const struct terrane_recipe *recipe);
void condition_canonical(struct terrane_condition *out, const struct terrane_condition *in);
void condition_digest(struct digest *digest, const struct terrane_condition *condition);

/* Likewise for objects. */
#define OBJECTS_RADIUS_MIN 2.0 /* samples of level 0 */
#define OBJECTS_RADIUS_MAX 64.0
#define OBJECTS_SCALE_MIN  0.25
#define OBJECTS_SCALE_MAX  3.75
int recipe_objects_check(const struct terrane_recipe *recipe);
void recipe_objects_canonical(struct terrane_recipe *out, const struct terrane_recipe *in);
void recipe_objects_digest(struct digest *digest, const struct terrane_recipe *recipe);

#endif
