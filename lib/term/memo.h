/*
 * What calls remember from one to the next: terrane_memory's memo.
 */
#ifndef TERRANE_MEMO_H
#define TERRANE_MEMO_H

#include "climate.h"
#include "plates.h"

struct terrane_memo {
    struct climate_block climate[CLIMATE_BLOCKS];
    struct plates_cell plates[PLATES_CELLS];
};

#endif
