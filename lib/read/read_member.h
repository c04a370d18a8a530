/*
 * Members of a recipe's structures, read by their rows (recipe/member.h).
 */
#ifndef TERRANE_READ_MEMBER_H
#define TERRANE_READ_MEMBER_H

#include "../recipe/member.h"
#include "reader.h"

/* Refuses what is no object, or has keys that are none of the rows'. */
int members_object(const struct reader *reader, const struct place *place, const struct value *value,
                   const struct members *members);

/* Reads a value for a row. */
int member_read(const struct reader *reader, const struct place *place, const struct value *value,
                const struct member *member, void *out);

/* Reads those members that an object has and that have a place, and leaves the others as they are. */
int members_read(const struct reader *reader, const struct place *place, const struct value *object,
                 const struct members *members, void *out);

/* Reads an object that says no other members, over their defaults. */
int members_read_anew(const struct reader *reader, const struct place *place, const struct value *object,
                      const struct members *members, void *out);

#endif
