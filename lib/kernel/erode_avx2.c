/* The kernels of erosion in 8 lanes, under this object's flags (Makefile). */
#define LANES   8
#define KERNELS erode_kernels_avx2
#define NAME    "avx2"
#include "erode_kernels.inc"
