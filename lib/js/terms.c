/*
 * What the base surface is made of, as numbers in a row: the recipe's terms and its partition, in the order in which terms.js
 * takes them. Whole numbers and binary32 are exact in a double.
 */
#include "../recipe/kinds.h"
#include "state.h"

struct row {
    double *number; /* NULL: they are counted */
    size_t count;
};

static void put(struct row *row, double number)
{
    if (row->number)
        row->number[row->count] = number;
    row->count++;
}

static void put_wholes(struct row *row, const int *number, int count)
{
    for (int k = 0; k < count; k++)
        put(row, number[k]);
}

static void put_bytes(struct row *row, const uint8_t *number, int count)
{
    for (int k = 0; k < count; k++)
        put(row, number[k]);
}

static void put_floats(struct row *row, const float *number, int count)
{
    for (int k = 0; k < count; k++)
        put(row, (double)number[k]);
}

static void put_fractal(struct row *row, const struct terrane_fractal *fractal)
{
    const float number[] = {fractal->amplitude_m, fractal->gain,      fractal->weight, fractal->jitter,
                            fractal->offset,      fractal->sharpness, fractal->warp,   fractal->damp};
    put(row, fractal->kind);
    put(row, fractal->octaves);
    put_bytes(row, fractal->base, fractal->octaves);
    put(row, fractal->salt);
    put(row, fractal->cell);
    put(row, fractal->lacunarity);
    put_floats(row, number, sizeof number / sizeof *number);
    put_wholes(row, fractal->warp_term, 2);
    put(row, (double)fractal->warp_m);
}

static void put_term(struct row *row, const struct terrane_term *term)
{
    const float number[] = {term->offset, term->low, term->high};
    put(row, term->op);
    put(row, term->of);
    put(row, term->inputs);
    put_wholes(row, term->in, term->inputs);
    put_floats(row, term->factor, TERRANE_INPUTS_MAX);
    put_floats(row, number, sizeof number / sizeof *number);
    put(row, term->knots);
    put_floats(row, term->knot_x, term->knots);
    put_floats(row, term->knot_y, term->knots);
    if (term->op == TERRANE_OP_FRACTAL)
        put_fractal(row, &term->fractal);
}

static void put_partition(struct row *row, const struct terrane_partition *partition)
{
    const float number[] = {partition->blend, partition->cold, partition->hot, partition->dry,
                            partition->wet};
    const int term[] = {partition->by, partition->temperature, partition->moisture};
    put(row, partition->kind);
    put(row, partition->zones);
    for (int k = 0; k < partition->zones; k++) {
        put(row, partition->zone[k].term);
        put(row, (double)partition->zone[k].amplitude);
        put(row, (double)partition->zone[k].offset_m);
    }
    put_floats(row, number, sizeof number / sizeof *number);
    put_wholes(row, term, sizeof term / sizeof *term);
    put_floats(row, partition->threshold, partition->zones - 1);
    put(row, partition->table_rows);
    put(row, partition->table_columns);
    put_bytes(row, partition->table, partition->table_rows * partition->table_columns);
}

size_t terms_numbers(const struct terrane_recipe *recipe, double *number)
{
    struct row row = {.number = number};
    put(&row, recipe->spacing_m);
    put(&row, recipe->alias_octaves);
    put(&row, recipe->terms);
    for (int k = 0; k < recipe->terms; k++)
        put_term(&row, &recipe->term[k]);
    put_partition(&row, &recipe->partition);
    return row.count;
}

const char *js_term_word(int of, int k)
{
    switch (of) {
    case 0:
        return k < TERRANE_OPS ? terrane_op_name[k] : NULL;
    case 1:
        return k < TERRANE_FRACTAL_KINDS ? kind_rows[k].name : NULL;
    case 2:
        return k < TERRANE_BASES ? base_rows[k].name : NULL;
    default:
        return k < TERRANE_PARTITION_KINDS ? partition_names[k] : NULL;
    }
}
