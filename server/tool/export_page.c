/*
 * The page of a set: what to type in, in the words of each engine.
 */
#include "export_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane_features.h"
#include "../base/text.h"
#include "export_write.h"

/* A page under way. */
struct page {
    FILE *out;
    const struct export_about *about;
    const struct export_set *set;
    double low, high; /* metres: of 16 bits */
    double side_m;    /* from a tile to the next */
    bool shares;      /* edges */
    char height[EXPORT_NAME_BYTES], water[EXPORT_NAME_BYTES], first[EXPORT_NAME_BYTES];
};

/* ---- What is there ------------------------------------------------------------------------------------- */

static void say_files(const struct page *page)
{
    const struct export_set *set = page->set;
    const char *const what[EXPORT_LAYERS] = {
        [EXPORT_HEIGHT] = "the ground",
        [EXPORT_WATER] = "the surface of ground or water, whichever is higher, in the format and range of "
                         "the ground: water is "
                         "where it is above that",
        [EXPORT_COVER] = "weights of materials",
        [EXPORT_OBJECTS] = "trees, shrubs and rocks: class, model, place, turn in degrees and scale",
    };
    fprintf(page->out, "| files | what |\n|---|---|\n");
    for (int layer = 0; layer < EXPORT_LAYERS; layer++)
        for (int file = 0; file < export_set_files(set, (enum export_layer)layer); file++) {
            char name[EXPORT_NAME_BYTES];
            const bool control = layer == EXPORT_COVER && export_set_controls(set) &&
                                 file == export_set_files(set, EXPORT_COVER) - 1;
            fprintf(page->out, "| `%s` | %s",
                    export_set_name(set, (enum export_layer)layer, file, -1, -1, name),
                    control ? "Terrain3D's control map, uint32, little-endian" : what[layer]);
            for (int m = file * 4; set->row->splats && layer == EXPORT_COVER && !control &&
                                   m < file * 4 + 4 && m < export_set_materials(set);
                 m++)
                fprintf(page->out, "%s%c %s", m == file * 4 ? ": " : ", ", "RGBA"[m % 4],
                        set -> recipe -> cover.material[m].name);
            fprintf(page->out, " |\n");
        }
}

/* How a number of the format is metres. */
static void say_heights(const struct page *page)
{
    const bool south = page->set->row->from_south;
    switch (page->set->format->coding) {
    case EXPORT_R16:
        fprintf(page->out,
                "Heights are unsigned 16-bit numbers, little-endian, row by row from the %s, without a head",
                south ? "south" : "north");
        break;
    case EXPORT_GRAY16:
        fprintf(page->out, "Heights are PNGs of 16-bit grey, the first row in the north");
        break;
    case EXPORT_F32:
        fprintf(page->out, "Heights are 32-bit floats in metres, little-endian, row by row from the north, "
                           "without a head.\n");
        return;
    case EXPORT_TIF:
        fprintf(page->out, "Heights are GeoTIFFs of 32-bit floats in metres.\n");
        return;
    }
    fprintf(page->out,
            ": metres = %.9g + value x %.9g. This range, %.9g to %.9g m, is that of all files of the set.\n",
            page->low, (page->high - page->low) / 65535, page->low, page->high);
}

static void say_head(const struct page *page)
{
    const struct export_set *set = page->set;
    char seed[TILE_SEED_BYTES];
    fprintf(page->out,
            "# %s tiles of world %s\n\nRecipe %s, generator %d, %s ground of level %d: %.9g m a sample. %d x "
            "%d tiles of %d x %d samples, "
            "from %.3f m to the east and %.3f m to the south of the world's origin on (sample %" PRId64
            ", %" PRId64 ").\n",
            set->row->name, tile_world_name(page->about->key, seed), page->about->recipe,
            page->about->world->recipe->generator, tile_variant_name[page->about->key->variant], set->level,
            set->spacing_m, set->across, set->down, set->size, set->size, (double)set->x0 * set->spacing_m,
            (double)set->y0 * set->spacing_m, set->x0, set->y0);
    fprintf(page->out, "%s\n\n",
            page->shares
                ? "Tiles share their edges: the last column of one is the first of the next, bit for bit."
                : "Tiles share nothing: each begins one sample behind the last of the one before.");
    say_files(page);
    fprintf(page->out, "\n");
    if (export_set_has_heights(set))
        say_heights(page);
    fprintf(page->out, "The sea is at %.9g m.", (double)set->recipe->sea_m);
    if (set->layer[EXPORT_COVER])
        fprintf(page->out, " Weights of a sample sum to 255 over all materials.");
    fprintf(page->out, "\n");
}

