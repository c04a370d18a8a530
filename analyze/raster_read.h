/*
 * Rasters of real ground, from files.
 */
#ifndef TERRANE_ANALYZE_RASTER_READ_H
#define TERRANE_ANALYZE_RASTER_READ_H

#include "raster.h"

/*
 * raster_read - a file's samples.
 *
 *   path    NAME.npy: NumPy's format, versions 1 to 3, two dimensions, C order, whole numbers of 8 to 32
 *           bits or floats of 32 or 64, of either byte order. NAME.npz: a ZIP file of such. Others: floats,
 *           little-endian.
 *   width   samples a row of a file of floats; 0 for the others, which know
 *   member  of an .npz: an array's name; NULL for the first with two dimensions
 *
 * Nothing is taken from the file on trust: sizes are checked before memory is asked for, samples must be
 * finite and within 10^7. Returns 0 (raster is owned by the caller), or an exit status, 1 for a bad file or
 * 2 for a bad question, after a line on standard error.
 */
int raster_read(struct raster *raster, const char *path, int width, const char *member);

/* A number of an .npz: an array without dimensions. Returns 0, or 1 after a line on standard error. */
int raster_read_number(const char *path, const char *member, double *value);

#endif
