/*
 * PMTiles: the curve as published, directories read back as the specification says, and archives that end early, are known again,
 * or are damaged.
 */
#include "../unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <libdeflate.h>

#include "../../../server/archive/mbtiles.h"
#include "../../../server/archive/pmtiles.h"

TEST(curve_begins_as_published)
{
    static const uint32_t place[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}, {1, 1, 0}, {2, 0, 0}};
    for (size_t id = 0; id < sizeof place / sizeof *place; id++)
        assert_int_equal(hilbert_id((int)place[id][0], place[id][1], place[id][2]), id);
    assert_int_equal(hilbert_id(12, 3423, 1763), 19078479);
}

static uint64_t varint(const unsigned char **at)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        value |= (uint64_t)(**at & 0x7f) << shift;
        if (*(*at)++ < 0x80)
            return value;
    }
}

static struct pmtiles_entry *read_directory(const unsigned char *data, size_t bytes, size_t *count)
{
    static unsigned char plain[8 << 20];
    struct libdeflate_decompressor *gunzip = libdeflate_alloc_decompressor();
    size_t plain_bytes = 0;
    assert_int_equal(libdeflate_gzip_decompress(gunzip, data, bytes, plain, sizeof plain, &plain_bytes),
                     LIBDEFLATE_SUCCESS);
    libdeflate_free_decompressor(gunzip);
    const unsigned char *at = plain;
    *count = varint(&at);
    assert_true(*count > 0);
    struct pmtiles_entry *entry = calloc(*count, sizeof *entry);
    for (size_t i = 0; i < *count; i++)
        entry[i].id = varint(&at) + (i ? entry[i - 1].id : 0);
    for (size_t i = 0; i < *count; i++)
        entry[i].run = (uint32_t)varint(&at);
    for (size_t i = 0; i < *count; i++)
        entry[i].length = (uint32_t)varint(&at);
    for (size_t i = 0; i < *count; i++) {
        const uint64_t offset = varint(&at);
        entry[i].offset = offset ? offset - 1 : entry[i - 1].offset + entry[i - 1].length;
    }
    assert_ptr_equal(at, plain + plain_bytes);
    return entry;
}

static void equal(const struct pmtiles_entry *a, const struct pmtiles_entry *b)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->run, b->run);
}

/* Entries with gaps, runs and lengths that do not compress well. */
static struct pmtiles_entry *make_entries(size_t count)
{
    struct pmtiles_entry *entry = calloc(count, sizeof *entry);
    uint64_t id = 0, offset = 0, random = 1;
    for (size_t i = 0; i < count; i++) {
        random = random * UINT64_C(6364136223846793005) + 1;
        entry[i] = (struct pmtiles_entry){id, random >> 63 ? offset : offset / 2,
                                          1 + (uint32_t)(random >> 44), 1 + (random >> 60) % 2};
        id += entry[i].run + (random >> 58) % 4;
        offset += entry[i].length;
    }
    return entry;
}

TEST(directory_reads_back)
{
    for (size_t count = 1; count <= 1000; count = count * 3 + 1) {
        struct pmtiles_entry *entry = make_entries(count);
        size_t bytes = 0, found = 0;
        unsigned char *data = pmtiles_directory(entry, count, &bytes);
        struct pmtiles_entry *back = read_directory(data, bytes, &found);
        assert_int_equal(found, count);
        for (size_t i = 0; i < count; i++)
            equal(&back[i], &entry[i]);
        free(back);
        free(data);
        free(entry);
    }
}

static char base[64];

static char *name(const char *ending)
{
    static char text[4][96];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(text[turn], sizeof text[turn], "%s%s", base, ending);
    return text[turn];
}

static int set_up(void **state)
{
    (void)state;
    snprintf(base, sizeof base, "/tmp/terrane-pmtiles-%d", (int)getpid());
    remove(name(".part"));
    remove(name(".pmtiles"));
    return 0;
}

static int tear_down(void **state)
{
    assert_int_not_equal(access(name(".pmtiles.new"), F_OK), 0);
    return set_up(state);
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

static uint64_t le(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

static const struct pmtiles_facts facts = {
    2, 4, 3, -180, -85.0511288, 180, 85.0511288, -0.5, 12.25, "{\"name\":\"x\"}", false};

static int asked, most;

static bool after_most(void)
{
    return ++asked > most;
}

TEST(leaves_nothing_where_it_ends_early, .setup_func = set_up, .teardown_func = tear_down)
{
    char error[MBTILES_ERROR_BYTES] = "";
    struct mbtiles *tiles = open_tiles();
    put_tiles(tiles, 2);
    for (most = 0; most <= 31; most += 31) { /* in the first of two walks, and in the second */
        asked = 0;
        assert_int_equal(pmtiles_write(name(".pmtiles"), tiles, &facts, after_most, error), 1);
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

static void write_bytes(const unsigned char *data, size_t bytes)
{
    FILE *file = fopen(name(".pmtiles"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

static void finds(const char *metadata, int64_t tiles, const char *why)
{
    char error[MBTILES_ERROR_BYTES] = "";
    assert_int_equal(pmtiles_find(name(".pmtiles"), metadata, tiles, error), why ? -1 : 1);
    if (why && (!strstr(error, why) || strncmp(error, name(".pmtiles"), strlen(name(".pmtiles"))) != 0))
        fail_msg("\"%s\" lacks \"%s\"", error, why);
}

TEST(an_archive_is_known_again, .setup_func = set_up, .teardown_func = tear_down)
{
    char error[MBTILES_ERROR_BYTES];
    assert_int_equal(pmtiles_find(name(".pmtiles"), said, TILES, error), 0);
    write_archive();
    finds(said, TILES, NULL);
    finds("{\"terrane:seed\":\"43\",\"terrane:layer\":\"height\"}", TILES,
          "made with seed \"42\", not \"43\"");
    finds("{\"terrane:seed\":\"42\",\"terrane:layer\":\"slope\"}", TILES,
          "made with layer \"height\", not \"slope\"");
    finds("{\"terrane:seed\":\"42\"}", TILES, "made with other options");
    finds("{\"terrane:zoom\":\"1\"}", TILES, "no archive of terrane's");
    finds(said, TILES + 1, "has not all of its bytes");
}

/* At every length but its own, and with any byte of the header or metadata other than it is, it is no whole archive. */
TEST(damage_is_noticed, .setup_func = set_up, .teardown_func = tear_down)
{
    size_t bytes;
    write_archive();
    unsigned char *file = read_file(name(".pmtiles"), &bytes);
    for (size_t cut = 0; cut < bytes; cut += cut < PMTILES_HEADER_BYTES ? 1 : 7) {
        write_bytes(file, cut);
        finds(said, TILES, "is there already, and is");
    }
    write_bytes(file, bytes + 1);
    finds(said, TILES, "has not all of its bytes");
    for (size_t at = 0; at < 80; at++) { /* magic, where parts lie, and how many tiles there are */
        file[at] ^= 0x81;
        write_bytes(file, bytes);
        finds(said, TILES, "is there already, and is");
        file[at] ^= 0x81;
    }
    const size_t metadata = le(file + 24, 8), end = metadata + le(file + 32, 8);
    for (size_t at = metadata + 10; at < end; at++) { /* behind gzip's own header, of which not all counts */
        if (at == end - 9)
            continue; /* nor of deflate's last byte */
        file[at] ^= 0x10;
        write_bytes(file, bytes);
        finds(said, TILES, "is there already, and is");
        file[at] ^= 0x10;
    }
    write_bytes(file, bytes);
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

GROUP(pmtiles);
