/*
 * compare FILE [HEIGHTS] - for a problem as optimum.c reads it: how far ground is carried, in EMD,
 * by the relaxation to its end, by the fast way, and to HEIGHTS (side * side doubles, as optimum -o writes), as
 * JSON.
 */
#include "../terrane_patch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define UNIT 0x1p-24

struct problem {
    struct terrane_patch patch;
    size_t samples;
    double *ground;
    struct terrane_limits limits;
    int32_t *units, *moved;
    void *memory;
};

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "compare: %s\n", what);
    exit(1);
}

static void *read_array(FILE *file, size_t count, size_t size)
{
    void *values = calloc(count, size);
    if (!values || fread(values, size, count, file) != count)
        die("the file is too short");
    return values;
}

static void *memory_of(size_t bytes)
{
    void *memory = aligned_alloc(TERRANE_SCRATCH_ALIGN, (bytes + 63) / 64 * 64);
    if (!memory)
        die("out of memory");
    return memory;
}

static void read_problem(struct problem *p, const char *path)
{
    FILE *file = fopen(path, "rb");
    int32_t side = 0;
    double spacing = 0;
    if (!file || fread(&side, sizeof side, 1, file) != 1 || fread(&spacing, sizeof spacing, 1, file) != 1 ||
        side < 3 || side > TERRANE_PATCH_SIDE_MAX)
        die("no problem");
    p->patch = (struct terrane_patch){side, spacing, UNIT};
    p->samples = (size_t)side * (size_t)side;
    p->ground = read_array(file, p->samples, sizeof(double));
    p->limits.gradient = read_array(file, p->samples, sizeof(float));
    p->limits.across = read_array(file, p->samples, sizeof(float));
    p->limits.across_x = read_array(file, p->samples, sizeof(float));
    p->limits.across_y = read_array(file, p->samples, sizeof(float));
    fclose(file);
    p->units = calloc(p->samples, sizeof *p->units);
    p->moved = calloc(p->samples, sizeof *p->moved);
    if (!p->units || !p->moved)
        die("out of memory");
    p->memory = memory_of(terrane_patch_bytes(&p->patch));
    for (size_t i = 0; i < p->samples; i++)
        p->units[i] = (int32_t)lround(p->ground[i] / UNIT);
}

static double distance_to(const struct problem *p, const double *heights)
{
    for (size_t i = 0; heights && i < p->samples; i++)
        p->moved[i] = (int32_t)lround(heights[i] / UNIT);
    void *memory = memory_of(terrane_patch_distance_bytes(&p->patch));
    double distance = -1;
    if (terrane_patch_distance(&p->patch, p->units, p->moved, memory, &distance) != 0)
        die("heights out of range");
    free(memory);
    return distance;
}

int main(int argc, char **argv)
{
    struct problem p = {0};
    if (argc < 2 || argc > 3)
        die("usage: compare FILE [HEIGHTS]");
    read_problem(&p, argv[1]);
    if (argc == 3) {
        FILE *file = fopen(argv[2], "rb");
        if (!file)
            die("no heights");
        printf("{\"optimum\": %.10g, ", distance_to(&p, read_array(file, p.samples, sizeof(double))));
        fclose(file);
    } else {
        printf("{");
    }
    for (size_t i = 0; i < p.samples; i++)
        p.moved[i] = p.units[i];
    if (terrane_patch_carve(&p.patch, &p.limits, p.memory, p.moved) != 0)
        die("cannot be carved");
    printf("\"carved\": %.10g, ", distance_to(&p, NULL));

    const struct terrane_relax relax = terrane_relax_default();
    struct terrane_relax_report report;
    if (terrane_patch_relax(&p.patch, &p.limits, &relax, p.memory, p.ground, &report) != 0)
        die("cannot be relaxed");
    printf("\"relaxed\": %.10g, \"iterations\": %lld}\n", distance_to(&p, p.ground),
           (long long)report.iterations);
    return 0;
}
