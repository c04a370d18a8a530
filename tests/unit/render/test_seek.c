/*
 * What a search says of what it has found.
 */
#include "../lib_fixture.h"

#include <math.h>

#include "../../../server/render/seek_parts.h"

/* ---- Tiles that are missing ------------------------------------------------------------------------------- */

enum { SIDE = 2 * TERRANE_TILE_SAMPLES, FOUND_MAX = 4096 };

struct list {
    int count;
    struct {
        int i, j;
        double measure;
        bool whole;
    } found[FOUND_MAX];
};

static void note(void *context, int i, int j, double measure, bool whole)
{
    struct list *list = context;
    assert_in_range(list->count, 0, FOUND_MAX - 1);
    list->found[list->count].i = i;
    list->found[list->count].j = j;
    list->found[list->count].measure = measure;
    list->found[list->count++].whole = whole;
}

static bool has(const struct list *list, int i, int j, double measure)
{
    for (int k = 0; k < list->count; k++)
        if (list->found[k].i == i && list->found[k].j == j && fabs(list->found[k].measure - measure) <= 0)
            return true;
    return false;
}

/* A wave of straight sides. */
static int wave(int at, int length)
{
    return abs((at % (2 * length) + 2 * length) % (2 * length) - length);
}

/* Hills and hollows, and what of them is of a kind. */
static void make_ground(struct seek_ground *ground, unsigned missing)
{
    assert_int_equal(seek_ground_make(ground, SIDE), 0);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            const int at = j * SIDE + i;
            const bool lacks = missing >> (j / TERRANE_TILE_SAMPLES * 2 + i / TERRANE_TILE_SAMPLES) & 1;
            const int height = wave(i + 2 * j, 37) + wave(3 * i - j, 53) + wave(i - j, 71) - 60;
            ground->height[at] = lacks ? 0 : (float)height;
            ground->is[at] = !lacks && height < 0;
        }
    ground->missing = missing;
}

/* What is whole though tiles are missing is there with all of them, too, and the same. */
TEST(what_is_whole_stays)
{
    static struct list all, part;
    for (unsigned missing = 0; missing < 15; missing++) {
        struct seek_ground ground;
        struct list *list = missing ? &part : &all;
        int whole = 0;
        make_ground(&ground, missing);
        list->count = 0;
        assert_int_equal(seek_parts(&ground, 300.5, 200.25, note, list), 0);
        for (int k = 0; k < list->count; k++) {
            whole += list->found[k].whole;
            assert_true(!list->found[k].whole ||
                        has(&all, list->found[k].i, list->found[k].j, list->found[k].measure));
        }
        assert_true(whole > 0 && (missing || whole == list->count));
        seek_ground_free(&ground);
    }
}

/* Two rivers come down to a coast, and one of them follows it, now beside the sea and now behind a bank. */
TEST(a_river_has_one_mouth)
{
    enum { COAST = 40, BANK = 5, TO_BEND = 8 };
    static struct list list;
    struct seek_ground ground;
    list.count = 0;
    assert_int_equal(seek_ground_make(&ground, SIDE), 0);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            const int at = j * SIDE + i, behind = i / TO_BEND % 2 ? BANK : 1;
            const bool bend = i % TO_BEND == 0 && j < COAST && j >= COAST - BANK;
            const bool follows = i >= 100 && i < 200 && (j == COAST - behind || bend);
            ground.flow[at] = (follows || (i == 300 && j < COAST)) ? 1 : 0;
            ground.height[at] = j < COAST ? 1 : -1;
            ground.surface[at] = j < COAST ? 1 : 0;
        }
    seek_ground_mark(&ground, FIND_MOUTH, 0);
    assert_int_equal(seek_parts(&ground, 170, COAST - BANK, note, &list), 0);
    assert_int_equal(list.count, 2);
    assert_true(has(&list, 168, COAST - 1, list.found[0].measure) && list.found[0].measure > TO_BEND);
    assert_true(has(&list, 300, COAST - 1, 1));
    seek_ground_free(&ground);
}

GROUP(seek);
