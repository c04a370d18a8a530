/* The kernels in 4 lanes, under this object's flags (Makefile). */
#define LANES   4
#define KERNELS kernels_sse2
#define NAME    "sse2"
#include "kernels.inc"
