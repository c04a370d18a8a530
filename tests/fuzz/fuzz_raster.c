/*
 * Fuzzing files of heights and pictures: any bytes as one.
 *
 * Whatever comes in, the reader ends, and either says why not in one printable line, or has samples that the library takes, within
 * what it measured of them. Seeds: tests/fuzz/corpus/raster.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "../../lib/terrane.h"
#include "../../server/raster/raster_read.h"
#include "fuzz_kit.h"

static void require_samples(const struct raster_samples *samples)
{
    struct terrane_raster raster = {
        .width = samples->width, .height = samples->height, .sample = samples->sample};
    require(samples->width >= 2 && samples->width <= TERRANE_RASTER_SIDE, "another width");
    require(samples->height >= 2 && samples->height <= TERRANE_RASTER_SIDE, "another height");
    require(samples->white == 0 || samples->white == 255 || samples->white == 65535, "another white");
    require(terrane_raster_init(&raster) == 0, "the library refuses it");
    for (size_t i = 0; i < (size_t)raster.width * (size_t)raster.height; i++)
        require(raster.sample[i] >= raster.low && raster.sample[i] <= raster.high,
                "a sample beyond its bounds");
}

static void try_to_read(const char *path, int (*read)(const char *, struct raster_samples *, char *, size_t))
{
    struct raster_samples samples;
    char why[RASTER_WHY_BYTES] = "";
    if (read(path, &samples, why, sizeof why) != 0) {
        require_line(why, sizeof why, "");
        return;
    }
    require_samples(&samples);
    free(samples.sample);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    require(ftruncate(file, 0) == 0 && pwrite(file, data, bytes, 0) == (ssize_t)bytes, "no file");
    try_to_read(path, raster_read);
    try_to_read(path, raster_read_any);
    return 0;
}
