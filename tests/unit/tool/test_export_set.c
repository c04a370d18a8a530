/* Sets of tiles end where the last tile does; tests/http/test_export.py has the rest. */
#include "../unit.h"

#include "../../../server/tool/export_write.h"

TEST(windows_at_the_end)
{
    static struct terrane_recipe recipe;
    char error[EXPORT_ERROR_BYTES];
    struct export_set set;
    struct export_words words = {
        .engine = "godot", .size = "64", .center = "281474976710624,0"}; /* 2^48 - 32 */
    terrane_recipe_default(&recipe);
    assert_int_equal(export_set_read(&set, &words, &recipe, 0, error), 0);
    assert_int_equal(export_set_all(&set).x1, TERRANE_TILE_LIMIT);
    words.center = "281474976710625,0";
    assert_int_equal(export_set_read(&set, &words, &recipe, 0, error), -1);
    assert_non_null(strstr(error, "beyond the last tile"));
}

GROUP(export_set);
