/*
 * Pictures on meshes. Pure functions of their arguments.
 */
#ifndef TERRANE_SERVER_GLB_TEXTURE_H
#define TERRANE_SERVER_GLB_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A glb of encode_glb with a png on it, side x side pixels, one a sample, with the far edges: the file holds it as the base colour's
 * texture. Places in the texture become those of pixels' middles, (i + 1/2) / side, so that neighbours show one colour on their
 * common edge. KHR_materials_unlit: the picture is of the ground in light already; readers without it light it again.
 *
 * malloc'ed bytes in *data, *bytes and 0; -1 when memory is short, or it is no such glb.
 */
int glb_texture(const unsigned char *glb, size_t glb_bytes, const unsigned char *png, size_t png_bytes,
                int side, unsigned char **data, size_t *bytes);

/* Whether a glb is such a one. false where memory is short, too. */
bool glb_texture_fits(const unsigned char *glb, size_t bytes);

#endif
