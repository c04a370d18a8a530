/* The kernels in 8 lanes, under this object's flags (Makefile). */
#define LANES   8
#define KERNELS kernels_avx2
#define NAME    "avx2"
#include "kernels.inc"
