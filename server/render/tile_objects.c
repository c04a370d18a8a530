/*
 * The objects of a tile, in the formats that are theirs alone.
 */
#include "../encode/objects.h"
#include "tile_piece.h"

int piece_encode_objects(struct piece *piece)
{
    const struct terrane_window *window = &piece->plan->ground.window;
    const struct object_scene scene = {
        .world = piece->world,
        .object = piece->ground.object,
        .objects = piece->ground.objects,
        .west_m = terrane_lattice_m(piece->world, window->level, window->gi),
        .north_m = terrane_lattice_m(piece->world, window->level, window->gj),
        .half_m = terrane_lattice_m(piece->world, window->level, window->width - 1) / 2,
        .placed = piece->key->placed,
    };
    return (piece->key->format == FORMAT_GLB   ? encode_objects_glb
            : piece->key->format == FORMAT_BIN ? encode_objects_bin
                                               : encode_objects_geojson)(&scene, &piece->data, &piece->bytes);
}
