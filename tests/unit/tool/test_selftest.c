/*
 * The self-test (server/life/selftest.h): passes with every instruction set, says what is wrong where something
 * is, and its digests are of the golden worlds.
 */
#include "../unit.h"

#include <inttypes.h>
#include <jansson.h>

#include "../../../server/life/selftest.h"
#include "../../../server/render/product.h"
#include "../../../server/tool/tool.h"

/* Of lib/base/digest.h, whose struct digest is another than the server's. */
void digest_siphash(const uint8_t *message, size_t bytes, int words, uint64_t *out);

static struct terrane_recipe recipe[2];

TEST(passes_with_every_instruction_set)
{
    const char *isa;
    for (int k = 0; (isa = terrane_isa_usable(k)) != NULL; k++) {
        char error[400] = "";
        setenv("TERRANE_ISA", isa, 1);
        assert_int_equal(tool_init(), 0);
        assert_string_equal(terrane_isa(), isa);
        if (selftest_run(error, sizeof error) != 0)
            fail_msg("%s", error);
    }
    unsetenv("TERRANE_ISA");
    assert_int_equal(tool_init(), 0);
}

/* One bit of one digest, of each case in turn: the message names the tile, and both digests. */
TEST(a_sample_that_differs_is_named)
{
    static const char *const path[SELFTEST_CASES] = {
        "/tile/42/0/3/-2.f32?layer=height&variant=base&size=65",
        "/tile/42/15/-3/1.f32?layer=height&variant=eroded&size=65",
        "/tile/42/15/-3/1.png?layer=water&variant=eroded&size=64",
        "/tile/42/4/-3/1.f32?layer=height&variant=eroded&size=65 without rivers",
        "/tile/42/4/-3/1.f32?layer=normal&variant=eroded&size=65 without rivers",
    };
    struct terrane_world world[2];
    selftest_worlds(recipe, world);
    for (int i = 0; i < SELFTEST_CASES; i++) {
        struct selftest_case cases[SELFTEST_CASES];
        char error[400] = "", digests[2][40];
        memcpy(cases, selftest_cases, sizeof cases);
        cases[i].wanted.low ^= UINT64_C(1) << (i * 13);
        assert_int_equal(selftest_compare(world, cases, SELFTEST_CASES, error, sizeof error), -1);
        assert_non_null(strstr(error, path[i]));
        assert_non_null(strstr(error, terrane_isa()));
        snprintf(digests[0], sizeof digests[0], "%016" PRIx64 "%016" PRIx64, cases[i].wanted.high,
                 cases[i].wanted.low);
        snprintf(digests[1], sizeof digests[1], "%016" PRIx64 "%016" PRIx64, selftest_cases[i].wanted.high,
                 selftest_cases[i].wanted.low);
        assert_non_null(strstr(error, digests[0]));
        assert_non_null(strstr(error, digests[1]));
        assert_null(strchr(error, '\n'));
    }
}

/* A golden digest of the newest generator, as text: in its file, or in the last one before it that tells of it. */
static void golden_of(const char *name, char *digest, size_t digest_bytes)
{
    digest[0] = '\0';
    for (int k = TERRANE_GENERATOR_VERSION; k >= TERRANE_GENERATOR_OLDEST && !digest[0]; k--) {
        char path[60];
        snprintf(path, sizeof path, "tests/golden/kept/%d.json", k);
        json_t *golden = json_load_file(path, 0, NULL);
        assert_non_null(golden);
        const char *text = json_string_value(json_object_get(json_object_get(golden, "digests"), name));
        snprintf(digest, digest_bytes, "%s", text ? text : "");
        json_decref(golden);
    }
}

/* The first case is the bytes that a golden digest is of, and its own digest is of them, too. */
TEST(the_first_is_a_golden_tile)
{
    struct terrane_world world[2];
    selftest_worlds(recipe, world);
    struct selftest_case test = selftest_cases[0];
    struct producer *producer = producer_create();
    struct produce_times times;
    char golden[40], text[40], error[400];
    uint64_t hash[2];
    assert_non_null(producer);
    golden_of("default, level 0, tile 3 -2 of 65: heights", golden, sizeof golden);
    struct blob *blob = produce(producer, &test.key, world, &times);
    assert_non_null(blob);
    assert_int_equal(blob->bytes, 65 * 65 * 4);
    digest_siphash(blob->data, blob->bytes, 2, hash);
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, hash[1], hash[0]);
    assert_string_equal(text, golden);
    assert_int_equal(selftest_compare(world, &test, 1, error, sizeof error), 0);
    blob_release(blob);
    producer_free(producer);
}

/* With SELFTEST_PRINT in the environment: the digests as they stand in selftest.c. */
TEST(digests_print)
{
    struct terrane_world world[2];
    selftest_worlds(recipe, world);
    struct digest got[SELFTEST_CASES];
    char error[400];
    if (!getenv("SELFTEST_PRINT"))
        skip();
    if (selftest_digests(world, selftest_cases, SELFTEST_CASES, got, error, sizeof error) != 0)
        fail_msg("%s", error);
    for (int i = 0; i < SELFTEST_CASES; i++)
        printf("     {.high = UINT64_C(0x%016" PRIx64 "), .low = UINT64_C(0x%016" PRIx64 ")}},\n",
               got[i].high, got[i].low);
}

GROUP(selftest);
