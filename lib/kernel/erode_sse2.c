/* The kernels of erosion in 4 lanes, under this object's flags (Makefile). */
#define LANES   4
#define KERNELS erode_kernels_sse2
#define NAME    "sse2"
#include "erode_kernels.inc"
