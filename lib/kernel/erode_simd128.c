/* The kernels of erosion in 4 lanes, under this object's flags (Makefile). */
#define LANES   4
#define KERNELS erode_kernels_simd128
#define NAME    "simd128"
#include "erode_kernels.inc"
