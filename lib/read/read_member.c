/*
 * Members as JSON has them: objects whose keys are those of rows, and numbers in their ranges.
 */
#include "read_member.h"

#include <string.h>

#include "message.h"

int members_object(const struct reader *reader, const struct place *place, const struct value *value,
                   const struct members *members)
{
    const char *words[MEMBERS_MAX];
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
    const int min = (int)member->min, max = (int)member->max;
    char sides[64] = "";
    int64_t cell;
    int log = min;
    if (reader_whole(reader, place, value, 1 << min, 1 << max, &cell) != 0)
        return -1;
    while (log < max && 1 << log < cell)
        log++;
    *log2 = log;
    if (1 << log == cell)
        return 0;
    for (int k = min; k <= max; k++) {
        const size_t n = strlen(sides);
        say(sides + n, sizeof sides - n, "%s%d", k > min ? ", " : "", 1 << k);
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
        result = reader_number(reader, place, value, member->min, member->max, &number);
        break;
    case MEMBER_WHOLE:
        result = reader_whole(reader, place, value, (int64_t)member->min, (int64_t)member->max, &whole);
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
        member_put(member, number, out);
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

int members_read_anew(const struct reader *reader, const struct place *place, const struct value *object,
                      const struct members *members, void *out)
{
    members_default(members, out);
    if (members_object(reader, place, object, members) != 0)
        return -1;
    return members_read(reader, place, object, members, out);
}
