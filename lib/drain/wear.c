/*
 * Slopes: no neighbour is higher than the talus lets it be, as far as a bounded number of rounds brings that. Streams are cut
 * into ground before trees grow: so their banks lean back, and water beside a gorge runs into it.
 */
#include "../hash.h"
#include "drain.h"

static inline int32_t lesser(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* A row of one round: from rows of the round before. firm: how steep each cell stands, in eighths of the talus. */
static void wear_row(const int32_t *north, const int32_t *here, const int32_t *south, const uint16_t *firm,
                     int count, int32_t axis, int32_t *restrict out)
{
    for (int i = 1; i < count - 1; i++) {
        const int32_t rise = axis * firm[i];
        const int32_t sides = lesser(lesser(here[i - 1], here[i + 1]), lesser(north[i], south[i]));
        const int32_t corners =
            lesser(lesser(north[i - 1], north[i + 1]), lesser(south[i - 1], south[i + 1]));
        out[i] = lesser(here[i], lesser(sides + rise, corners + rise + (rise >> 2) + (rise >> 3)));
    }
}

static void round_of(const struct drain_field *field, const int32_t *from, int32_t *to)
{
    const size_t width = (size_t)field->width;
    for (size_t y = 1; y + 1 < (size_t)field->height; y++)
        wear_row(from + (y - 1) * width, from + y * width, from + (y + 1) * width, field->d + y * width,
                 field->width, field->law->talus[0] >> 3, to + y * width);
}

/* Rock is not everywhere the same: without that hillsides would be cones. */
static void find_firm(const struct drain_field *field)
{
    const uint64_t key = field->law->key ^ 3;
    for (int y = 0; y < field->height; y++) {
        const struct hash_row row = hash_row(key, field->window.gj + y);
        uint16_t *firm = field->d + (size_t)y * (size_t)field->width;
        for (int x = 0; x < field->width; x++)
            firm[x] = (uint16_t)(4 + (hash_corner(hash_column(key, field->window.gi + x), row) & 7));
    }
}

/* Marks what rounds may have brought from beyond. */
static void mark_edge(struct drain_field *field, int edge)
{
    for (int y = 0; y < field->height; y++)
        for (int x = 0; x < field->width; x++)
            if (x < edge || y < edge || x >= field->width - edge || y >= field->height - edge)
                field->mark[y * field->width + x] |= DRAIN_UNSURE;
}

void drain_wear(struct drain_field *field, int edge)
{
    int32_t *worn = (int32_t *)(void *)field->order;
    for (int c = 0; c < field->cells; c++)
        worn[c] = field->ground[c];
    find_firm(field);
    for (int k = 0; k < DRAIN_WEAR; k += 2) {
        round_of(field, field->ground, worn);
        round_of(field, worn, field->ground);
    }
    mark_edge(field, edge + DRAIN_WEAR + 1);
}
