/* Names of places, rivers, lakes and landmarks (lib/path/name.c); those of peaks are test_landmarks.c's. */
#include "../unit.h"

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
static void expect_kept(enum kind even, enum kind odd, const char *kept)
{
    enum { SQUARES = 64, APART = 1 << 14 /* cells of 64 samples: a square of a tongue */ };
    char all[SQUARES * TERRANE_NAME_BYTES] = "";
    struct terrane_digest digest;
    for (int k = 0; k < SQUARES; k++)
        name_of((int64_t)k * APART, k, k % 2 ? odd : even, all + (size_t)k * TERRANE_NAME_BYTES);
    for (size_t k = 0; k < sizeof all; k++) /* what stands behind a name is not its own */
        all[k] = (char)(all[k] == '?' ? 0 : all[k]);
    terrane_samples_digest(all, sizeof all / sizeof(float), &digest);
    assert_bytes(digest.byte, sizeof digest.byte, kept);
}

/* Names are kept: what a map once said stays right. */
TEST(names_stay)
{
    expect_kept(VILLAGE, TOWN, "19901b345a6c326328dcbc9efa45058a");
    expect_kept(RIVER, LAKE, "345218cd71952f5edbde3d6d12e2399a");
    expect_kept(SEA, SEA, "2c86664b6fca00adfde49400b72a3abf");
    expect_kept(CAPE, BAY, "ee414e8e150b41f7c4bcb854d3747216");
    expect_kept(RANGE, RANGE, "c46f70ce6445e72233ab1d17c5e80391");
    expect_kept(ISLAND, TRACT, "793c24d9ad663bf25512977f0a72f1bf");
    expect_kept(BANK, BANK, "00d360a551083a2d18dabe13d51e9351");
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
    static const char *const word[] = {
        "fuck", "shit",  "cunt",   "nigg",   "nazi",   "hitler", "rape",  "slut",  "whore",  "porn",  "dick",
        "cock", "piss",  "turd",   "puta",   "kike",   "wank",   "fag",   "negro", "chink",  "wog",   "wop",
        "dago", "gypo",  "injun",  "clit",   "boob",   "dildo",  "penis", "vagin", "vulva",  "semen", "jizz",
        "pedo", "pimp",  "incest", "molest", "murder", "sodom",  "slave", "jihad", "tranny", "hoer",  "hure",
        "neuk", "nutte", "suka",   "foda",   "fitta",  "chuj",   "verga", "polla", "encul",  "frocio"};
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