/* ---- Unreal -------------------------------------------------------------------------------------------- */

static void say_unreal_import(const struct page *page)
{
    const double scale = page->set->spacing_m * 100, side = page->side_m * 100;
    const int step = page->set->step;
    if (page->shares) {
        fprintf(page->out,
                "**World Composition**: Levels > Levels menu > Import Tiled Landscape, and select all of "
                "`%s`. Switch *Flip Tile Y "
                "Coordinate* off, since y grows to the south; leave *Tile Coordinates Offset* 0, 0: the "
                "set's north-western corner is "
                "then the world's origin.\n\n",
                page->height);
        fprintf(
            page->out,
            "**A Landscape a tile**: Landscape Mode > Manage > New > Import from File, one file each; "
            "where Unreal asks for the tiled "
            "image path, No. The middle of tile `_xI_yJ` is at Location X = %.9g + I x %.9g, Y = %.9g + J x "
            "%.9g.\n\n",
            side / 2, side, side / 2, side);
        fprintf(page->out,
                "Import from File with the tiled image path puts tiles side by side without a common edge: "
                "for one Landscape with World "
                "Partition export `--size %d`.\n",
                step);
        return;
    }
    fprintf(
        page->out,
        "**One Landscape (World Partition)**: Landscape Mode > Manage > New > Import from File, choose "
        "`%s`; Unreal asks for the tiled "
        "image path: Yes. All tiles are %d x %d samples; the next size that a Landscape can have is %d x "
        "%d, and Unreal repeats the "
        "last row and column. *Flip Y Axis* off. Location X = %.9g, Y = %.9g puts the set's north-western "
        "corner into the origin.\n",
        page->first, page->set->across * step, page->set->down * step, page->set->across * step + 1,
        page->set->down * step + 1, page->set->across * step * scale / 2, page->set->down * step * scale / 2);
}

static void say_unreal(const struct page *page)
{
    const double scale = page->set->spacing_m * 100;
    say_unreal_import(page);
    fprintf(page->out,
            "\n| setting | value |\n|---|---|\n| Scale X, Y | %.9g |\n| Scale Z | %.9g |\n| Location Z | "
            "%.9g |\n",
            scale, (page->high - page->low) * 100 * 128 / 65535,
            (page->low + (page->high - page->low) * 32768 / 65535) * 100);
    fprintf(page->out, "| Overall Resolution of a tile | %d x %d |\n| sea level, Z | %.9g |\n\n",
            page->set->size, page->set->size, (double)page->set->recipe->sea_m * 100);
    fprintf(page->out, "A Landscape's height in centimetres is Location Z + (value - 32768) / 128 x Scale Z. "
                       "Import Tiled Landscape puts "
                       "levels at height 0: set Location Z of the Landscapes afterwards.\n");
    if (page->set->layer[EXPORT_COVER])
        fprintf(page->out, "\nTarget layers: a file of `cover` each, 8-bit grey, of the same names; as "
                           "weight-blended layers.\n");
    if (page->set->layer[EXPORT_WATER])
        fprintf(page->out,
                "\nWater: a second Landscape of `%s`, with the same numbers and a material of water, shows "
                "where it is above the "
                "first.\n",
                page->water);
}

/* ---- Unity --------------------------------------------------------------------------------------------- */

