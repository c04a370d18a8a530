/*
 * Request targets (server/tile/target.c): tiles of the pyramids /xyz and /terrain, and which tile of the
 * world each is.
 */
#include "target_kit.h"

/* The tile of /xyz/{z}/{x}/{y} by the contract: its level is 18 - z, and the world's origin is the pyramid's middle. */
TEST(xyz_is_tiles_around_the_origin)
{
    char text[80];
    assert_key_of("/xyz/5/0/0/0.png", .seed = 5, .level = 18, .size = 256, .shift = SHIFT_NORTH_WEST);
    for (int z = 1; z <= TILE_Z0; z++) {
        const int64_t half = INT64_C(1) << (z - 1), side = 2 * half;
        const int64_t at[] = {0, 1, half - 1, half, side - 1};
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) {
                snprintf(text, sizeof text, "/xyz/5/%d/%lld/%lld.f32", z, (long long)at[i], (long long)at[j]);
                assert_key_of(text, .seed = 5, .level = 18 - z, .x = at[i] - half, .y = at[j] - half,
                              .format = FORMAT_F32, .size = 256);
            }
        snprintf(text, sizeof text, "/xyz/5/%d/%lld/0.png", z, (long long)side);
        assert_refused(text, 404, "x");
        snprintf(text, sizeof text, "/xyz/5/%d/0/%lld.png", z, (long long)side);
        assert_refused(text, 404, "y");
    }
}

TEST(xyz_numbers_have_no_sign)
{
    static const char ill[] = "|-1|-0|+1|01|0x1|1e1|a|%201";
    assert_each_refused("/xyz/5/$/0/0.png", ill, 400, "z");
    assert_each_refused("/xyz/5/3/$/0.png", ill, 400, "x");
    assert_each_refused("/xyz/5/3/0/$.png", ill, 400, "y");
    assert_refused("/xyz/5/1.0/0/0.png", 400, "z");
    assert_refused("/xyz/5/3/1.0/0.png", 400, "x");
    assert_refused("/xyz/5/19/0/0.png", 404, "z");
    assert_refused("/xyz/5/18446744073709551616/0/0.png", 404, "z");
    assert_refused("/xyz/5/3/18446744073709551616/0.png", 404, "x");
    assert_refused("/xyz/5/0/1/0.png", 404, "x");
    assert_refused("/xyz/5/0/0/1.png", 404, "y");
    assert_refused("/xyz/5/3/8/-1.png", 400, "y"); /* before what is not there */
    assert_refused("/xyz/5/3/0/0", 400, "ext");
    assert_refused("/xyz/5/3/0/0.jpg", 400, "ext");
    assert_refused("/xyz/5/3/0/0.terrain", 400, "ext");
    assert_refused("/xyz/x%20y/3/0/0.png", 400, "seed");
}

/* A tile of the pyramid has 256 samples in every format that lies on a map, whatever /tile's default is. */
TEST(xyz_sizes)
{
    char text[80];
    for (int format = 0; format < FORMATS; format++) {
        if (!tile_ending_name[format])
            continue;
        snprintf(text, sizeof text, "/xyz/5/3/1/2.%s?layer=%s", tile_format_name[format], layer_of(format));
        const int size = format_row[format].carries == CARRIES_GRID ? 256 : format_row[format].size;
        assert_int_equal(parse_good(text).key.size, size);
    }
    assert_int_equal(parse_good("/xyz/5/3/1/2.png?size=65").key.size, 65);
    const struct target twice = parse_good("/xyz/5/17/1/2@2x.png");
    assert_int_equal(twice.key.size, 512);
    assert_int_equal(twice.key.level, 1);
    assert_int_equal(parse_good("/xyz/5/0/0/0@2x.png").key.shift, SHIFT_NORTH_WEST);
    assert_refused("/xyz/5/18/1/2@2x.png", 404, "z");
    assert_refused("/xyz/5/17/1/2@3x.png", 400, "y");
    assert_refused("/xyz/5/17/1/@2x.png", 400, "y");
    assert_refused("/xyz/5/17/1/2@2x@2x.png", 400, "y");
    assert_refused("/xyz/5/17/1/2@2x.glb", 400, "size");
    assert_refused("/xyz/5/0/0/0.json", 400, "ext"); /* no tile of its own lies there */
}

