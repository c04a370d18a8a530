/*
 * One pass over the points an opening.
 */
#include "dividers.h"

#include <math.h>
#include <stdbool.h>

static double dot(struct point a, struct point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct point minus(struct point a, struct point b)
{
    return (struct point){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* Where the segment from a (within the opening of the centre) to b (not within it) leaves the sphere. */
static struct point leave(struct point centre, struct point a, struct point b, double opening)
{
    const struct point way = minus(b, a), from = minus(a, centre);
    const double ww = dot(way, way), wf = dot(way, from), rest = opening * opening - dot(from, from);
    const double root = sqrt(fmax(0, wf * wf + ww * rest));
    const double t = ww > 0 ? fmin(1, fmax(0, (root - wf) / ww)) : 1;
    return (struct point){a.x + t * way.x, a.y + t * way.y, a.z + t * way.z};
}

double dividers_walk(const struct point *curve, size_t points, double opening, int backwards)
{
    const struct point last = curve[backwards ? 0 : points - 1];
    struct point centre = curve[backwards ? points - 1 : 0], before = centre;
    double steps = 0;

    for (size_t k = 1; k < points;) {
        const struct point next = curve[backwards ? points - 1 - k : k], far = minus(next, centre);
        if (dot(far, far) < opening * opening) {
            before = next;
            k++;
            continue;
        }
        centre = before =
            leave(centre, before, next, opening); /* the next step may end in the same segment */
        steps++;
    }
    const struct point rest = minus(last, centre);
    return steps * opening + sqrt(dot(rest, rest));
}

struct dividers dividers_measure(const struct point *curve, size_t points, double narrow, double wide,
                                 int openings)
{
    struct dividers out = {.openings = openings};
    double x[DIVIDERS_OPENINGS_MAX], y[DIVIDERS_OPENINGS_MAX];

    for (int k = 0; k < openings; k++) {
        const double opening = narrow * pow(wide / narrow, (double)k / (openings - 1));
        out.opening[k] = opening;
        out.length[k] =
            (dividers_walk(curve, points, opening, false) + dividers_walk(curve, points, opening, true)) / 2;
        x[k] = log2(opening);
        y[k] = log2(out.length[k]);
    }
    out.fit = fit_line(x, y, openings);
    out.dimension = 1 - out.fit.slope;
    return out;
}
