/* The kernels of relaxation in 8 lanes, under this object's flags (Makefile). */
#define LANES   8
#define KERNELS relax_kernels_avx2
#define NAME    "avx2"
#include "relax_kernels.inc"
