/* Names of places (lib/path/name.c). */
#include "../unit.h"

#include <string.h>

#include "../../../lib/terrane_features.h"

static struct terrane_recipe recipe;
static struct terrane_world world;

static int set_up(void **state)
{
    (void)state;
    terrane_recipe_default(&recipe);
    terrane_world_init(&world, &recipe, 42);
    return 0;
}

static void name_of(int64_t cx, int64_t cy, bool town, char name[TERRANE_NAME_BYTES])
{
    const struct terrane_path_node node = {.cx = cx, .cy = cy, .gi = cx * 64, .gj = cy * 64, .town = town};
    memset(name, '?', TERRANE_NAME_BYTES);
    terrane_place_name(&world, &node, name);
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static const uint8_t kept[16] = {0x19, 0x90, 0x1b, 0x34, 0x5a, 0x6c, 0x32, 0x63,
                                 0x28, 0xdc, 0xbc, 0x9e, 0xfa, 0x45, 0x05, 0x8a};

TEST(no_two_places_are_called_alike)
{
    enum { SIDE = 64 };
    static char name[2 * SIDE * SIDE][TERRANE_NAME_BYTES];
    for (int k = 0; k < 2 * SIDE * SIDE; k++) {
        name_of(k / 2 % SIDE - SIDE / 2, k / 2 / SIDE - SIDE / 2, k % 2, name[k]);
        const size_t bytes = strlen(name[k]);
        assert_in_range(bytes, 4, 20);
        assert_in_range(name[k][0], 'A', 'Z');
        for (size_t i = 1; i < bytes; i++)
            assert_in_range(name[k][i], 'a', 'z');
    }
    qsort(name, 2 * SIDE * SIDE, TERRANE_NAME_BYTES, compare);
    for (int k = 1; k < 2 * SIDE * SIDE; k++)
        assert_string_not_equal(name[k - 1], name[k]);
}

/* Names are kept: what a map once said stays right, in all tongues. */
TEST(names_stay)
{
    enum { SQUARES = 64, APART = 1 << 14 /* cells of 64 samples: a square of a tongue */ };
    char all[SQUARES * TERRANE_NAME_BYTES] = "";
    struct terrane_digest digest;
    for (int k = 0; k < SQUARES; k++)
        name_of((int64_t)k * APART, k, k % 2, all + (size_t)k * TERRANE_NAME_BYTES);
    for (size_t k = 0; k < sizeof all; k++) /* what stands behind a name is not its own */
        all[k] = (char)(all[k] == '?' ? 0 : all[k]);
    terrane_samples_digest(all, sizeof all / sizeof(float), &digest);
    assert_memory_equal(digest.byte, kept, sizeof kept);
    char here[TERRANE_NAME_BYTES], there[TERRANE_NAME_BYTES], far[TERRANE_NAME_BYTES];
    name_of(0, 0, true, here);
    name_of(0, 0, false, there);
    name_of(-(INT64_C(1) << 40), INT64_C(1) << 40, false, far);
    assert_string_equal(here, "Riavialesta");
    assert_string_equal(there, "Riaviale");
    assert_string_equal(far, "Llyfywyn");
}

/* Every sound of every tongue beside every other: a name has no word in it that offends. */
TEST(none_offends)
{
    static const char *const word[] = {"fuck", "shit", "cunt",  "nigg", "nazi", "hitler",
                                       "rape", "slut", "whore", "porn", "dick", "cock",
                                       "piss", "turd", "puta",  "kike", "wank", "fag"};
    enum { SIDE = 512, APART = 1 << 20 };
    char name[TERRANE_NAME_BYTES];
    for (int square = 0; square < 12; square++)
        for (int k = 0; k < SIDE * SIDE; k++) {
            name_of((int64_t)square * APART + k % SIDE, k / SIDE, k % 2, name);
            name[0] |= 32;
            for (size_t w = 0; w < sizeof word / sizeof *word; w++)
                if (strstr(name, word[w]))
                    fail_msg("%s: %s", name, word[w]);
        }
}

GROUP(names, set_up, NULL);
