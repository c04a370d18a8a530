#include "member.h"

#include <string.h>

#include "../base/digest.h"

/* ---- Defaults ------------------------------------------------------------------------------------------ */

void member_put(const struct member *member, double number, void *out)
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
        member_put(&members->row[k], members->row[k].usual, out);
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
        const double min = narrow ? (double)(float)member->min : member->min;
        const double max = narrow ? (double)(float)member->max : member->max;
        if (member->type != MEMBER_OTHER && member->type != MEMBER_COLOUR && counts(member, traits) &&
            !(member->late && number_of(member, in) == 0) && !within(number_of(member, in), min, max))
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
        else if (member->late && number_of(member, in) == 0)
            member_put(member, member->usual, out);
        else if (counts(member, traits))
            member_put(member, number_of(member, in) + 0.0, out);
    }
}

static void member_digest(const struct member *member, struct digest *digest, const void *in)
{
    const void *const at = (const char *)in + member->at;
    if (member->late && number_of(member, in) == member->usual)
        return;
    if (member->late)
        for (size_t k = 0, end = strlen(member->key); k < 8; k++)
            digest_put(digest, k < end ? (uint8_t)member->key[k] : 0, 1);
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
        digest_put_bytes(digest, at, 3);
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

/* ---- Arrays -------------------------------------------------------------------------------------------- */

void floats_canonical(float *out, const float *in, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = in[i] + 0.0f;
}

void floats_digest(struct digest *digest, const float *v, int count)
{
    for (int i = 0; i < count; i++)
        digest_put_float(digest, v[i]);
}

void name_canonical(char *out, const char *in, size_t size)
{
    for (size_t i = 0; i + 1 < size && in[i]; i++)
        out[i] = in[i];
}