static void say_unity(const struct page *page)
{
    const struct export_set *set = page->set;
    fprintf(page->out,
            "Names end with column and row as the Terrain Toolbox's batches have them, x to the east and z "
            "to the north: `_0_0` is in the "
            "south-west, and the set's south-western corner is the origin.\n\nFor each tile: a Terrain at "
            "Position "
            "(X x %.9g, %.9g, Z x %.9g), then Terrain Settings > Import Raw:\n\n"
            "| setting | value |\n|---|---|\n| Depth | Bit 16 |\n| Resolution | %d |\n| Byte Order | Windows "
            "|\n| Flip Vertically | off |\n"
            "| Terrain Size X, Z | %.9g |\n| Terrain Size Y | %.9g |\n| sea level, Y | %.9g |\n",
            page->side_m, page->low, page->side_m, set->size, page->side_m,
            (page->high - page->low) * 65536 / 65535, (double)set->recipe->sea_m);
    fprintf(page->out,
            "\nImport Raw takes a value as value / 65536 of the size's Y, which is therefore a little more "
            "than the "
            "range, %.9g m. *Auto Connect* joins neighbours.\n",
            page->high - page->low);
    if (set->layer[EXPORT_COVER])
        fprintf(page->out,
                "\nWeights are splat maps, four materials in R, G, B, A, %d x %d for *Control Texture "
                "Resolution* %d; north is up, as "
                "pictures have it. Unity stretches them from edge to edge, so the middle row and column are "
                "left out: edges of neighbours "
                "are the same, and no weight is further than half a sample from its place. Import them with "
                "*Alpha Is Transparency* and "
                "*sRGB* off, uncompressed and readable.\n",
                export_set_weights_side(set), export_set_weights_side(set), export_set_weights_side(set));
    if (set->layer[EXPORT_WATER])
        fprintf(
            page->out,
            "\nWater: a second Terrain of `%s` with the same numbers shows where it is above the first.\n",
            page->water);
}

/* ---- Godot --------------------------------------------------------------------------------------------- */

/* Code that reads a set's files as they are: images of floats. */
static void say_godot_code(const struct page *page)
{
    const struct export_set *set = page->set;
    const int size = set->size;
    const bool floats = set->format->coding == EXPORT_F32, control = export_set_controls(set);
    fprintf(page->out,
            "```gdscript\nfor z in %d:\n    for x in %d:\n        var tile := \"_x%%d_y%%d\" %% [x, z]\n",
            set->down, set->across);
    if (floats)
        fprintf(page->out,
                "        var height := Image.create_from_data(%d, %d, false, Image.FORMAT_RF,\n"
                "                FileAccess.get_file_as_bytes(folder + \"height\" + tile + \".f32\"))\n",
                size, size);
    else
        fprintf(page->out,
                "        var height := Terrain3DUtil.load_image(folder + \"height\" + tile + \".raw\",\n"
                "                ResourceLoader.CACHE_MODE_IGNORE, Vector2(%.9g, %.9g), Vector2i(%d, %d))\n",
                page->low, page->high, size, size);
    if (control)
        fprintf(page->out,
                "        var control := Image.create_from_data(%d, %d, false, Image.FORMAT_RF,\n"
                "                FileAccess.get_file_as_bytes(folder + \"control\" + tile + \".u32\"))\n",
                size, size);
    fprintf(page->out,
            "        var position := Vector3(x - %d, 0, z - %d) * %d * terrain.vertex_spacing\n"
            "        terrain.data.import_images([height, %s, null], position, 0.0, 1.0)\n```\n",
            set->across / 2, set->down / 2, set->step, control ? "control" : "null");
}

