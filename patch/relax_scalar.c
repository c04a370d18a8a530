/* The kernels of relaxation in 1 lane, under this object's flags (Makefile). */
#define LANES   1
#define KERNELS relax_kernels_scalar
#define NAME    "scalar"
#include "relax_kernels.inc"
