/*
 * Paths of a world: river crossings.
 *
 * Samples of a river's bed cost an additional toll, more for wider rivers, and samples beside one a little: so ways go around
 * rivers if that is not far, otherwise cross them straight, and do not run along them. A sample belongs to a bed if its discharge
 * is not 0: no step crosses without one.
 *
 * The parts of the smoothed line over water are found from the channels' own pieces, and get points at both ends, half a path
 * from the banks. There the line has a min height: at a ford the water, over which it is at most FORD_RISE_M; on a bridge
 * BRIDGE_M above. It is also not lower than water a reach beside it. A part longer than RUN_MAX of its widths runs along a
 * river, and such a line is dropped.
 *
 * Lengths along a line are fine units from its first point.
 */
#include <string.h>

#include "../base/min_max.h"
#include "../base/window.h"
#include "../drain/drained.h"
#include "../drain/river.h"
#include "../erosion/erosion.h"
#include "world_line.h"

enum {
    TOLL = 16, /* added cost of a bed's sample, in flat samples; as many for each sample of width */
    TOLL_MAX = 200,
    TOLL_BESIDE = 4, /* one near a bed */
    RUN_MAX = 3,
};

#define FORD_MAX_M  TERRANE_PATH_FORD_M
#define FORD_M      0.1 /* above the water, at least */
#define FORD_RISE_M 1.0 /* ... at most */
#define BRIDGE_M    1.0

/* A straight part of a line, and the pieces of rivers around it. */
struct leg {
    int64_t x, y;  /* fine units: absolute */
    double ux, uy; /* to its end */
    double from, length;
};

/* What widths are times where lines cross: as wide as water gets, and as beds are cut through paths (drain/carve.c). */
static float widened(const struct terrane_recipe *recipe)
{
    return recipe->generator >= 16 ? RIVER_WIDENED : 1;
}

/* ---- The way ------------------------------------------------------------------------------------------- */

/* The toll of a river of so many m3/s. 0: it is never shown. */
static int toll_of(const struct lines *lines, float discharge)
{
    const struct terrane_recipe *recipe = lines->recipe;
    const double width_m = (double)recipe->rivers.width * __builtin_sqrt((double)discharge);
    const double sample_m = recipe->spacing_m * (double)(INT64_C(1) << lines->scale.level);
    if (width_m < (double)RIVER_BROAD * recipe->spacing_m)
        return 0;
    const double toll = TOLL + TOLL * (width_m / sample_m);
    return toll < TOLL_MAX ? (int)toll : TOLL_MAX;
}

/* How far around a bed's samples others have a toll. Water is looked for only under segments of which an end is nearest to a sample with one.
 * Before generator 13 those are all that are over or beside water; since then a wide river's bed may be narrower than the width that crossings count
 * with (drain/banks.c), so that a segment over the rest of it is passed by; since 16 all segments are looked at. */
static int near_samples(const struct lines *lines)
{
    const double sample = (double)(INT64_C(1) << lines->scale.sample_log2);
    return 3 + (int)(lines->scale.reach / sample);
}

int path_tolls(struct lines *lines, const float *ground, const struct terrane_memory *memory)
{
    const int width = lines->needs->width, height = lines->needs->height, near = near_samples(lines);
    float *surface = lines->level, *discharge = surface + samples_of(lines->needs);
    const int error =
        terrane_rivers_apply(lines->world, lines->needs, lines->drained, memory, NULL, surface, discharge);
    if (error != 0)
        return error;
    memset(lines->toll, 0, samples_of(lines->needs));
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            const size_t k = index_of(lines, i, j);
            const int toll = discharge[k] > 0 ? toll_of(lines, discharge[k]) : 0;
            surface[k] = surface[k] > ground[k] ? surface[k] : ground[k];
            if (toll == 0)
                continue;
            for (int y = j > near ? j - near : 0; y <= min_int(j + near, height - 1); y++)
                for (int x = i > near ? i - near : 0; x <= min_int(i + near, width - 1); x++)
                    if (lines->toll[index_of(lines, x, y)] == 0)
                        lines->toll[index_of(lines, x, y)] = TOLL_BESIDE;
            lines->toll[k] = (uint8_t)toll;
        }
    lines->ground = surface;
    return 0;
}

/* ---- Water under a part ---------------------------------------------------------------------------------- */

/* Clips from .. to to low <= at + t * step <= high. */
static bool held(double at, double step, double low, double high, double *from, double *to)
{
    if (step == 0)
        return at >= low && at <= high;
    const double a = (low - at) / step, b = (high - at) / step;
    *from = max_double(*from, min_double(a, b));
    *to = min_double(*to, max_double(a, b));
    return *from <= *to;
}

