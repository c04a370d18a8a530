/*
 * Trees of least cost with so little room for cells that wait that these are put in anew, now and then, are the same trees. The room that a field
 * has is enough for all, whatever ground is: so it happens here alone.
 */
#include "drain_kit.h"

void grow_renewed(struct drain_field *field, int max);
void grow_on_renewed(struct drain_field *field, int before, int max);
#define DRAIN_QUEUE_CHUNKS(cells) \
    ((cells)*42 / 100 / CHUNK) /* of 38 cells in a hundred that wait at once, and 48 entries */
#define drain_grow    grow_renewed
#define drain_grow_on grow_on_renewed
#include "../../../lib/drain/grow.c"
#undef drain_grow
#undef drain_grow_on

enum { SIDE = 400, FAR = 300, END = 500 };

static void take(struct drain_field *field, const struct drain_law *law)
{
    struct room room = {NULL, 0};
    struct dice dice = {1};
    *field = (struct drain_field){.law = law, .window = {.step = 1, .width = SIDE, .height = SIDE}};
    drain_field_take(field, &room);
    room = (struct room){malloc(room.taken), 0};
    assert_non_null(room.start);
    drain_field_take(field, &room);
    for (int c = 0; c < field->cells; c++) {
        const int x = c % SIDE, y = c / SIDE;
        const bool edge = x < 2 || y < 2 || x >= SIDE - 2 || y >= SIDE - 2;
        field->ground[c] = dice_int(&dice, 0, 4000);
        field->to[c] = TERRANE_DRAIN_NONE;
        field->count[c] = dice_int(&dice, 0, 99) == 0;
        field->mark[c] = edge ? DRAIN_UNSURE : dice_int(&dice, 0, 30) == 0 ? DRAIN_FIXED : 0;
    }
}

TEST(trees_are_the_same_with_little_room)
{
    const struct drain_law law = {.key = 5, .inverse = 0x1p-5f};
    struct drain_field all, few;
    take(&all, &law);
    take(&few, &law);
    drain_grow(&all, FAR);
    grow_renewed(&few, FAR);
    drain_grow_on(&all, FAR, END);
    grow_on_renewed(&few, FAR, END);
    assert_memory_equal(all.d, few.d, sizeof *all.d * (size_t)all.cells);
    assert_memory_equal(all.to, few.to, (size_t)all.cells);
    assert_memory_equal(all.mark, few.mark, (size_t)all.cells);
    free(all.ground);
    free(few.ground);
}

GROUP(grow);
