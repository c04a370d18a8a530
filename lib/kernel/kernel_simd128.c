/* The kernels in 4 lanes, under this object's flags (Makefile). */
#define LANES   4
#define KERNELS kernels_simd128
#define NAME    "simd128"
#include "kernels.inc"
