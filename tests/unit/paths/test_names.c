/* Names of places, rivers, lakes and landmarks (lib/path/name.c); those of peaks are test_landmarks.c's. */
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

enum kind { VILLAGE, TOWN, RIVER, LAKE, SEA, RANGE, CAPE, BAY, ISLAND, TRACT, BANK, KINDS };

static void name_of(int64_t cx, int64_t cy, enum kind kind, char name[TERRANE_NAME_BYTES])
{
    const struct terrane_path_node node = {
        .cx = cx, .cy = cy, .gi = cx * 64, .gj = cy * 64, .town = kind == TOWN};
    const struct terrane_stem stem = {.level = 11, .gi = cx, .gj = cy};
    const struct terrane_landmark mark = {.kind =
                                              (enum terrane_landmark_kind)(TERRANE_LANDMARK_SEA + kind - SEA),
                                          .level = 12,
                                          .cx = cx,
                                          .cy = cy};
    memset(name, '?', TERRANE_NAME_BYTES);
    if (kind == RIVER)
        terrane_stem_name(&world, &stem, name);
    else if (kind == LAKE)
        terrane_lake_name(&world, &stem, -7, name);
    else if (kind >= SEA)
        terrane_landmark_name(&world, &mark, name);
    else
        terrane_place_name(&world, &node, name);
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

TEST(no_two_are_called_alike)
{
    enum { SIDE = 64, NAMES = KINDS * SIDE * SIDE };
    static char name[NAMES][TERRANE_NAME_BYTES];
    for (int k = 0; k < NAMES; k++) {
        const int cell = k / KINDS;
        name_of(cell % SIDE - SIDE / 2, cell / SIDE - SIDE / 2, (enum kind)(k % KINDS), name[k]);
        const size_t bytes = strlen(name[k]);
        assert_in_range(bytes, 4, 20);
        assert_in_range(name[k][0], 'A', 'Z');
        for (size_t i = 1; i < bytes; i++)
            assert_in_range(name[k][i], 'a', 'z');
    }
    qsort(name, NAMES, TERRANE_NAME_BYTES, compare);
    for (int k = 1; k < NAMES; k++)
        assert_string_not_equal(name[k - 1], name[k]);
}

/* The digest of names of two kinds, in all tongues. */
static void expect_kept(enum kind even, enum kind odd, const uint8_t kept[16])
{
    enum { SQUARES = 64, APART = 1 << 14 /* cells of 64 samples: a square of a tongue */ };
    char all[SQUARES * TERRANE_NAME_BYTES] = "";
    struct terrane_digest digest;
    for (int k = 0; k < SQUARES; k++)
        name_of((int64_t)k * APART, k, k % 2 ? odd : even, all + (size_t)k * TERRANE_NAME_BYTES);
    for (size_t k = 0; k < sizeof all; k++) /* what stands behind a name is not its own */
        all[k] = (char)(all[k] == '?' ? 0 : all[k]);
    terrane_samples_digest(all, sizeof all / sizeof(float), &digest);
    assert_memory_equal(digest.byte, kept, 16);
}

/* Names are kept: what a map once said stays right. */
TEST(names_stay)
{
    static const uint8_t places[16] = {0x19, 0x90, 0x1b, 0x34, 0x5a, 0x6c, 0x32, 0x63,
                                       0x28, 0xdc, 0xbc, 0x9e, 0xfa, 0x45, 0x05, 0x8a},
                         waters[16] = {0x34, 0x52, 0x18, 0xcd, 0x71, 0x95, 0x2f, 0x5e,
                                       0xdb, 0xde, 0x3d, 0x6d, 0x12, 0xe2, 0x39, 0x9a},
                         seas[16] = {0x2c, 0x86, 0x66, 0x4b, 0x6f, 0xca, 0x00, 0xad,
                                     0xfd, 0xe4, 0x94, 0x00, 0xb7, 0x2a, 0x3a, 0xbf},
                         shores[16] = {0xee, 0x41, 0x4e, 0x8e, 0x15, 0x0b, 0x41, 0xf7,
                                       0xc4, 0xbc, 0xb8, 0x54, 0xd3, 0x74, 0x72, 0x16},
                         ranges[16] = {0xc4, 0x6f, 0x70, 0xce, 0x64, 0x45, 0xe7, 0x22,
                                       0x33, 0xab, 0x1d, 0x17, 0xc5, 0xe8, 0x03, 0x91},
                         lands[16] = {0x79, 0x3c, 0x24, 0xd9, 0xad, 0x66, 0x3b, 0xf2,
                                      0x55, 0x12, 0x97, 0x7f, 0x0a, 0x72, 0xf1, 0xbf},
                         banks[16] = {0x00, 0xd3, 0x60, 0xa5, 0x51, 0x08, 0x3a, 0x2d,
                                      0x18, 0xda, 0xbe, 0x13, 0xd5, 0x1e, 0x93, 0x51};
    expect_kept(VILLAGE, TOWN, places);
    expect_kept(RIVER, LAKE, waters);
    expect_kept(SEA, SEA, seas);
    expect_kept(CAPE, BAY, shores);
    expect_kept(RANGE, RANGE, ranges);
    expect_kept(ISLAND, TRACT, lands);
    expect_kept(BANK, BANK, banks);
    char here[TERRANE_NAME_BYTES], there[TERRANE_NAME_BYTES], far[TERRANE_NAME_BYTES];
    name_of(0, 0, TOWN, here);
    name_of(0, 0, VILLAGE, there);
    name_of(-(INT64_C(1) << 40), INT64_C(1) << 40, VILLAGE, far);
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
            name_of((int64_t)square * APART + k % SIDE, k / SIDE, (enum kind)(k % KINDS), name);
            name[0] |= 32;
            for (size_t w = 0; w < sizeof word / sizeof *word; w++)
                if (strstr(name, word[w]))
                    fail_msg("%s: %s", name, word[w]);
        }
}

GROUP(names, set_up, NULL);