/* The part of a leg, 0 .. 1, within r of a place, (x, y) from its start. */
static bool near_place(const struct leg *leg, double x, double y, double r, double *from, double *to)
{
    const double a = leg->ux * leg->ux + leg->uy * leg->uy, b = leg->ux * x + leg->uy * y;
    const double d = b * b - a * (x * x + y * y - r * r);
    if (!(d >= 0))
        return false;
    const double root = __builtin_sqrt(d);
    *from = max_double(0, (b - root) / a);
    *to = min_double(1, (b + root) / a);
    return *from <= *to;
}

/* ... within r of a river's piece: its ends' discs and the area between are one convex figure. */
static bool near_piece(const struct leg *leg, const struct river_piece *piece, double r, double *from,
                       double *to)
{
    const double x = (double)(piece->from.x - leg->x), y = (double)(piece->from.y - leg->y);
    const double ex = (double)(piece->to.x - piece->from.x), ey = (double)(piece->to.y - piece->from.y);
    const double e2 = ex * ex + ey * ey, wide = r * __builtin_sqrt(e2);
    double f, t;
    *from = 1;
    *to = 0;
    for (int end = 0; end < 2; end++)
        if (near_place(leg, x + end * ex, y + end * ey, r, &f, &t)) {
            *from = min_double(*from, f);
            *to = max_double(*to, t);
        }
    f = 0;
    t = 1;
    if (e2 > 0 && held(-x * ex - y * ey, leg->ux * ex + leg->uy * ey, 0, e2, &f, &t) &&
        held(y * ex - x * ey, leg->ux * ey - leg->uy * ex, -wide, wide, &f, &t)) {
        *from = min_double(*from, f);
        *to = max_double(*to, t);
    }
    return *from <= *to;
}

/* The water level of a piece at its point nearest to a place of a leg, in units. */
static double water_at(const struct lines *lines, const struct leg *leg, const struct river_piece *piece,
                       double t)
{
    const double x = (double)(leg->x - piece->from.x) + t * leg->ux,
                 y = (double)(leg->y - piece->from.y) + t * leg->uy;
    const double ex = (double)(piece->to.x - piece->from.x), ey = (double)(piece->to.y - piece->from.y);
    const double e2 = ex * ex + ey * ey,
                 along = e2 > 0 ? min_double(max_double((x * ex + y * ey) / e2, 0), 1) : 0;
    const double z = piece->from.z + along * ((double)piece->to.z - piece->from.z);
    return z * lines->river_units;
}

/* ---- Pieces around a leg --------------------------------------------------------------------------------- */

/* Called with every piece that might be near: half of its river's width. */
typedef bool visit_piece(struct lines *lines, const struct leg *leg, const struct river_piece *piece,
                         double half);

static bool visit_cell(struct lines *lines, const struct leg *leg, size_t at, uint64_t min,
                       visit_piece *visit)
{
    const struct terrane_recipe *recipe = lines->recipe;
    const double fine_m = recipe->spacing_m / (1 << PATH_FINE_LOG2);
    const double max_m = recipe->spacing_m * (double)((int64_t)RIVER_CELLS_MAX << recipe->rivers.bottom);
    const float width_m = river_width_m(recipe, terrane_drained_cell(lines->drained, at).runoff);
    const double half_m = min_double((double)(widened(recipe) * width_m), max_m) / 2;
    struct river_piece piece[RIVER_PIECES + 1];
    if ((double)width_m < (double)RIVER_BROAD * recipe->spacing_m)
        return true;
    const int pieces = river_pieces(lines->world, lines->drained, at, min, piece);
    for (int k = 0; k < pieces; k++)
        if (!visit(lines, leg, &piece[k], half_m / fine_m))
            return false;
    return true;
}

static bool visit_around(struct lines *lines, const struct leg *leg, visit_piece *visit)
{
    const struct terrane_drained *drained = lines->drained;
    const uint64_t min = river_min(lines->recipe);
    const int bits = drained->window.level + PATH_FINE_LOG2, near = RIVER_NEAR_CELLS;
    const int64_t ex = leg->x + (int64_t)leg->ux, ey = leg->y + (int64_t)leg->uy;
    const int64_t west = ((leg->x < ex ? leg->x : ex) >> bits) - near - drained->window.gi,
                  east = ((leg->x < ex ? ex : leg->x) >> bits) + 1 + near - drained->window.gi,
                  north = ((leg->y < ey ? leg->y : ey) >> bits) - near - drained->window.gj,
                  south = ((leg->y < ey ? ey : leg->y) >> bits) + 1 + near - drained->window.gj;
    for (int64_t j = north; j <= south; j++)
        for (int64_t i = west; i <= east; i++) {
            const size_t at = (size_t)(j * drained->window.width + i);
            if (river_at(drained, at, min) && !(terrane_drained_cell(drained, at).to & TERRANE_DRAIN_LAKE) &&
                !visit_cell(lines, leg, at, min, visit))
                return false;
        }
    return true;
}

