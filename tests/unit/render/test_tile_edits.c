/* Tiles that go on from states (server/render/tile_edits.c, server/edit/edit_states.c): the bytes of those that are made at once. */
#include "../../../server/render/product.h"
#include "../edit/edit_kit.h"

enum { ENTRIES = 3000, KEYS = 4 };

struct history {
    struct edit_log *log;
    struct edit_entry entry[ENTRIES];
    size_t count;
};

/* Up to so many more around a tile; now and then one is undone, mostly of the last. */
static void go_on(struct history *history, struct dice *dice, size_t max)
{
    const size_t first = history->count;
    while (history->count < ENTRIES && history->count - first < max) {
        struct edit_entry *entry = &history->entry[history->count];
        *entry = (struct edit_entry){.edit = dice_edit(dice, 2000, 1000, 2500)};
        if (first > 0 && history->count == first && dice_chance(dice, 0.5)) {
            const int back = dice_chance(dice, 0.7) ? 20 : (int)first;
            const uint64_t undoes =
                first - (uint64_t)dice_int(dice, 0, back < (int)first ? back : (int)first - 1);
            if (edit_log_undoable(history->log, undoes))
                *entry = (struct edit_entry){.undoes = undoes};
        }
        history->count++;
    }
    assert_int_equal(edit_log_append(history->log, history->entry + first, history->count - first), 0);
}

static struct blob *make(struct producer *producer, const struct terrane_world *world, struct tile_key key,
                         struct edit_log *log, uint64_t at)
{
    struct produce_times times;
    key.edits = log;
    key.at = at;
    assert_int_equal(tile_key_finish(&key), 0);
    struct blob *blob = produce(producer, &key, world, &times);
    assert_non_null(blob);
    return blob;
}

TEST(states_change_no_byte)
{
    static struct history history;
    static const struct tile_key key[KEYS] = {
        {.layer = LAYER_HEIGHT, .format = FORMAT_F32, .size = 257},
        {.layer = LAYER_NORMAL, .format = FORMAT_F32, .size = 65},
        {.layer = LAYER_HEIGHT, .format = FORMAT_F32, .size = 65, .level = 2},
        {.layer = LAYER_HEIGHT, .format = FORMAT_F32, .size = 129, .level = 1},
    };
    struct dice dice = {51};
    struct terrane_recipe recipe;
    struct terrane_world world;
    struct producer *producer = producer_create();
    edit_world(&world, &recipe);
    history.log = edit_log_create();
    assert_true(producer && history.log);
    while (history.count < ENTRIES) {
        go_on(&history, &dice, (size_t)dice_int(&dice, 1, 200));
        const int k = dice_int(&dice, 0, KEYS - 1);
        const uint64_t at =
            dice_chance(&dice, 0.9) ? history.count : (uint64_t)dice_int(&dice, 1, (int)history.count);
        struct edit_log *anew = edit_log_create();
        for (size_t from = 0; from < history.count; from += 100)
            assert_int_equal(edit_log_append(anew, history.entry + from,
                                             history.count - from < 100 ? history.count - from : 100),
                             0);
        struct blob *one = make(producer, &world, key[k], history.log, at);
        struct blob *other = make(producer, &world, key[k], anew, at);
        assert_int_equal(one->bytes, other->bytes);
        assert_memory_equal(one->data, other->data, one->bytes);
        blob_release(one);
        blob_release(other);
        edit_log_free(anew);
    }
    edit_log_free(history.log);
    producer_free(producer);
}

GROUP(tile_edits, set_up, tear_down);
