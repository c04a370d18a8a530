/*
 * The transform is KISS FFT's, in float: its errors are white and some 1e-13 of the mean power, far under
 * the spectra of ground. It is made of transforms of rows and columns: the library's own for two dimensions
 * refuses sides over 52 in Debian's version. Planes are found around the centre of a grid, where the two
 * slopes and the mean do not depend on each other.
 */
#include "spectrum.h"

#include <kiss_fftr.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define PI 3.14159265358979324

/* Heights are mean + east * (i - centre) + south * (j - centre) + a rest. */
struct plane {
    double mean, east, south;
};

static struct plane plane_of(const struct raster *raster, int i0, int j0, int width, int height)
{
    const double ci = (width - 1) / 2.0, cj = (height - 1) / 2.0, count = (double)width * height;
    /* sum of (i - ci)^2 over 0 .. n - 1 is n (n^2 - 1) / 12 */
    const double ii = count * ((double)width * width - 1) / 12,
                 jj = count * ((double)height * height - 1) / 12;
    struct plane plane = {0};

    for (int j = 0; j < height; j++) {
        double row = 0, moment = 0;
        for (int i = 0; i < width; i++) {
            const double h = (double)raster_at(raster, i0 + i, j0 + j);
            row += h;
            moment += h * (i - ci);
        }
        plane.mean += row / count;
        plane.east += moment / ii;
        plane.south += row * (j - cj) / jj;
    }
    return plane;
}

static double rest_of(const struct raster *raster, const struct plane *plane, int i0, int j0, int i, int j,
                      int width, int height)
{
    return (double)raster_at(raster, i0 + i, j0 + j) - plane->mean - plane->east * (i - (width - 1) / 2.0) -
           plane->south * (j - (height - 1) / 2.0);
}

/* ---- Spectrum ----------------------------------------------------------------------------------------- */

/* The largest even number up to n whose prime factors are 2, 3 and 5: transforms of others can take hours. */
static int smooth_side(int n)
{
    for (n &= ~1; n > 2; n -= 2) {
        int rest = n;
        while (rest % 2 == 0)
            rest /= 2;
        while (rest % 3 == 0)
            rest /= 3;
        while (rest % 5 == 0)
            rest /= 5;
        if (rest == 1)
            break;
    }
    return n;
}

static double hann(int i, int n)
{
    return 0.5 - 0.5 * cos(2 * PI * (i + 0.5) / n);
}

/* Transforms of one length each, and room for one row and a few columns. All owned. */
struct transform {
    kiss_fftr_cfg rows;
    kiss_fft_cfg columns;
    float *row;
    kiss_fft_cpx *column; /* COLUMNS before their transform, and as many after it */
    kiss_fft_cpx *value;  /* row j, column i at j * (width / 2 + 1) + i */
};

/* Columns are gathered this many at a time: a cache line of 64 bytes holds 8 numbers of a row. */
enum { COLUMNS = 8 };

static void close_transform(struct transform *transform)
{
    kiss_fftr_free(transform->rows);
    kiss_fft_free(transform->columns);
    free(transform->row);
    free(transform->column);
    free(transform->value);
}

static int open_transform(struct transform *transform, int width, int height)
{
    const size_t half = (size_t)width / 2 + 1, rows = (size_t)height;

    *transform = (struct transform){.rows = kiss_fftr_alloc(width, 0, NULL, NULL),
                                    .columns = kiss_fft_alloc(height, 0, NULL, NULL),
                                    .row = malloc((size_t)width * sizeof *transform->row),
                                    .column = calloc(2 * COLUMNS * rows, sizeof *transform->column),
                                    .value = calloc(half, rows * sizeof *transform->value)};
    return transform->rows && transform->columns && transform->row && transform->column && transform->value
               ? 0
               : -1;
}

/* Transforms the windowed rest along rows; returns the sum of the window's squares. */
static double transform_rows(const struct transform *transform, const struct raster *raster, int width,
                             int height)
{
    const int i0 = (raster->width - width) / 2, j0 = (raster->height - height) / 2;
    const struct plane plane = plane_of(raster, i0, j0, width, height);
    double squares_x = 0, squares_y = 0;

    for (int i = 0; i < width; i++)
        squares_x += hann(i, width) * hann(i, width);
    for (int j = 0; j < height; j++) {
        const double w = hann(j, height);
        squares_y += w * w;
        for (int i = 0; i < width; i++)
            transform->row[i] =
                (float)(rest_of(raster, &plane, i0, j0, i, j, width, height) * w * hann(i, width));
        kiss_fftr(transform->rows, transform->row, transform->value + (size_t)j * (size_t)(width / 2 + 1));
    }
    return squares_x * squares_y;
}

static void transform_columns(const struct transform *transform, int width, int height)
{
    const size_t half = (size_t)width / 2 + 1, rows = (size_t)height;
    kiss_fft_cpx *const before = transform->column, *const after = before + COLUMNS * rows;

    for (size_t i = 0; i < half; i += COLUMNS) {
        const size_t columns = half - i < COLUMNS ? half - i : COLUMNS;
        for (size_t j = 0; j < rows; j++)
            for (size_t c = 0; c < columns; c++)
                before[c * rows + j] = transform->value[j * half + i + c];
        for (size_t c = 0; c < columns; c++)
            kiss_fft(transform->columns, before + c * rows, after + c * rows);
        for (size_t j = 0; j < rows; j++)
            for (size_t c = 0; c < columns; c++)
                transform->value[j * half + i + c] = after[c * rows + j];
    }
}

