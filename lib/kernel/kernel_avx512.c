/* The kernels in 16 lanes, under this object's flags (Makefile). */
#define LANES   16
#define KERNELS kernels_avx512
#define NAME    "avx512"
#include "kernels.inc"