/* Of the names of other paths it is none; documents of heights name centres where nothing is said. */
TEST(xyz_registration)
{
    assert_key_of("/xyz/5/3/1/2.png?reg=center&layer=surface", .seed = 5, .level = 15, .x = -3, .y = -2,
                  .layer = LAYER_SURFACE, .size = 256, .reg = REG_CENTER);
    assert_int_equal(parse_good("/xyz/5/0/0/0@2x.png?reg=center&enc=mapbox").key.reg, REG_CENTER);
    assert_int_equal(parse_good("/xyz/5/3/1/2.f32?reg=corner").key.reg, REG_CORNER);
    assert_int_equal(parse_good("/xyz/5/3/1/2.png").key.reg, REG_CORNER);
    assert_refused("/xyz/5/3/1/2.f32?reg=center", 400, "reg");
    assert_refused("/xyz/5/3/1/2.png?reg=center&layer=relief", 400, "reg");
    assert_refused("/xyz/5/3/1/2.png?reg=center&layer=delta", 400, "reg");
    assert_refused("/xyz/5/3/1/2.png?reg=center&size=65", 400, "reg");
    assert_refused("/xyz/5/3/1/2.png?reg=center&size=100", 400, "size");
    assert_refused("/xyz/5/3/1/2.png?reg=centre", 400, "reg");
    assert_refused("/xyz/5/3/1/2.png?reg=", 400, "reg");
    assert_refused("/xyz/5/3/1/2.png?reg=corner&reg=corner", 400, "reg");
    assert_int_equal(parse_good("/tile/5/3/1/2.png?reg=x").key.reg, REG_CORNER);
    assert_int_equal(parse_good("/terrain/5/3/1/2.terrain?reg=center").key.reg, REG_CORNER);
    assert_int_equal(parse_good("/gdal/5.xml?reg=center").key.reg, REG_CORNER);
    assert_int_equal(parse_good("/xyz/5/tile.json").key.reg, REG_CENTER);
    assert_int_equal(parse_good("/xyz/5/tile.json?layer=surface").key.reg, REG_CENTER);
    assert_int_equal(parse_good("/xyz/5/tile.json?layer=relief").key.reg, REG_CORNER);
    assert_int_equal(parse_good("/xyz/5/tile.json?reg=corner").key.reg, REG_CORNER);
    assert_int_equal(parse_good("/style/5.json?layer=slope").key.reg, REG_CENTER);
    assert_refused("/style/5.json?reg=grid", 400, "reg");
}

/* Pages are as wide as the pyramid, at every z. */
TEST(xyz_pages_shift_the_pyramid)
{
    static const char ill[] = "|0|0,|,0|1,2,3|-0,0|0;0|a,b|0,+1|01,0|0, 1|0,1,|,|1.5,0";
    assert_key_of("/xyz/5/0/0/0.png?origin=3,-4", .seed = 5, .level = 18, .x = 3, .y = -4, .size = 256,
                  .shift = SHIFT_NORTH_WEST);
    assert_key_of("/xyz/5/2/1/3.png?origin=3,-4", .seed = 5, .level = 16, .x = 3 * 4 - 1, .y = -4 * 4 + 1,
                  .size = 256);
    assert_key_of("/xyz/5/18/0/262143.png?origin=-4194303,4194303", .seed = 5, .x = -LIMIT + (1 << 17),
                  .y = LIMIT - (1 << 17) - 1, .size = 256);
    assert_each_refused("/xyz/5/2/1/3.png?origin=$", ill, 400, "origin");
    assert_each_refused("/xyz/5/tile.json?origin=$", ill, 400, "origin");
    assert_refused("/xyz/5/2/1/3.png?origin=4194304,0", 404, "origin");
    assert_refused("/xyz/5/2/1/3.png?origin=0,-4194304", 404, "origin");
    assert_int_equal(parse_good("/tile/5/2/1/3.png?origin=x").status, 0); /* it has none */
}

