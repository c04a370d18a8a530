/*
 * MBTiles: what is refused, and what is found of rows and journals. What is put is there, also after the end that a process does not
 * choose: tests/http/test_seed.py.
 */
#include "../folder_kit.h"

#include <sqlite3.h>

#include "../../../server/archive/mbtiles.h"

static const struct mbtiles_row rows[] = {{"name", "a map"}, {"format", "png"}, {"terrane:size", "256"}};
enum { ROWS = sizeof rows / sizeof *rows };

static char *path, *journal;

static int set_up(void **state)
{
    const int result = folder_make(state);
    path = folder_path("a", ".mbtiles");
    journal = folder_path("a", ".mbtiles-journal");
    return result;
}

static int tear_down(void **state)
{
    assert_int_not_equal(access(journal, F_OK), 0);
    return folder_remove(state);
}

static struct mbtiles *open_or_fail(void)
{
    char error[MBTILES_ERROR_BYTES] = "";
    struct mbtiles *archive = mbtiles_open(path, rows, ROWS, error);
    assert_string_equal(error, "");
    assert_non_null(archive);
    return archive;
}

static void refuses(size_t count, const char *why)
{
    char error[MBTILES_ERROR_BYTES] = "";
    assert_null(mbtiles_open(path, rows, count, error));
    assert_non_null(strstr(error, path));
    if (!strstr(error, why))
        fail_msg("\"%s\" lacks \"%s\"", error, why);
}

static void put(struct mbtiles *archive, int z, uint32_t x, uint32_t y, const char *text)
{
    const struct mbtiles_place place = {z, x, y};
    assert_int_equal(mbtiles_put(archive, &place, (const unsigned char *)text, strlen(text)), 0);
}

/* With SQLite alone, as any other program would. */
static void run(const char *statement)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, statement, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static int64_t ask(const char *question)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, question, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    const int64_t value = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return value;
}

TEST(first_tile_stays)
{
    struct mbtiles *archive = open_or_fail();
    put(archive, 3, 1, 2, "first");
    put(archive, 3, 1, 2, "second");
    assert_int_equal(mbtiles_commit(archive), 0);
    mbtiles_close(archive);
    assert_int_equal(ask("SELECT count(*) FROM tiles WHERE tile_data = x'6669727374'"), 1);
}

static int visit(void *context, uint64_t id, const unsigned char *data, size_t bytes)
{
    (void)context, (void)id, (void)data, (void)bytes;
    return 0;
}

TEST(refuses_what_is_not_its_own)
{
    mbtiles_close(open_or_fail());
    refuses(2, "other options"); /* of other values: tests/http/test_seed.py */
    run("INSERT INTO metadata VALUES ('more', 'x')");
    refuses(ROWS, "other options");
    remove(path);
    mbtiles_close(open_or_fail());
    run("CREATE TRIGGER t AFTER INSERT ON tiles BEGIN DELETE FROM tiles; END");
    refuses(ROWS, "no archive of terrane's");
    remove(path);
    mbtiles_close(open_or_fail());
    run("PRAGMA application_id = 0"); /* the same tables in a database of something else */
    refuses(ROWS, "no archive of terrane's");
    remove(path);
    run("CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)");
    refuses(ROWS, "no archive of terrane's");
    run("PRAGMA journal_mode = WAL");
    refuses(ROWS, "no archive of terrane's");
    unsigned char head[20];
    FILE *file = fopen(path, "rb");
    assert_true(file && fread(head, sizeof head, 1, file) == 1 && fclose(file) == 0);
    assert_true(head[18] == 2 && head[19] == 2); /* nothing was changed in it */
    char text[22000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "not a database at all\n"[i % 22];
    file_write(path, text, sizeof text);
    refuses(ROWS, "is damaged, or no archive");
}

TEST(says_who_holds_it)
{
    struct mbtiles *archive = open_or_fail();
    refuses(ROWS, "another process uses it");
    mbtiles_close(archive);
    mbtiles_close(open_or_fail());
}

TEST(a_row_out_of_place_is_damage)
{
    mbtiles_close(open_or_fail());
    run("INSERT INTO tiles (rowid, zoom_level, tile_column, tile_row, tile_data) VALUES (3, 1, 0, 1, "
        "x'0003')");
    struct mbtiles *archive = open_or_fail();
    assert_int_equal(mbtiles_walk(archive, visit, NULL), -1);
    assert_non_null(strstr(mbtiles_error(archive), "damaged"));
    mbtiles_close(archive);
}

/* What a process that was killed between two transactions leaves: zeros, which are no journal. */
TEST(removes_a_journal_that_was_left)
{
    static const char zeros[512];
    mbtiles_close(open_or_fail());
    file_write(journal, zeros, sizeof zeros);
    mbtiles_close(open_or_fail());
}

GROUP_EACH(mbtiles, set_up, tear_down);
