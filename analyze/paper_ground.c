/*
 * One raster of real ground: the Jacksboro fault in Tennessee, 344 x 403 samples of SRTM every 3 seconds of
 * arc. It has no sea; the curve whose boxes are counted is the contour at its median.
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "analysis.h"
#include "paper.h"
#include "raster_read.h"
#include "say.h"

#define GROUND_FILE        "/usr/share/matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz"
#define GROUND_PACKAGE     "python-matplotlib-data"
#define METRES_PER_DEGREE  111194.9 /* of a sphere of 6,371 km */
#define RADIANS_PER_DEGREE 0.017453292519943295

static int read_ground(struct raster *raster)
{
    double dx, dy, south, north;

    if (raster_read_number(GROUND_FILE, "dx", &dx) != 0 || raster_read_number(GROUND_FILE, "dy", &dy) != 0 ||
        raster_read_number(GROUND_FILE, "ymin", &south) != 0 ||
        raster_read_number(GROUND_FILE, "ymax", &north) != 0 ||
        raster_read(raster, GROUND_FILE, 0, "elevation") != 0)
        return -1;
    raster->dx_m = dx * METRES_PER_DEGREE * cos((south + north) / 2 * RADIANS_PER_DEGREE);
    raster->dy_m = dy * METRES_PER_DEGREE;
    return 0;
}

json_t *paper_ground(const struct paper *paper)
{
    struct raster raster;
    struct analysis analysis;
    float median;
    json_t *out = NULL;

    if (access(GROUND_FILE, R_OK) != 0) {
        printf("Ground: left out, since %s is missing: apt-get install %s\n\n", GROUND_FILE, GROUND_PACKAGE);
        return json_null();
    }
    if (read_ground(&raster) != 0)
        return NULL;
    if (raster_median(&raster, &median) != 0)
        say_error("out of memory");
    else if (analysis_make(&raster, 0, (double)median, &analysis) == 0 &&
             analysis_plot(&analysis, &raster, paper->directory, "ground-", "Jacksboro fault") == 0) {
        printf("Ground: the Jacksboro fault (SRTM)\n");
        analysis_print(&analysis, stdout);
        out = analysis_json(&analysis);
    }
    raster_free(&raster);
    return out;
}
