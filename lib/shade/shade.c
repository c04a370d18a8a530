/*
 * Angles of ground, and hillshade. A sample's output is a function of that sample's inputs; a lane is a sample.
 */
#include "light.h"

/* ---- Slope --------------------------------------------------------------------------------------------- */

/*
 * atan(q) in degrees, q in 0 .. 1: of the odd polynomials of degree 13 nearly the one whose greatest error is
 * least, 1.6e-5 degrees. 0 at 0.
 */
LANE_FN lane_f arc_degrees(lane_f q)
{
    const lane_f s = q * q;
    lane_f p = all(0.39028698f);
    p = p * s - all(1.92538f);
    p = p * s + all(4.5621004f);
    p = p * s - all(7.5821466f);
    p = p * s + all(11.349042f);
    p = p * s - all(19.089445f);
    p = p * s + all(57.295555f);
    return p * q;
}

/* Of the angle and the one that makes 90 degrees with it, the polynomial takes the smaller. */
LANE_FN lane_f slope_degrees(struct normal_lanes n)
{
    const lane_f rise = lane_sqrt(n.east * n.east + n.south * n.south); /* over a run of n.up */
    const lane_i steep = rise > n.up;
    const lane_f arc = arc_degrees(lane_select(steep, n.up, rise) / lane_select(steep, rise, n.up));
    return lane_select(steep, all(90.0f) - arc, arc);
}

void terrane_slopes(const float *normals, size_t count, float *degrees)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        lane_store(degrees + i, slope_degrees(normals_load(normals + 3 * i)));
    if (i == count)
        return;
    const lane_f rest = slope_degrees(normals_load_rest(normals + 3 * i, count - i));
    for (size_t k = 0; i + k < count; k++)
        degrees[i + k] = rest[k];
}

/* ---- Aspect -------------------------------------------------------------------------------------------- */

/* What leans to the east of the normal leans down to the east: from north to it, by the nearer axis and then by quadrants. */
LANE_FN lane_f aspect_degrees(struct normal_lanes n)
{
    const lane_f east = lane_abs(n.east), south = lane_abs(n.south);
    const lane_i wide = east > south;
    const lane_f max = lane_select(wide, east, south), none = all(0.0f);
    const lane_f arc = arc_degrees(lane_select(wide, south, east) / lane_select(max > none, max, all(1.0f)));
    lane_f angle = lane_select(wide, all(90.0f) - arc, arc);
    angle = lane_select(n.south > none, all(180.0f) - angle, angle);
    angle = lane_select(n.east < none, all(360.0f) - angle, angle);
    return lane_where(angle < all(360.0f), angle);
}

void terrane_aspects(const float *normals, size_t count, float *degrees)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        lane_store(degrees + i, aspect_degrees(normals_load(normals + 3 * i)));
    if (i == count)
        return;
    const lane_f rest = aspect_degrees(normals_load_rest(normals + 3 * i, count - i));
    for (size_t k = 0; i + k < count; k++)
        degrees[i + k] = rest[k];
}

/* ---- Hillshade ----------------------------------------------------------------------------------------- */

LANE_FN lane_i shade_grey(struct normal_lanes n)
{
    return round_to_byte(n.up * all(255.0f * SUN_UP) - (n.east + n.south) * all(127.5f));
}

void terrane_hillshade(int level, const float *normals, size_t count, uint8_t *shade)
{
    const float times = steepness_lit[level];
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const lane_i grey = shade_grey(steepen(normals_load(normals + 3 * i), times));
        for (size_t k = 0; k < LANES; k++)
            shade[i + k] = (uint8_t)grey[k];
    }
    if (i == count)
        return;
    const lane_i rest = shade_grey(steepen(normals_load_rest(normals + 3 * i, count - i), times));
    for (size_t k = 0; i + k < count; k++)
        shade[i + k] = (uint8_t)rest[k];
}