static void say_terrain3d(const struct page *page)
{
    const struct export_set *set = page->set;
    fprintf(
        page->out,
        "**Terrain3D**: *Regions > Region Size* %d, *Terrain Mesh > Vertex Spacing* %.9g. The set's middle "
        "corner is the origin. "
        "The importer (`addons/terrain_3d/tools/importer.tscn`) takes a tile at a time: *Height File "
        "Name* `%s`, *Import Position* "
        "(%d, %d) for it and %d more a tile to the east (x) and south (y)",
        set->size, set->spacing_m, page->first, -(set->across / 2) * set->step, -(set->down / 2) * set->step,
        set->step);
    if (set->format->coding == EXPORT_R16)
        fprintf(page->out, ", *R16 Range* (%.9g, %.9g), *R16 Size* (%d, %d)", page->low, page->high,
                set->size, set->size);
    fprintf(page->out, ", *Import Scale* 1, *Height Offset* 0. All at once, in code:\n\n");
    say_godot_code(page);
    if (export_set_controls(set))
        fprintf(
            page->out,
            "\nThe control map has a sample's heaviest material as base texture and the next one as overlay, "
            "by the "
            "order of materials: textures 0, 1, 2 ... of the terrain's assets. Autoshader is off there.\n");
}

static void say_hterrain(const struct page *page)
{
    const struct export_set *set = page->set;
    if (set->format->coding == EXPORT_F32) {
        fprintf(page->out,
                "`Image.create_from_data(%d, %d, false, Image.FORMAT_RF, "
                "FileAccess.get_file_as_bytes(\"%s\"))` is what "
                "`HeightMapShape3D.update_map_data_from_image(image, 0.0, 1.0)` and shaders take; tile (x, "
                "z) belongs at (x - %d, 0, z - %d) "
                "x %.9g. HTerrain imports `--format r16`.\n",
                set->size, set->size, page->first, set->across / 2, set->down / 2, page->side_m);
        return;
    }
    fprintf(page->out,
            "**HTerrain**: a node a tile, at (x - %d, 0, z - %d) x %.9g, *Map Scale* (%.9g, 1, %.9g), not "
            "centered. Terrain > Import: *Heightmap* "
            "`%s`",
            set->across / 2, set->down / 2, page->side_m, set->spacing_m, set->spacing_m, page->first);
    fprintf(page->out, ", *Bit depth* 16 bits, *Raw endianess* little, *Min height* %.9g, *Max height* %.9g",
            page->low, page->high);
    if (set->layer[EXPORT_COVER])
        fprintf(page->out, "; *Splatmap* `cover0...png`, whose R, G, B, A are the first four textures");
    fprintf(page->out, ".\n");
}

static void say_godot(const struct page *page)
{
    if (page->shares)
        say_hterrain(page);
    else
        say_terrain3d(page);
    fprintf(
        page->out,
        "\nx is east, z is south, y is up, in metres; the sea is at y = %.9g. Godot reads PNGs as 8 bits a "
        "channel: right for "
        "weights, not for heights.\n",
        (double)page->set->recipe->sea_m);
}

/* ---- Blender ------------------------------------------------------------------------------------------- */

static void say_blender(const struct page *page)
{
    const struct export_set *set = page->set;
    const double spacing = set->spacing_m, side = page->side_m;
    fprintf(page->out,
            "Metres, x to the east, y to the north, z up; the set's middle is the origin. The middle of tile "
            "`_xI_yJ` is at x = %.9g + I x %.9g, "
            "y = %.9g - J x %.9g.\n\nFor each: Add > Mesh > Grid with %d x %d vertices, Dimensions %.9g x "
            "%.9g m.",
            (1 - set->across) * side / 2, side, (set->down - 1) * side / 2, side, set->size, set->size, side,
            side);
    if (set->format->coding == EXPORT_GRAY16)
        fprintf(page->out,
                " A Displace modifier with an Image texture:\n\n| setting | value |\n|---|---|\n| Color "
                "Space | Non-Color |\n| Extension | "
                "Extend |\n| Coordinates | UV, scaled by %.9g around the middle |\n| Direction | Z |\n| "
                "Strength | %.9g |\n| Midlevel | 0 |\n| "
                "Location Z | %.9g |\n\nThe scale puts vertices on the middles of pixels.\n",
                (double)(set->size - 1) / set->size, page->high - page->low, page->low);
    else if (set->format->coding == EXPORT_F32)
        fprintf(page->out,
                "\n\n```python\nimport numpy\nheights = numpy.fromfile(\"%s\", \"<f4\").reshape(%d, "
                "%d)[::-1]  # a Grid's vertices begin in "
                "the south-west\nvertices = bpy.context.object.data.vertices\nplaces = numpy.empty(3 * "
                "len(vertices), \"f4\")\n"
                "vertices.foreach_get(\"co\", places)\nplaces[2::3] = "
                "heights.ravel()\nvertices.foreach_set(\"co\", places)\n```\n",
                page->first, set->size, set->size);
    else
        fprintf(page->out,
                " A Displace modifier with an Image texture, Color Space Non-Color, Extension Extend, "
                "Strength 1, Midlevel 0, and "
                "UV scaled by %.9g around the middle.\n",
                (double)(set->size - 1) / set->size);
    fprintf(page->out, "\nSamples are %.9g m apart; the sea is at z = %.9g.\n", spacing,
            (double)set->recipe->sea_m);
}

