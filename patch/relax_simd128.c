/* The kernels of relaxation in 4 lanes, under this object's flags (Makefile). */
#define LANES   4
#define KERNELS relax_kernels_simd128
#define NAME    "simd128"
#include "relax_kernels.inc"
