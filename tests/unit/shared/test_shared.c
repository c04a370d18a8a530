/* Files of shared worlds (server/shared): what is none of a world's is not read, and what has lost its name is not written. */
#include "../folder_kit.h"

#include "../../../server/shared/shared.h"

static char error[SHARED_ERROR_BYTES];

/* A world without operations. */
static void create(void)
{
    static const char text[] = "{\"terms\": {\"a\": {\"fractal\": \"fbm\", \"octaves\": 1, \"cell_m\": 1024, "
                               "\"amplitude_m\": 9}}, \"height\": \"a\"}";
    const struct shared_seed seed = {
        .seed = 42, .generator = TERRANE_GENERATOR_VERSION, .text = text, .bytes = sizeof text - 1};
    assert_int_equal(shared_create(folder, "commons", &seed, error, sizeof error), 0);
}

static struct shared_edit stroke(void)
{
    return (struct shared_edit){
        .entry.edit = {.outer = 1024, .strength = 16}, .by = "holder", .number = 1, .at_ms = 1};
}

/* Times that are none in RFC 3339 are in no world, whoever has written them. */
TEST(times_have_years_of_four_digits)
{
    static const int64_t at_ms[] = {INT64_MIN, -1,
                                    INT64_MAX, INT64_C(253402300800000), /* and two that are some */
                                    0,         INT64_C(253402300799999)};
    for (int k = 0; k < 6; k++) {
        struct shared_edit edit = stroke();
        edit.at_ms = at_ms[k];
        shared_remove(folder, "commons");
        create();
        struct shared_store *store = shared_store_open(folder, "commons", true, error, sizeof error);
        assert_non_null(store);
        assert_true(shared_store_begin(store) == 0 && shared_store_put(store, &edit) == 0 &&
                    shared_store_commit(store) == 0);
        shared_store_close(store);
        assert_int_equal(shared_check(folder, "commons", error, sizeof error), k < 4 ? -1 : 1);
        assert_true(k >= 4 || strcmp(error, "commons: operation 1 is none of this world's") == 0);
    }
}

static atomic_bool done;

static void tell(struct shared_write *write)
{
    (void)write;
    atomic_store(&done, true);
}

static enum shared_outcome written(struct shared_world *world)
{
    struct shared_edit edit = stroke();
    struct shared_write write = {.edit = &edit, .count = 1, .done = tell};
    shared_submit(world, &write);
    AWAIT(atomic_exchange(&done, false));
    return write.outcome;
}

/* SQLite would go on, into a file that nobody finds. */
TEST(a_file_without_its_name_is_not_written)
{
    const char *path = folder_path("commons", ".world"), *other = folder_path("other", ".world");
    create();
    struct shared *shared = shared_open(folder, error, sizeof error);
    assert_non_null(shared);
    struct shared_world *world = shared_find(shared, "commons", 7);
    assert_int_equal(written(world), SHARED_WRITTEN);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(written(world), SHARED_FAILED);
    assert_int_equal(rename(other, path), 0);
    assert_int_equal(written(world), SHARED_WRITTEN);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(written(world), SHARED_FAILED);
    file_write(path, "", 0); /* another one */
    assert_int_equal(written(world), SHARED_FAILED);
    assert_int_equal(edit_log_count(world->log), 2);
    shared_close(shared);
}

GROUP_EACH(shared, folder_make, folder_remove);
