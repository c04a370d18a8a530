#include "member.h"

#include <string.h>

#include "../base/digest.h"
#include "../read/message.h"

/* ---- Defaults ------------------------------------------------------------------------------------------ */

static void number_put(const struct member *member, double number, void *out)
{
    void *const at = (char *)out + member->at;
    switch (member->type) {
    case MEMBER_FLOAT:
        *(float *)at = (float)number;
        break;
    case MEMBER_DOUBLE:
        *(double *)at = number;
        break;
    case MEMBER_WHOLE:
    case MEMBER_CELL:
        *(int *)at = (int)number;
        break;
    case MEMBER_COLOUR:
    case MEMBER_OTHER:
        break;
    }
}

void members_default(const struct members *members, void *out)
{
    for (size_t k = 0; k < members->count; k++)
        number_put(&members->row[k], members->row[k].usual, out);
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

int members_object(const struct reader *reader, const struct place *place, const struct value *value,
                   const struct members *members)
{
    const char *words[MEMBERS_MOST];
    if (!value_is(value, VALUE_OBJECT))
        return reader_not(reader, place, value, "an object");
    for (size_t k = 0; k < members->count; k++)
        words[k] = members->row[k].key;
    for (const struct value *at = value->first; at; at = at->next) {
        const struct place here = {place, at->key, 0};
        size_t k = 0;
        while (k < members->count && strcmp(words[k], at->key) != 0)
            k++;
        if (k == members->count)
            return reader_unknown_key(reader, &here, words, members->count);
    }
    return 0;
}

/* The side of a cell, 2^least .. 2^most samples. */
static int cell_read(const struct reader *reader, const struct place *place, const struct value *value,
                     const struct member *member, double *log2)
{
    const int least = (int)member->least, most = (int)member->most;
    char sides[64] = "";
    int64_t cell;
    int log = least;
    if (reader_whole(reader, place, value, 1 << least, 1 << most, &cell) != 0)
        return -1;
    while (log < most && 1 << log < cell)
        log++;
    *log2 = log;
    if (1 << log == cell)
        return 0;
    for (int k = least; k <= most; k++) {
        const size_t n = strlen(sides);
        say(sides + n, sizeof sides - n, "%s%d", k > least ? ", " : "", 1 << k);
    }
    return reader_refuse(reader, place, "%d is not one of %s", (int)cell, sides);
}

int member_read(const struct reader *reader, const struct place *place, const struct value *value,
                const struct member *member, void *out)
{
    double number = 0;
    int64_t whole = 0;
    int result = 0;
    switch (member->type) {
    case MEMBER_FLOAT:
    case MEMBER_DOUBLE:
        result = reader_number(reader, place, value, member->least, member->most, &number);
        break;
    case MEMBER_WHOLE:
        result = reader_whole(reader, place, value, (int64_t)member->least, (int64_t)member->most, &whole);
        number = (double)whole;
        break;
    case MEMBER_CELL:
        result = cell_read(reader, place, value, member, &number);
        break;
    case MEMBER_COLOUR:
        return reader_colour(reader, place, value, (uint8_t *)out + member->at);
    case MEMBER_OTHER:
        return 0;
    }
    if (result == 0)
        number_put(member, number, out);
    return result;
}

int members_read(const struct reader *reader, const struct place *place, const struct value *object,
                 const struct members *members, void *out)
{
    for (size_t k = 0; k < members->count; k++) {
        const struct place here = {place, members->row[k].key, 0};
        const struct value *value = value_get(object, here.key);
        if (value && member_read(reader, &here, value, &members->row[k], out) != 0)
            return -1;
    }
    return 0;
}

/* ---- Checks, canonical form, digest -------------------------------------------------------------------- */

static bool counts(const struct member *member, unsigned traits)
{
    return member->trait == 0 || (member->trait & traits) != 0;
}

static double number_of(const struct member *member, const void *in)
{
    const void *const at = (const char *)in + member->at;
    switch (member->type) {
    case MEMBER_FLOAT:
        return (double)*(const float *)at;
    case MEMBER_DOUBLE:
        return *(const double *)at;
    case MEMBER_WHOLE:
    case MEMBER_CELL:
        return *(const int *)at;
    case MEMBER_COLOUR:
    case MEMBER_OTHER:
        break;
    }
    return 0;
}

bool members_within(const struct members *members, unsigned traits, const void *in)
{
    for (size_t k = 0; k < members->count; k++) {
        const struct member *member = &members->row[k];
        const bool narrow = member->type == MEMBER_FLOAT; /* as the ends of its range are, too */
        const double least = narrow ? (double)(float)member->least : member->least;
        const double most = narrow ? (double)(float)member->most : member->most;
        if (member->type != MEMBER_OTHER && member->type != MEMBER_COLOUR && counts(member, traits) &&
            !within(number_of(member, in), least, most))
            return false;
    }
    return true;
}

/* Adding 0 turns -0 into +0 and changes nothing else. */
void members_canonical(const struct members *members, unsigned traits, void *out, const void *in)
{
    for (size_t k = 0; k < members->count; k++) {
        const struct member *member = &members->row[k];
        if (member->type == MEMBER_COLOUR)
            memcpy((char *)out + member->at, (const char *)in + member->at, 3);
        else if (counts(member, traits))
            number_put(member, number_of(member, in) + 0.0, out);
    }
}

static void member_digest(const struct member *member, struct digest *digest, const void *in)
{
    const void *const at = (const char *)in + member->at;
    switch (member->type) {
    case MEMBER_FLOAT:
        digest_put_float(digest, *(const float *)at);
        break;
    case MEMBER_DOUBLE:
        digest_put_double(digest, *(const double *)at);
        break;
    case MEMBER_WHOLE:
    case MEMBER_CELL:
        digest_put(digest, (uint64_t)(int64_t) * (const int *)at, 4);
        break;
    case MEMBER_COLOUR:
        for (int k = 0; k < 3; k++)
            digest_put(digest, ((const uint8_t *)at)[k], 1);
        break;
    case MEMBER_OTHER:
        break;
    }
}

void members_digest(const struct members *members, struct digest *digest, const void *in)
{
    int last = -1;
    for (;;) {
        const struct member *first = NULL;
        for (size_t k = 0; k < members->count; k++) {
            const struct member *member = &members->row[k];
            if (member->type != MEMBER_OTHER && member->at > last && (!first || member->at < first->at))
                first = member;
        }
        if (!first)
            return;
        member_digest(first, digest, in);
        last = first->at;
    }
}
