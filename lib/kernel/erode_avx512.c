/* The kernels of erosion in 16 lanes, under this object's flags (Makefile). */
#define LANES   16
#define KERNELS erode_kernels_avx512
#define NAME    "avx512"
#include "erode_kernels.inc"
