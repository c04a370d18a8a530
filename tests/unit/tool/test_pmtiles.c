/*
 * PMTiles: the curve as published, directories read back as the specification says, and archives that end early, are known again,
 * or are damaged.
 */
#include "../folder_kit.h"

#include <libdeflate.h>

#include "../../../server/archive/pmtiles.h"
#include "../../../server/base/little_endian.h"

static char *name(const char *ending)
{
    return folder_path("a", ending);
}

static int tear_down(void **state)
{
    assert_int_not_equal(access(name(".pmtiles.new"), F_OK), 0);
    return folder_remove(state);
}

static struct mbtiles *open_tiles(void)
{
    char error[MBTILES_ERROR_BYTES];
    struct mbtiles *tiles = mbtiles_open(name(".part"), &(struct mbtiles_row){"name", "x"}, 1, error);
    assert_non_null(tiles);
    return tiles;
}

/* The sea is the same everywhere: two tiles of three along the curve. */
static void put_tiles(struct mbtiles *tiles, int z)
{
    for (uint32_t y = 0; y < 1u << z; y++)
        for (uint32_t x = 0; x < 1u << z; x++) {
            char text[32] = "sea";
            const uint64_t id = hilbert_id(z, x, y);
            if (id % 3 == 0)
                snprintf(text, sizeof text, "land %llu", (unsigned long long)id);
            assert_int_equal(
                mbtiles_put(tiles, &(struct mbtiles_place){z, x, y}, (unsigned char *)text, strlen(text)), 0);
        }
}

static unsigned char *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *data = malloc(1 << 20);
    *bytes = fread(data, 1, 1 << 20, file);
    fclose(file);
    return data;
}

static const struct pmtiles_facts facts = {
    2, 4, 3, -180, -85.0511288, 180, 85.0511288, -0.5, 12.25, "{\"name\":\"x\"}", false};

static int asked, max;

static bool after_max(void)
{
    return ++asked > max;
}

TEST(leaves_nothing_where_it_ends_early)
{
    char error[MBTILES_ERROR_BYTES] = "";
    struct mbtiles *tiles = open_tiles();
    put_tiles(tiles, 2);
    for (max = 0; max <= 31; max += 31) { /* in the first of two walks, and in the second */
        asked = 0;
        assert_int_equal(pmtiles_write(name(".pmtiles"), tiles, &facts, after_max, error), 1);
        assert_int_not_equal(access(name(".pmtiles.new"), F_OK), 0);
    }
    assert_int_equal(pmtiles_write("/does/not/exist.pmtiles", tiles, &facts, NULL, error), -1);
    assert_string_equal(error, "/does/not/exist.pmtiles: No such file or directory");
    assert_int_not_equal(access(name(".pmtiles"), F_OK), 0);
    mbtiles_close(tiles);
}

static const char said[] = "{\"terrane:seed\":\"42\",\"terrane:layer\":\"height\"}";
enum { TILES = 16 };

static void write_archive(void)
{
    char error[MBTILES_ERROR_BYTES];
    struct pmtiles_facts of_world = facts;
    struct mbtiles *tiles = open_tiles();
    of_world.metadata = said;
    put_tiles(tiles, 2);
    assert_int_equal(pmtiles_write(name(".pmtiles"), tiles, &of_world, NULL, error), 0);
    mbtiles_close(tiles);
}

static void finds(const char *metadata, int64_t tiles, const char *why)
{
    char error[MBTILES_ERROR_BYTES] = "";
    assert_int_equal(pmtiles_find(name(".pmtiles"), metadata, tiles, error), why ? -1 : 1);
    if (why && (!strstr(error, why) || strncmp(error, name(".pmtiles"), strlen(name(".pmtiles"))) != 0))
        fail_msg("\"%s\" lacks \"%s\"", error, why);
}

/* Made with another seed or layer: tests/http/test_seed.py. */
TEST(an_archive_is_known_again)
{
    char error[MBTILES_ERROR_BYTES];
    assert_int_equal(pmtiles_find(name(".pmtiles"), said, TILES, error), 0);
    write_archive();
    finds(said, TILES, NULL);
    finds("{\"terrane:seed\":\"42\"}", TILES, "made with other options");
    finds("{\"terrane:zoom\":\"1\"}", TILES, "no archive of terrane's");
    finds(said, TILES + 1, "has not all of its bytes");
}

/* At every length but its own, and with any byte of the header or metadata other than it is, it is no whole archive. */
TEST(damage_is_noticed)
{
    size_t bytes;
    write_archive();
    unsigned char *file = read_file(name(".pmtiles"), &bytes);
    for (size_t cut = 0; cut < bytes; cut += cut < PMTILES_HEADER_BYTES ? 1 : 7) {
        file_write(name(".pmtiles"), file, cut);
        finds(said, TILES, "is there already, and is");
    }
    file_write(name(".pmtiles"), file, bytes + 1);
    finds(said, TILES, "has not all of its bytes");
    for (size_t at = 0; at < 80; at++) { /* magic, where parts lie, and how many tiles there are */
        file[at] ^= 0x81;
        file_write(name(".pmtiles"), file, bytes);
        finds(said, TILES, "is there already, and is");
        file[at] ^= 0x81;
    }
    const size_t metadata = get_le(file + 24, 8), end = metadata + get_le(file + 32, 8);
    for (size_t at = metadata + 10; at < end; at++) { /* behind gzip's own header, of which not all counts */
        if (at == end - 9)
            continue; /* nor of deflate's last byte */
        file[at] ^= 0x10;
        file_write(name(".pmtiles"), file, bytes);
        finds(said, TILES, "is there already, and is");
        file[at] ^= 0x10;
    }
    file_write(name(".pmtiles"), file, bytes);
    finds(said, TILES, NULL);
    free(file);
}

/* What a terminal would obey is not shown. */
TEST(values_are_shown_in_plain_letters)
{
    char shown[ARCHIVE_SHOWN_BYTES], text[200];
    assert_string_equal(archive_shown(shown, "a \033[2Jb\n\x7f\xc3\xa4"), "a ?[2Jb????");
    assert_string_equal(archive_shown(shown, NULL), "");
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    assert_int_equal(strlen(archive_shown(shown, text)), 80);
    assert_string_equal(archive_plain("terrane:seed"), "seed");
    assert_string_equal(archive_plain("name"), "name");
}

GROUP_EACH(pmtiles, folder_make, tear_down);
