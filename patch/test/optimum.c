/*
 * optimum - the patch H0 that keeps all gradient and across limits and is nearest to the ground: EMD(L, H0).
 *
 *     optimum [-o HEIGHTS] FILE
 *
 * FILE, little-endian: int32 side, double spacing, side * side doubles of ground, then as many floats each of
 * gradient, across, across_x, across_y (terrane_patch.h; below 0: not held). Prints {"distance": .., "seconds":
 * .., "rows": .., "rounds": ..}; -o writes H0 as doubles.
 *
 * A linear program for CLP. Its columns are what is carried between neighbours, both ways, at 1 a step; heights
 * follow from them. Ground is neither made nor lost, for that never pays: spread over the patch it has less
 * than 2 side to go. Rows are added where a limit is not kept, the worst of each quadrant a round, and the dual
 * simplex goes on from where it was: of |gradient| <= g the tangent of the circle at the gradient's direction, of
 * across limits themselves. It ends when all are kept to within KEPT; so what it finds is never farther than the optimum.
 */
#include <coin/Clp_C_Interface.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE_MAX = 257, ROW_MAX = 32, ROUNDS_MAX = 1000 };

#define KEPT 1e-5 /* of the lowest limit above 0: closer is kept; CLP's own tolerance is 1e-7 */

struct problem {
    int32_t side;
    double spacing, scale; /* heights are scaled to the lowest limit above 0 */
    double *ground, *heights;
    float *gradient, *across, *across_x, *across_y;
};

struct rows {
    int count, room, entries, entries_room;
    CoinBigIndex *start;
    int *column;
    double *upper, *lower, *value;
};

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "optimum: out of memory\n");
        exit(1);
    }
    return memory;
}

static void read_all(FILE *file, void *to, size_t size, size_t count)
{
    if (fread(to, size, count, file) != count) {
        fprintf(stderr, "optimum: the file is too short\n");
        exit(1);
    }
}

static float *read_floats(FILE *file, size_t count)
{
    float *values = need(calloc(count, sizeof *values));
    read_all(file, values, sizeof *values, count);
    return values;
}

