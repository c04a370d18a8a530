/* The kernels in 4 lanes, under this object's flags (Makefile). */
#define LANES   4
#define KERNELS kernels_neon
#define NAME    "neon"
#include "kernels.inc"