/* ---- All ----------------------------------------------------------------------------------------------- */

static void say_objects(const struct page *page)
{
    static const char *const axes[EXPORT_ENGINES] = {
        [EXPORT_UNREAL] = "centimetres, X to the east, Y to the south, Z up, Yaw clockwise seen from above; "
                          "as a table of rows (CSV) "
                          "whose structure has these columns",
        [EXPORT_UNITY] = "metres, X to the east, Y up, Z to the north, Yaw about Y",
        [EXPORT_GODOT] = "metres, X to the east, Y up, Z to the south, Yaw about Y in degrees",
        [EXPORT_BLENDER] = "metres, X to the east, Y to the north, Z up, Yaw about Z in degrees",
    };
    const struct terrane_objects *objects = &page->set->recipe->objects;
    if (!page->set->layer[EXPORT_OBJECTS])
        return;
    fprintf(page->out,
            "\n## Objects\n\nPlaces are in %s, from the set's origin. Each stands in one tile's file alone. "
            "Models, at scale 1:\n\n",
            axes[page->set->engine]);
    fprintf(page->out, "| class | model |\n|---|---|\n");
    for (int i = 0; i < objects->classes; i++)
        fprintf(page->out, "| %s | `terrane model %s --seed SEED -o %s.glb` |\n", objects->of[i].name,
                terrane_model_name[objects->of[i].model], terrane_model_name[objects->of[i].model]);
}

static void say_all(struct page *page)
{
    static void (*const say[EXPORT_ENGINES])(const struct page *page) = {
        [EXPORT_UNREAL] = say_unreal,
        [EXPORT_UNITY] = say_unity,
        [EXPORT_GODOT] = say_godot,
        [EXPORT_BLENDER] = say_blender,
    };
    const struct export_set *set = page->set;
    const enum export_layer ground = set->layer[EXPORT_HEIGHT] ? EXPORT_HEIGHT : EXPORT_WATER;
    say_head(page);
    if (set->layer[ground]) {
        export_set_name(set, ground, 0, -1, -1, page->height);
        export_set_name(set, ground, 0, 0, 0, page->first);
        if (set->layer[EXPORT_WATER])
            export_set_name(set, EXPORT_WATER, 0, -1, -1, page->water);
        fprintf(page->out, "\n## Import\n\n");
        say[set->engine](page);
    }
    say_objects(page);
    fprintf(page->out, "\n`set.json` says the same to programs.\n");
}

char *export_page(const struct export_about *about, size_t *bytes)
{
    char *text = NULL;
    struct page page = {.out = open_memstream(&text, bytes),
                        .about = about,
                        .set = about->set,
                        .low = (double)about->low_m,
                        .high = (double)about->high_m,
                        .side_m = about->set->step * about->set->spacing_m,
                        .shares = about->set->size % 2 != 0};
    if (!page.out)
        return NULL;
    say_all(&page);
    return text_end(page.out, &text);
}