static struct problem read_problem(const char *path)
{
    struct problem p = {0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "optimum: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    read_all(file, &p.side, sizeof p.side, 1);
    read_all(file, &p.spacing, sizeof p.spacing, 1);
    if (p.side < 3 || p.side > SIDE_MAX || !(p.spacing > 0 && p.spacing < 1e9)) {
        fprintf(stderr, "optimum: %s: the side is 3 .. %d, the spacing above 0\n", path, SIDE_MAX);
        exit(1);
    }
    const size_t samples = (size_t)p.side * (size_t)p.side;
    p.ground = need(calloc(samples, sizeof *p.ground));
    p.heights = need(calloc(samples, sizeof *p.heights));
    read_all(file, p.ground, sizeof *p.ground, samples);
    p.gradient = read_floats(file, samples);
    p.across = read_floats(file, samples);
    p.across_x = read_floats(file, samples);
    p.across_y = read_floats(file, samples);
    fclose(file);
    double min = HUGE_VAL;
    for (size_t i = 0; i < samples; i++) {
        if (p.gradient[i] > 0 && (double)p.gradient[i] < min)
            min = (double)p.gradient[i];
        if (p.across[i] > 0 && (double)p.across[i] < min)
            min = (double)p.across[i];
    }
    p.scale = min < HUGE_VAL ? 1 / (min * p.spacing) : 1;
    for (size_t i = 0; i < samples; i++)
        p.ground[i] *= p.scale;
    return p;
}

/* ---- Columns: 4 a sample; east, back from there, south, back from there ---------------------------------- */

static void find_heights(struct problem *p, const double *carried)
{
    const int side = p->side;
    memcpy(p->heights, p->ground, (size_t)side * (size_t)side * sizeof *p->heights);
    for (int at = 0; at < side * side; at++) {
        const double east = carried[4 * at] - carried[4 * at + 1];
        const double south = carried[4 * at + 2] - carried[4 * at + 3];
        p->heights[at] -= east + south;
        if (at % side < side - 1)
            p->heights[at + 1] += east;
        if (at / side < side - 1)
            p->heights[at + side] += south;
    }
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

/* What a height weighs in the row; 0 but for the quadrant's three samples. */
static double weight(const int at[3], const double a[3], int sample)
{
    for (int i = 0; i < 3; i++)
        if (at[i] == sample)
            return a[i];
    return 0;
}

static void add_edge(struct rows *rows, int column, double more)
{
    const CoinBigIndex begin = rows->start[rows->count];
    for (CoinBigIndex i = begin; i < rows->entries; i++)
        if (rows->column[i] == column)
            return;
    if (more == 0)
        return;
    for (int back = 0; back < 2; back++) {
        rows->column[rows->entries] = column + back;
        rows->value[rows->entries++] = back ? -more : more;
    }
}

static void make_room(struct rows *rows)
{
    if (rows->count + 1 >= rows->room) {
        rows->room = 2 * rows->room + 1024;
        const size_t room = (size_t)rows->room + 1;
        rows->start = need(realloc(rows->start, room * sizeof *rows->start));
        rows->upper = need(realloc(rows->upper, room * sizeof *rows->upper));
        rows->lower = need(realloc(rows->lower, room * sizeof *rows->lower));
    }
    if (rows->entries + ROW_MAX > rows->entries_room) {
        rows->entries_room = 2 * rows->entries_room + 1024 * ROW_MAX;
        const size_t room = (size_t)rows->entries_room;
        rows->column = need(realloc(rows->column, room * sizeof *rows->column));
        rows->value = need(realloc(rows->value, room * sizeof *rows->value));
    }
}

/* a . heights of the three samples <= most. */
static void add_row(struct rows *rows, const struct problem *p, const int at[3], const double a[3],
                    double max)
{
    make_room(rows);
    rows->start[rows->count] = rows->entries;
    const int side = p->side;
    for (int i = 0; i < 3; i++) {
        const int s = at[i], x = s % side, y = s / side;
        const double here = weight(at, a, s);
        if (x < side - 1)
            add_edge(rows, 4 * s, weight(at, a, s + 1) - here);
        if (x > 0)
            add_edge(rows, 4 * (s - 1), here - weight(at, a, s - 1));
        if (y < side - 1)
            add_edge(rows, 4 * s + 2, weight(at, a, s + side) - here);
        if (y > 0)
            add_edge(rows, 4 * (s - side) + 2, here - weight(at, a, s - side));
    }
    for (int i = 0; i < 3; i++)
        max -= a[i] * p->ground[at[i]];
    rows->lower[rows->count] = -HUGE_VAL;
    rows->upper[rows->count++] = max;
}

static void add_if_broken(struct rows *rows, const struct problem *p, const int at[3], double ax, double ay,
                          double max)
{
    const double a[3] = {-(ax + ay), ax, ay};
    const double *h = p->heights;
    if (a[0] * h[at[0]] + a[1] * h[at[1]] + a[2] * h[at[2]] > max + KEPT)
        add_row(rows, p, at, a, max);
}

static void look_at(struct rows *rows, const struct problem *p, int sample, int qx, int qy)
{
    const int side = p->side, x = sample % side + qx, y = sample / side + qy;
    if (x < 0 || y < 0 || x >= side || y >= side)
        return;
    const int at[3] = {sample, sample + qx, sample + qy * side};
    const double unit = p->spacing * p->scale;
    if (p->gradient[sample] >= 0) {
        const double dx = p->heights[at[1]] - p->heights[at[0]], dy = p->heights[at[2]] - p->heights[at[0]];
        const double length = hypot(dx, dy), max = (double)p->gradient[sample] * unit;
        if (length > max + KEPT) /* so not 0 */
            add_if_broken(rows, p, at, dx / length, dy / length, max);
    }
    if (p->across[sample] >= 0) {
        const double ax = qx * (double)p->across_x[sample], ay = qy * (double)p->across_y[sample];
        add_if_broken(rows, p, at, ax, ay, (double)p->across[sample] * unit);
        add_if_broken(rows, p, at, -ax, -ay, (double)p->across[sample] * unit);
    }
}

static void find_broken(struct rows *rows, const struct problem *p)
{
    rows->count = rows->entries = 0;
    make_room(rows);
    for (int sample = 0; sample < p->side * p->side; sample++)
        for (int q = 0; q < 4; q++)
            look_at(rows, p, sample, q & 1 ? -1 : 1, q & 2 ? -1 : 1);
    rows->start[rows->count] = rows->entries;
}

/* ---- Solving ------------------------------------------------------------------------------------------- */

static Clp_Simplex *new_model(int side)
{
    const int columns = 4 * side * side;
    double *zero = need(calloc((size_t)columns, sizeof *zero));
    double *max = need(calloc((size_t)columns, sizeof *max));
    double *cost = need(calloc((size_t)columns, sizeof *cost));
    CoinBigIndex *start = need(calloc((size_t)columns + 1, sizeof *start));
    for (int i = 0; i < columns; i++) {
        const int at = i / 4;
        cost[i] = 1;
        max[i] = (i & 2 ? at / side : at % side) < side - 1 ? HUGE_VAL : 0;
    }
    Clp_Simplex *model = need(Clp_newModel());
    Clp_setLogLevel(model, 0);
    const int none = 0;
    const double nothing = 0;
    Clp_loadProblem(model, columns, 0, start, &none, &nothing, zero, max, cost, NULL, NULL);
    free(zero);
    free(max);
    free(cost);
    free(start);
    return model;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void write_heights(const struct problem *p, const char *path)
{
    FILE *file = fopen(path, "wb");
    const size_t samples = (size_t)p->side * (size_t)p->side;
    for (size_t i = 0; i < samples; i++)
        p->heights[i] /= p->scale;
    if (!file || fwrite(p->heights, sizeof *p->heights, samples, file) != samples || fclose(file) != 0) {
        fprintf(stderr, "optimum: %s: %s\n", path, strerror(errno));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const bool out = argc == 4 && strcmp(argv[1], "-o") == 0;
    if (argc != 2 && !out) {
        fprintf(stderr, "usage: optimum [-o HEIGHTS] FILE\n");
        return 2;
    }
    struct problem p = read_problem(argv[argc - 1]);
    const double begin = seconds();
    Clp_Simplex *model = new_model(p.side);
    memcpy(p.heights, p.ground, (size_t)p.side * (size_t)p.side * sizeof *p.heights);
    struct rows rows = {0};
    double cost = 0;
    int rounds = 0;
    for (; rounds < ROUNDS_MAX; rounds++) {
        find_broken(&rows, &p);
        if (rows.count == 0)
            break;
        Clp_addRows(model, rows.count, rows.lower, rows.upper, rows.start, rows.column, rows.value);
        if (Clp_dual(model, 0) != 0 || Clp_status(model) != 0) {
            fprintf(stderr, "optimum: CLP gives up (status %d)\n", Clp_status(model));
            return 1;
        }
        cost = Clp_objectiveValue(model);
        find_heights(&p, Clp_primalColumnSolution(model));
    }
    printf("{\"distance\": %.10g, \"seconds\": %.3f, \"rows\": %d, \"rounds\": %d}\n",
           cost / p.scale * p.spacing, seconds() - begin, Clp_numberRows(model), rounds);
    if (out)
        write_heights(&p, argv[2]);
    Clp_deleteModel(model);
    return 0;
}