static bool has_toll(const struct lines *lines, const struct place *place)
{
    const int bits = lines->scale.sample_log2;
    const int64_t half = INT64_C(1) << (bits - 1);
    return lines->toll[index_of(lines, (lines->origin.x + place->x + half) >> bits,
                                (lines->origin.y + place->y + half) >> bits)] != 0;
}

/* Visits the pieces around all legs of a line; false: one visit was false. */
static bool visit_legs(struct lines *lines, const struct place *place, int n, visit_piece *visit)
{
    const int64_t sample = INT64_C(1) << lines->scale.sample_log2;
    const int64_t west = lines->needs->gi * sample + lines->origin.x,
                  north = lines->needs->gj * sample + lines->origin.y;
    for (lines->leg = 0; lines->leg + 1 < n; lines->leg++) {
        const struct place a = place[lines->leg], b = place[lines->leg + 1];
        const struct leg leg = {west + a.x,
                                north + a.y,
                                (double)(b.x - a.x),
                                (double)(b.y - a.y),
                                lines->along[lines->leg],
                                __builtin_sqrt(length2(a, b))};
        const bool looks = lines->recipe->generator >= 16 || has_toll(lines, &a) || has_toll(lines, &b);
        if (looks && !visit_around(lines, &leg, visit))
            return false;
    }
    return true;
}

/* ---- Crossings ------------------------------------------------------------------------------------------- */

/* Min distance of points. */
static double min_apart(const struct lines *lines)
{
    return (double)(INT64_C(1) << lines->scale.sample_log2) / 8;
}

/* Inserts a crossing in order; it and those within apart become one. */
static bool add_crossing(struct lines *lines, struct crossing one, double apart)
{
    int first = 0, behind;
    while (first < lines->crossings && lines->crossing[first].to < one.from - apart)
        first++;
    for (behind = first; behind < lines->crossings && lines->crossing[behind].from <= one.to + apart;
         behind++) {
        const struct crossing *other = &lines->crossing[behind];
        one.from = min_double(one.from, other->from);
        one.to = max_double(one.to, other->to);
        one.breadth = max_double(one.breadth, other->breadth);
        one.water = max_double(one.water, other->water);
    }
    if (first == behind && lines->crossings == CROSSINGS_MAX)
        return false;
    memmove(lines->crossing + first + 1, lines->crossing + behind,
            (size_t)(lines->crossings - behind) * sizeof one);
    lines->crossing[first] = one;
    lines->crossings += 1 - (behind - first);
    return true;
}

static bool meet_piece(struct lines *lines, const struct leg *leg, const struct river_piece *piece,
                       double half)
{
    double from, to;
    if (!near_piece(leg, piece, half + lines->scale.half, &from, &to))
        return true;
    const struct crossing crossing = {.from = leg->from + from * leg->length,
                                      .to = leg->from + to * leg->length,
                                      .breadth = 2 * half,
                                      .water = water_at(lines, leg, piece, (from + to) / 2)};
    return add_crossing(lines, crossing, 0);
}

/* Moves a place on a line outwards, step 1 or -1, to a point or far enough from both neighbours. */
static double snap(const struct lines *lines, int n, double at, int step)
{
    const double apart = min_apart(lines);
    int k = 0;
    while (k + 2 < n && lines->along[k + 1] <= at)
        k++;
    const double low = lines->along[k], high = lines->along[k + 1];
    if (step < 0)
        return at < low + apart || high - low < 2 * apart ? low : min_double(at, high - apart);
    return at <= low ? low : at > high - apart || high - low < 2 * apart ? high : max_double(at, low + apart);
}

static bool narrow(const struct lines *lines, const struct crossing *crossing)
{
    return crossing->breadth * (lines->recipe->spacing_m / (1 << PATH_FINE_LOG2)) <=
           (double)(widened(lines->recipe) * (float)FORD_MAX_M); /* rounded as widths are */
}

