/* The kernels of erosion in 1 lane, under this object's flags (Makefile). */
#define LANES   1
#define KERNELS erode_kernels_scalar
#define NAME    "scalar"
#include "erode_kernels.inc"