/* Sums of the bins while they are filled. */
struct tally {
    double lowest; /* frequency at which bin 0 starts */
    double entries[SPECTRUM_BINS_MAX], frequency[SPECTRUM_BINS_MAX], power[SPECTRUM_BINS_MAX];
};

static void collect(struct tally *tally, const kiss_fft_cpx *value, const struct spectrum *spectrum,
                    const struct raster *raster, double scale)
{
    const int width = spectrum->width, height = spectrum->height, half = width / 2 + 1;

    for (int j = 0; j < height; j++) {
        const double fy = (j <= height / 2 ? j : j - height) / (height * raster->dy_m);
        for (int i = 0; i < half; i++) {
            const kiss_fft_cpx v = value[(size_t)j * (size_t)half + (size_t)i];
            const double fx = i / (width * raster->dx_m), frequency = sqrt(fx * fx + fy * fy);
            const double power = ((double)v.r * (double)v.r + (double)v.i * (double)v.i) * scale;
            const double weight =
                i > 0 && 2 * i < width ? 2 : 1; /* the half that is not computed is its mirror */
            const double place = floor(log2(frequency / tally->lowest) * SPECTRUM_PER_OCTAVE + 0.5);
            if (!(place >= 0 && place < SPECTRUM_BINS_MAX))
                continue;
            tally->entries[(int)place] += weight;
            tally->frequency[(int)place] += weight * frequency;
            tally->power[(int)place] += weight * power;
        }
    }
}

static void finish(struct spectrum *out, const struct tally *tally)
{
    double x[SPECTRUM_BINS_MAX], y[SPECTRUM_BINS_MAX];
    int points = 0;

    for (int k = 0; k < SPECTRUM_BINS_MAX; k++) {
        if (!(tally->entries[k] > 0))
            continue;
        const double frequency = tally->frequency[k] / tally->entries[k];
        const double power = tally->power[k] / tally->entries[k];
        out->frequency[out->bins] = frequency;
        out->power[out->bins++] = power;
        if (frequency >= out->low_frequency && frequency <= out->high_frequency && power > 0) {
            x[points] = log10(frequency);
            y[points++] = log10(power);
        }
    }
    out->fit = fit_line(x, y, points);
}

int spectrum_measure(const struct raster *raster, struct spectrum *out)
{
    *out = (struct spectrum){.width = smooth_side(raster->width), .height = smooth_side(raster->height)};
    const double wide_m = out->width * raster->dx_m, high_m = out->height * raster->dy_m;
    const double shorter_m = wide_m < high_m ? wide_m : high_m;
    const double coarser_m = raster->dx_m > raster->dy_m ? raster->dx_m : raster->dy_m;
    struct tally tally = {.lowest = 1 / (wide_m > high_m ? wide_m : high_m)};
    struct transform transform;
    const int status = open_transform(&transform, out->width, out->height);

    if (status == 0) {
        const double squares = transform_rows(&transform, raster, out->width, out->height);
        transform_columns(&transform, out->width, out->height);
        out->low_frequency = 4 / shorter_m;
        out->high_frequency = 0.25 / coarser_m;
        collect(&tally, transform.value, out, raster, raster->dx_m * raster->dy_m / squares);
        finish(out, &tally);
    }
    close_transform(&transform);
    return status;
}

/* ---- Roughness ---------------------------------------------------------------------------------------- */

static double rms_of_side(const struct raster *raster, int side)
{
    double squares = 0, boxes = 0;

    for (int j0 = 0; j0 + side <= raster->height; j0 += side)
        for (int i0 = 0; i0 + side <= raster->width; i0 += side) {
            const struct plane plane = plane_of(raster, i0, j0, side, side);
            double box = 0;
            for (int j = 0; j < side; j++)
                for (int i = 0; i < side; i++) {
                    const double rest = rest_of(raster, &plane, i0, j0, i, j, side, side);
                    box += rest * rest;
                }
            squares += box / ((double)side * side);
            boxes++;
        }
    return boxes > 0 ? sqrt(squares / boxes) : 0;
}

void roughness_measure(const struct raster *raster, struct roughness *out)
{
    const int shorter = raster->width < raster->height ? raster->width : raster->height;
    double x[ROUGHNESS_SCALES_MAX], y[ROUGHNESS_SCALES_MAX];
    bool rough = true;

    *out = (struct roughness){0};
    for (int side = 4; side <= shorter / 4 && out->scales < ROUGHNESS_SCALES_MAX; side *= 2) {
        const int k = out->scales++;
        out->side[k] = side;
        out->rms_m[k] = rms_of_side(raster, side);
        rough = rough && out->rms_m[k] > 0;
        x[k] = log2(side);
        y[k] = rough ? log2(out->rms_m[k]) : 0;
    }
    out->fit = rough ? fit_line(x, y, out->scales) : (struct fit){0};
}
