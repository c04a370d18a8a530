/* The kernels of relaxation in 16 lanes, under this object's flags (Makefile). */
#define LANES   16
#define KERNELS relax_kernels_avx512
#define NAME    "avx512"
#include "relax_kernels.inc"
