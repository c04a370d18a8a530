/*
 * Request targets (server/tile/target.c): where the pyramids /xyz, /3dtiles and /terrain end, and what they have not. Which tile of
 * the world each of theirs is: tests/http/test_xyz.py, test_registration.py, test_3dtiles.py, test_mesh.py.
 */
#include "target_kit.h"

TEST(each_zoom_has_its_squares)
{
    char text[96];
    for (int z = 0; z <= TILE_Z0; z++) {
        const long long side = 1LL << z;
        snprintf(text, sizeof text, "/xyz/5/%d/%lld/%lld.png", z, side - 1, side - 1);
        assert_int_equal(parse_good(text).key.level, TILE_Z0 - z);
        snprintf(text, sizeof text, "/xyz/5/%d/%lld/0.png", z, side);
        assert_refused(text, 404, "x");
        snprintf(text, sizeof text, "/3dtiles/5/%d/0/%lld.glb", z, side);
        assert_refused(text, 404, "y");
        if (z > TILE_GLOBE_Z0)
            continue;
        snprintf(text, sizeof text, "/terrain/5/%d/%lld/%lld.terrain", z, 2 * side - 1, side - 1);
        assert_int_equal(parse_good(text).key.level, TILE_GLOBE_Z0 - z);
        snprintf(text, sizeof text, "/terrain/5/%d/%lld/0.terrain", z, 2 * side);
        assert_refused(text, 404, "x");
        snprintf(text, sizeof text, "/terrain/5/%d/0/%lld.terrain", z, side);
        assert_refused(text, 404, "y");
    }
}

TEST(what_pyramids_have_not_is_refused)
{
    static const char ill[] = "|-1|-0|+1|01|0x1|1e1|a|%201|1.0";
    static const struct {
        const char *pattern, *words;
        unsigned status;
        const char *parameter;
    } row[] = {
        {"/xyz/5/$/0/0.png", ill, 400, "z"},
        {"/xyz/5/3/$/0.png", ill, 400, "x"},
        {"/xyz/5/3/8/$.png", "|-1|-0|+1|01|a", 400, "y"}, /* before what is not there */
        {"/xyz/5/$/0/0.png", "19|18446744073709551616", 404, "z"},
        {"/xyz/5/3/$/0.png", "18446744073709551616", 404, "x"},
        {"/xyz/5/3/0/0$", "|.jpg|.terrain", 400, "ext"},
        {"/xyz/5/0/0/0.$", "json", 400, "ext"}, /* no tile of its own lies there */
        {"/xyz/5/17/1/$.png", "2@3x|@2x|2@2x@2x", 400, "y"},
        {"/xyz/5/18/1/$.png", "2@2x", 404, "z"},
        {"/xyz/5/17/1/$.glb", "2@2x", 400, "size"},
        {"/xyz/5/3/1/2.f32?$", "reg=center", 400, "reg"},
        {"/xyz/5/3/1/2.png?reg=$",
         "|centre|center&layer=relief|center&layer=delta|center&size=65|corner&reg=corner", 400, "reg"},
        {"/xyz/5/3/1/2.png?reg=$", "center&size=100", 400, "size"},
        {"/style/5.json?reg=$", "grid", 400, "reg"},
        {"/xyz/5/2/1/3.png?origin=$", "|0|0,|,0|1,2,3|-0,0|0;0|a,b|0,+1|01,0|0, 1|0,1,|,|1.5,0", 400,
         "origin"},
        {"/xyz/5/tile.json?origin=$", "|0|a,b", 400, "origin"},
        {"/xyz/5/2/1/3.png?origin=$", "4194304,0|0,-4194304", 404, "origin"},
        {"/3dtiles/5/$", "19/0/0.glb|3/0/0.subtree", 404, "z"},
        {"/3dtiles/5/3/$", "8/0.glb", 404, "x"},
        {"/3dtiles/5/3/0/0.$", "png", 400, "ext"},
        {"/3dtiles/5/3/0/0.glb?$", "size=64", 400, "size"},
        {"/terrain/5/$", "17/0/0.terrain", 404, "z"},
        {"/terrain/5/1/$", "-1/0.terrain", 400, "x"},
        {"/terrain/5/1/0/0$", "|.png|.terrain?layer=water", 400, "ext"},
        {"/terrain/5/1/0/0.terrain?$", "size=64", 400, "size"},
        {"/terrain/5/1/0/0.terrain?extensions=$", "|metadata,watermask", 400, "extensions"},
        {"/terrain/5/layer.json?extensions=$", "a%20b", 400, "extensions"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_each_refused(row[i].pattern, row[i].words, row[i].status, row[i].parameter);
}

GROUP(target_pyramids);
