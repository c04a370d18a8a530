/* The kernels of erosion in 4 lanes, under this object's flags (Makefile). */
#define LANES   4
#define KERNELS erode_kernels_neon
#define NAME    "neon"
#include "erode_kernels.inc"
