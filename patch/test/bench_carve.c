/*
 * bench_carve [--json FILE] [--quick] [--strict]: the fast way beside the sequential relaxation, to its end, on
 * patches of 257 x 257 samples (--quick: 129 x 129), slope 0.0035 and limits across beside the path. Time is
 * CPU time of the thread, one call each; several patches, by their sums, for iterations differ tenfold from
 * ground to ground. Distances are exact.
 */
#include "../../tests/bench/bench_rounds.h"
#include "patch_ground_kit.h"

#include <stdio.h>

enum { SIDE = 257, SIDE_QUICK = 129, PATCHES = 3, PATCHES_QUICK = 5 };

/* The relaxation's iterations grow with samples: a quarter of it is asked on a quarter of them. */
static const double faster = 100, faster_quick = 25;

struct result {
    double time_us, distance;
};

static void need(int error)
{
    if (error != 0)
        bench_die("carve", terrane_error_text(error));
}

static double distance(const struct kit *kit, const int32_t *from, const int32_t *to)
{
    void *memory =
        aligned_alloc(TERRANE_SCRATCH_ALIGN, (terrane_patch_distance_bytes(&kit->patch) + 63) / 64 * 64);
    double d = 0;
    if (!memory)
        bench_die("carve", "out of memory");
    need(terrane_patch_distance(&kit->patch, from, to, memory, &d));
    free(memory);
    return d;
}

static struct result relaxed(struct kit *kit, const int32_t *ground, int64_t *iterations)
{
    struct terrane_relax_report report;
    struct result result = {.time_us = -bench_cpu_us()};
    need(terrane_patch_relax(&kit->patch, &kit->limits, &kit->relax, kit->memory, kit->heights, &report));
    result.time_us += bench_cpu_us();
    if (report.how != TERRANE_RELAXED_ALL)
        bench_die("carve", "the relaxation does not end");
    *iterations = report.iterations;
    for (size_t i = 0; i < kit->samples; i++)
        kit->units[i] = (int32_t)lrint(kit->heights[i] / kit->patch.unit);
    result.distance = distance(kit, ground, kit->units);
    return result;
}

static struct result carved(struct kit *kit, const int32_t *ground, double *unsatisfied)
{
    memcpy(kit->units, ground, kit->samples * sizeof *ground);
    struct result result = {.time_us = -bench_cpu_us()};
    need(terrane_patch_carve(&kit->patch, &kit->limits, kit->memory, kit->units));
    result.time_us += bench_cpu_us();
    result.distance = distance(kit, ground, kit->units);

    struct terrane_relax exact = kit->relax;
    struct terrane_relax_report report;
    exact.slope_threshold = 0;
    for (size_t i = 0; i < kit->samples; i++)
        kit->heights[i] = kit->units[i] * kit->patch.unit;
    need(terrane_patch_report(&kit->patch, &kit->limits, &exact, kit->heights, &report));
    *unsatisfied +=
        (double)(report.unsatisfied[TERRANE_HOLD_GRADIENT] + report.unsatisfied[TERRANE_HOLD_ACROSS]);
    return result;
}

/* One patch; both results are added to the sums. */
static void compare(int side, uint64_t seed, struct result *relax, struct result *fast, double *unsatisfied)
{
    struct kit kit;
    kit_make(&kit, side, seed);
    kit_graph(&kit, 0.0035);
    need(terrane_patch_lines(&kit.patch, &kit.graph, &kit.shape, kit.ground, kit.memory, &kit.limits, NULL,
                             NULL, 0, NULL));
    free(kit.limits.roughness);
    free(kit.limits.position);
    kit.limits.roughness = NULL;
    kit.limits.position = NULL;
    kit_start(&kit);
    int32_t *ground = kit_array(kit.samples, sizeof *ground);
    memcpy(ground, kit.units, kit.samples * sizeof *ground);

    int64_t iterations = 0;
    const struct result r = relaxed(&kit, ground, &iterations), c = carved(&kit, ground, unsatisfied);
    printf("  patch %d: relaxation %8.2f s, %7lld iterations, distance %10.4g; fast way %7.3f s, distance "
           "%10.4g, "
           "%.2f of it\n",
           (int)seed, r.time_us * 1e-6, (long long)iterations, r.distance, c.time_us * 1e-6, c.distance,
           c.distance / r.distance);
    fflush(stdout);
    relax->time_us += r.time_us;
    relax->distance += r.distance;
    fast->time_us += c.time_us;
    fast->distance += c.distance;
    free(ground);
    kit_free(&kit);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    const struct bench_options options = bench_options_read(argc, argv);
    const int side = options.quick ? SIDE_QUICK : SIDE;
    struct result relax = {0}, fast = {0};
    double unsatisfied = 0;

    printf("the fast way beside the relaxation, %d x %d, slope 0.0035\n", side, side);
    for (uint64_t seed = 1; seed <= (options.quick ? PATCHES_QUICK : PATCHES); seed++)
        compare(side, seed, &relax, &fast, &unsatisfied);
    bench_line_value(&bench, "relaxation / fast way, time", relax.time_us / fast.time_us,
                     options.quick ? faster_quick : faster, true);
    bench_line_value(&bench, "fast way / relaxation, distance", fast.distance / relax.distance, 1.1, false);
    bench_line_value(&bench, "quadrants over their limit", unsatisfied, 0, false);
    return bench_report(&bench, &options);
}
