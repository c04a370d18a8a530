/*
 * A model as a part of a glTF: its numbers, and their description. Functions that return a json_t return NULL if memory is
 * short.
 */
#ifndef TERRANE_SERVER_MODEL_PART_H
#define TERRANE_SERVER_MODEL_PART_H

#include <jansson.h>
#include <stddef.h>

struct model_part;

/* model, seed: an existing model. malloc'ed; NULL when memory is short. */
struct model_part *model_part_make(int model, int seed);

/* Its numbers, a multiple of four bytes; put returns the position after them. */
size_t model_part_bytes(const struct model_part *part);
unsigned char *model_part_put(const struct model_part *part, unsigned char *at);

/* Arrays of MODEL_PART_ARRAYS: views of numbers that begin at a byte of the buffer, and accessors of views from one on. */
enum { MODEL_PART_ARRAYS = 4 };
json_t *model_part_views(const struct model_part *part, size_t at);
json_t *model_part_accessors(const struct model_part *part, int view);

/* A mesh of the accessors from a given one on; its material, with vertex colours. */
json_t *model_part_mesh(const char *name, int accessor, int material);
json_t *model_part_material(const char *name);

#endif