/* Widens crossings to possible points; those that then meet become one. false: the line runs along a river, or a node is in it. */
static bool settle_crossings(struct lines *lines, int n)
{
    const double end = lines->along[n - 1], apart = min_apart(lines);
    const int count = lines->crossings;
    struct crossing all[CROSSINGS_MAX];
    for (int k = 0; k < count; k++)
        all[k] = lines->crossing[k];
    lines->crossings = 0;
    for (int k = 0; k < count; k++) {
        struct crossing one = all[k];
        if (one.to - one.from > RUN_MAX * (one.breadth + 2 * lines->scale.half))
            return false;
        one.from = snap(lines, n, max_double(one.from - apart, 0), -1);
        one.to = snap(lines, n, min_double(one.to + apart, end), 1);
        if (((one.from <= 0 || one.to >= end) && !narrow(lines, &one)) || !add_crossing(lines, one, apart))
            return false;
    }
    return true;
}

/* ---- The line with its crossings ------------------------------------------------------------------------- */

static void measure(struct lines *lines, const struct place *place, int n)
{
    lines->along[0] = 0;
    for (int k = 0; k + 1 < n; k++)
        lines->along[k + 1] = lines->along[k] + __builtin_sqrt(length2(place[k], place[k + 1]));
}

/* Inserts a point wherever a crossing begins or ends between two. Returns the new number; 0: too many. */
static int cut_in(struct lines *lines, const struct place *in, int n, struct place *out)
{
    int count = 0, c = 0;
    bool over = false;
    for (int k = 0; k < n; k++) {
        const double from = lines->along[k], to = k + 1 < n ? lines->along[k + 1] : from;
        if (count == lines->points_max)
            return 0;
        out[count++] = in[k];
        for (; c < lines->crossings; c += !over) {
            const double at = over ? lines->crossing[c].to : lines->crossing[c].from;
            if (at > from && at >= to)
                break;
            lines->over[count - 1] = over;
            if (at > from) {
                if (count == lines->points_max)
                    return 0;
                out[count++] = place_at(in[k], in[k + 1], (at - from) / (to - from));
            }
            over = !over;
        }
        lines->over[count - 1] = over;
    }
    return count;
}

/* Min heights of lines over crossings, and max heights at fords. */
static void lay_decks(struct lines *lines, int n)
{
    int c = -1;
    for (int k = 0; k < n; k++) {
        c += lines->over[k] && (k == 0 || !lines->over[k - 1]);
        lines->deck[k] = PATH_NO_WATER;
        lines->ford[k] = PATH_NO_FORD;
        if (!path_crosses(lines, k))
            continue;
        const bool ford = narrow(lines, &lines->crossing[c]);
        lines->deck[k] = lines->crossing[c].water + (ford ? FORD_M : BRIDGE_M) / lines->scale.unit_m;
        lines->ford[k] = ford ? lines->deck[k] : PATH_NO_FORD;
    }
}

/* Lifts a line to the water beside it. */
static bool lift_beside(struct lines *lines, const struct leg *leg, const struct river_piece *piece,
                        double half)
{
    const double cell = (double)(INT64_C(1) << (lines->drained->window.level + PATH_FINE_LOG2));
    double from, to;
    if (near_piece(leg, piece, half + min_double(lines->scale.reach, cell), &from, &to)) {
        const double water = water_at(lines, leg, piece, (from + to) / 2);
        for (int k = lines->leg; k < lines->leg + 2; k++)
            lines->deck[k] = max_double(lines->deck[k], water);
    }
    return true;
}

int path_rivers(struct lines *lines, const struct terrane_path_node *p, int n)
{
    lines->origin = place_of(lines, p);
    lines->crossings = 0;
    measure(lines, lines->other, n);
    if (!visit_legs(lines, lines->other, n, meet_piece) || !settle_crossings(lines, n))
        return 0;
    const int count = cut_in(lines, lines->other, n, lines->place);
    for (int k = 0; k < count; k++)
        lines->other[k] = lines->place[k];
    if (count == 0)
        return 0;
    measure(lines, lines->other, count);
    lay_decks(lines, count);
    (void)visit_legs(lines, lines->other, count, lift_beside);
    return count;
}

/* Makes bridges of crossings that are too wide, or that the line passes too high above. */
void path_bridges(struct lines *lines, int n)
{
    int c = 0;
    for (int k = 0, end; k < n; k = end + 1) {
        for (end = k; end < n && lines->over[end]; end++)
            ;
        if (end == k)
            continue;
        bool ford = narrow(lines, &lines->crossing[c++]);
        for (int i = k; i <= end; i++)
            ford = ford &&
                   lines->point[i].height <= lines->ford[i] + (FORD_RISE_M - FORD_M) / lines->scale.unit_m;
        for (int i = k; i < end; i++)
            lines->point[i].over = ford ? TERRANE_PATH_FORD : TERRANE_PATH_BRIDGE;
    }
}
