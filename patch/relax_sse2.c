/* The kernels of relaxation in 4 lanes, under this object's flags (Makefile). */
#define LANES   4
#define KERNELS relax_kernels_sse2
#define NAME    "sse2"
#include "relax_kernels.inc"
