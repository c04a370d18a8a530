/* Limits of plates, climate and coarse terms: a recipe's bounds depend on them, and terms keep to them. */
#ifndef TERRANE_LIMITS_H
#define TERRANE_LIMITS_H

enum {
    PLATES_NODES_LOG2 = 6, /* nodes along a cell */
    FIELDS_COARSE = 8,     /* terms of TERRANE_OP_COARSE in a recipe */
};

#define PLATES_AGE_MAX   200.0f /* millions of years */
#define PLATES_CLOSING   1.42f  /* two drifts, each within -1 .. 1 on both axes, close at most at sqrt(2) */
#define CLIMATE_RAIN_MAX 8.0f   /* times of rain_mm */
#define CLIMATE_SWAY_C   4.0f   /* how far noise moves warmth */

#endif
