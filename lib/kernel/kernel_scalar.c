/* The kernels in 1 lane, under this object's flags (Makefile). */
#define LANES   1
#define KERNELS kernels_scalar
#define NAME    "scalar"
#include "kernels.inc"