/* The squares of /xyz, counted from the south. */
TEST(tilesets_count_from_the_south)
{
    assert_key_of("/3dtiles/5/0/0/0.glb", .seed = 5, .level = 18, .layer = LAYER_SURFACE,
                  .format = FORMAT_GLB, .size = 129, .shift = SHIFT_NORTH_WEST, .placed = true);
    assert_key_of("/3dtiles/5/2/3/1.glb?layer=height&size=17&enc=quantised", .seed = 5, .level = 16, .x = 1,
                  .format = FORMAT_GLB, .enc = ENC_QUANTISED, .size = 17, .placed = true);
    assert_int_equal(parse_good("/3dtiles/5/18/0/0.glb").key.y, (1 << 17) - 1);
    assert_false(parse_good("/xyz/5/2/3/1.glb").key.placed);
    assert_true(parse_good("/3dtiles/5/0/0/0.subtree").subtree);
    assert_int_equal(parse_good("/3dtiles/5/0/0/0.subtree").route, ROUTE_TILESET);
    assert_false(parse_good("/3dtiles/5/15/32767/0.subtree").subtree);
    assert_int_equal(parse_good("/3dtiles/5/15/32767/0.subtree").key.format, FORMAT_SUBTREE);
    assert_int_equal(parse_good("/3dtiles/5/15/32767/0.subtree").route, ROUTE_3DTILES);
    assert_false(parse_good("/3dtiles/5/tileset.json").subtree);
    assert_refused("/3dtiles/5/19/0/0.glb", 404, "z");
    assert_refused("/3dtiles/5/3/0/0.subtree", 404, "z");
    assert_refused("/3dtiles/5/3/8/0.glb", 404, "x");
    assert_refused("/3dtiles/5/3/0/8.glb", 404, "y");
    assert_refused("/3dtiles/5/3/0/0.png", 400, "ext");
    assert_refused("/3dtiles/5/3/0/0.glb?size=64", 400, "size");
}

/* Two tiles at the root, half a tile to the north of the world's; rows are counted from the south. */
TEST(terrain_is_a_globe_of_two_squares)
{
    char text[96];
    for (int x = 0; x < 2; x++) {
        snprintf(text, sizeof text, "/terrain/5/0/%d/0.terrain", x);
        assert_key_of(text, .seed = 5, .level = 16, .x = x - 1, .layer = LAYER_SURFACE,
                      .format = FORMAT_TERRAIN, .size = 65, .shift = SHIFT_NORTH);
    }
    for (int z = 1; z <= TILE_GLOBE_Z0; z++) {
        const int64_t rows = INT64_C(1) << z;
        for (int64_t south = 0; south < rows; south += south ? rows - 1 - south + (south == rows - 1) : 1) {
            snprintf(text, sizeof text, "/terrain/5/%d/%lld/%lld.terrain?layer=height&size=33", z,
                     (long long)(2 * rows - 1), (long long)south);
            assert_key_of(text, .seed = 5, .level = 16 - z, .x = rows - 1, .y = rows / 2 - 1 - south,
                          .format = FORMAT_TERRAIN, .size = 33);
        }
        snprintf(text, sizeof text, "/terrain/5/%d/%lld/0.terrain", z, (long long)(2 * rows));
        assert_refused(text, 404, "x");
        snprintf(text, sizeof text, "/terrain/5/%d/0/%lld.terrain", z, (long long)rows);
        assert_refused(text, 404, "y");
    }
    assert_false(parse_good("/terrain/5/1/0/0.terrain").names_extensions);
    assert_true(parse_good("/terrain/5/1/0/0.terrain?extensions=octvertexnormals-metadata").key.metadata);
    assert_true(parse_good("/terrain/5/1/0/0.terrain?extensions=metadata&extensions=none").key.metadata);
    assert_refused("/terrain/5/1/0/0.terrain?extensions=", 400, "extensions");
    assert_refused("/terrain/5/1/0/0.terrain?extensions=metadata,watermask", 400, "extensions");
    assert_refused("/terrain/5/layer.json?extensions=a%20b", 400, "extensions");
    assert_false(parse_good("/terrain/5/1/0/0.terrain?extensions=watermask").key.metadata);
    assert_false(parse_good("/tile/5/1/0/0.glb?extensions=metadata").key.metadata);
    assert_refused("/terrain/5/17/0/0.terrain", 404, "z");
    assert_refused("/terrain/5/1/-1/0.terrain", 400, "x");
    assert_refused("/terrain/5/1/0/0.png", 400, "ext");
    assert_refused("/terrain/5/1/0/0", 400, "ext");
    assert_refused("/terrain/5/1/0/0.terrain?layer=water", 400, "ext");
    assert_refused("/terrain/5/1/0/0.terrain?size=64", 400, "size");
}

GROUP(target_pyramids);
