/*
 * The course of a line: a way over samples, made smooth.
 */
#include "course.h"

void course_means(struct place *place, int n)
{
    struct place before = place[1];
    for (int k = 2; k < n - 2; k++) {
        const struct place own = place[k];
        place[k].x = (before.x + 2 * own.x + place[k + 1].x) >> 2;
        place[k].y = (before.y + 2 * own.y + place[k + 1].y) >> 2;
        before = own;
    }
}

int course_cut(const struct place *in, int n, struct place *out)
{
    int count = 0;
    out[count++] = in[0];
    for (int k = 0; k + 1 < n; k++) {
        const struct place a = in[k], b = in[k + 1];
        if (k > 0)
            out[count++] = (struct place){(3 * a.x + b.x) >> 2, (3 * a.y + b.y) >> 2};
        if (k + 2 < n)
            out[count++] = (struct place){(a.x + 3 * b.x) >> 2, (a.y + 3 * b.y) >> 2};
    }
    out[count++] = in[n - 1];
    return count;
}

int course_thin(const struct place *in, int n, double sample, struct place *out, int max)
{
    int count = 0;
    out[count++] = in[0];
    for (int k = 1; k < n; k++) {
        const struct place a = out[count - 1], b = in[k];
        const bool last = k == n - 1;
        if (!last &&
            (length2(a, b) < 1.5625 * sample * sample || length2(b, in[n - 1]) < 1.5625 * sample * sample))
            continue;
        const int64_t parts = 1 + (int64_t)(__builtin_sqrt(length2(a, b)) / (2 * sample));
        for (int64_t p = 1; p <= parts; p++) {
            if (count == max)
                return 0;
            out[count++] = (struct place){a.x + (b.x - a.x) * p / parts, a.y + (b.y - a.y) * p / parts};
        }
    }
    return count;
}
