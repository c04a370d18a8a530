/*
 * Between the files of a search (seek.h).
 */
#ifndef TERRANE_SERVER_SEEK_PARTS_H
#define TERRANE_SERVER_SEEK_PARTS_H

#include "name_near.h"
#include "seek.h"

/* Something that was found. */
struct seek_hit {
    int64_t gi, gj; /* sample of its level; of what is listed, 0 */
    int level;      /* that it has been followed to */
    int seen;       /* ... and at which it was seen first */
    size_t tile;    /* of those that are wanted, in which it is looked for */
    double x_m, y_m, distance_m;
    double height_m; /* of ground; of a peak at its top */
    double measure;  /* of a peak its prominence, m; of areas m2, as seen at that level; of a river m3/s */
    char id[17], name[32];  /* of what is listed, and of peaks; empty: it has none */
    struct near_name water; /* of lakes, rivers and mouths */
    bool town;
};

/* What a search has come to, for seek_text. */
struct seek_answer {
    const struct seek_hit *result; /* nearest first */
    size_t results;
    const struct find_question *question;
    const struct terrane_recipe *recipe;
    double x_m, y_m, reach_m; /* within that of the place all has been seen */
    int finest, coarsest;     /* levels that were looked at */
};
void seek_answer(const struct seek *seek, struct seek_answer *answer);

/* A square of samples of one level. */
struct seek_ground {
    int side;
    float *height, *surface, *flow; /* of layers that nobody asked for zeros */
    uint8_t *is;                    /* whether it is of the kind that is looked for */
};

int seek_ground_make(struct seek_ground *ground, int side); /* -1: memory is short */
void seek_ground_free(struct seek_ground *ground);

/* Puts a tile's layer into ground, of rows and columns 0 .. samples - 1 of the tile, from column x and row y on. */
void seek_ground_read(struct seek_ground *ground, const struct find_question *question,
                      const struct terrane_recipe *recipe, enum tile_layer layer, const unsigned char *f32,
                      int samples, int x, int y);

/* Once all layers are in it: marks what is of the kind, but for peaks. */
void seek_ground_mark(struct seek_ground *ground, enum find_what what, float sea_m);

/*
 * Of everything of the kind that hangs together the sample that is nearest to a place, and how many those are; of peaks those of such a prominence, and it. x and y:
 * the place, in samples from the ground's first one on. found is shown each. Returns 0, or -1 when memory is short.
 */
typedef void seek_found(void *context, int i, int j, double measure);
int seek_parts(const struct seek_ground *ground, double x, double y, seek_found *found, void *context);
int seek_peaks(const struct seek_ground *ground, float sea_m, float prominence_m, seek_found *found,
               void *context);

/* Gives a peak that was found the name and id of the one that tiles of its level show there (PIECE_PEAK_NEAR), if they do. 0; -1: memory is short. */
int seek_name_peak(const struct terrane_world *world, struct seek_hit *hit);

/* Reads the places of a tile of paths as geojson; each is shown. Returns 0, or -1 where it is none, or memory is short. */
int seek_places(const unsigned char *text, size_t bytes, bool towns,
                void (*found)(void *context, const struct seek_hit *hit), void *context);

#endif
