/*
 * The functions that the WebAssembly module exports, all of them: wasm.mk takes their names from here.
 */
#ifndef TERRANE_JS_MODULE_H
#define TERRANE_JS_MODULE_H

#include <stddef.h>
#include <stdint.h>

/* One region, in words; x and y: lower half first. */
struct js_region {
    int32_t kind, level;
    uint32_t x[2], y[2];
    int32_t variant;
};

/* Room for bytes, aligned as regions want it. NULL: memory is short. */
void *js_take(size_t bytes);
void js_give(void *block);

/* What the last call that made something made; it stays until the next one. */
void *js_made(void);
size_t js_made_bytes(void);

/* A recipe's text and a seed: the instance's world from then on. */
int js_open(const char *text, size_t bytes, uint32_t seed_low, uint32_t seed_high);
/* What an error means; of js_open what is wrong with the text. */
const char *js_message(int error);
void js_seed_of_name(const char *name, size_t bytes, uint64_t *seed);

/* Of the library and the world. Names: NULL behind the last. */
const char *js_isa(void);
const uint8_t *js_digest(void); /* 16 bytes; of the world */
double js_cost(void);           /* struct terrane_cost: sample */
double js_seconds(void);        /* terrane_recipe_seconds */
int js_generator(void);
double js_spacing_m(void);
const char *js_layer_name(int layer);
int js_layer_values(int layer);
int js_layer_channels(int layer); /* bytes of a pixel of its picture; 0: it is one of the layer's numbers */
int js_palette(
    int layer); /* how many colours js_colours then has, three bytes each; 0: pixels are no indices */
const uint8_t *js_colours(void);
const char *js_variant_name(int variant);
int js_variant_default(void);

/* What the base surface is made of: js_made has the doubles of terms.c. */
int js_terms_make(void);
/* ... and the words for its numbers: of 0 operations, 1 kinds of fractals, 2 base noises, 3 kinds of partitions the k-th; NULL behind the last. */
const char *js_term_word(int of, int k);

/* terrane_spawn: x, y and height in metres. */
int js_spawn(double place[3]);

/* 16 bytes, of bytes of samples: terrane_samples_digest; there until the next call. */
const uint8_t *js_samples_digest(const void *samples, size_t bytes);

/* What a region is made of: how many js_regions then has. */
int js_needs(const struct js_region *region);
/* Of a tile, which js_tile_make then makes: likewise. */
int js_tile(int level, double x, double y, int layer, int variant, int size);
const struct js_region *js_regions(void);

/* Packed bytes of the k-th of js_regions: aligned, and there until something was made of them. */
void js_input(int k, void *data, size_t bytes);
/* After js_needs of the same region, or js_tile, and the inputs that it names: js_made has the packed region, or the samples. */
int js_region_make(const struct js_region *region);
int js_tile_make(void);
/* ... its pixels, of a layer that has channels; of objects, of size 256, their places as the server's .bin has them. */
int js_picture_make(void);
int js_places_make(void);
/* ... of the layers river and path, of size 256, lines: of each, as doubles, how many points it has and three numbers of its own, then of each
 * point x and y in metres and one number. Rivers, those that begin in the tile: discharge in m3/s, width in m and order; height in m. Paths,
 * those that come near: enum terrane_path_road, width in m and 53 bits of its id; enum terrane_path_over on from there. */
int js_lines_make(void);

#endif
