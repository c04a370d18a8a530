/*
 * The fades S3 and S5 and their derivatives, t in [0, 1]; plain binary32, for scalars and lanes alike.
 *
 * S3 is smoothstep, S5 Perlin's 2002 fade: 0 at 0, 1 at 1, one and two vanishing derivatives at both ends.
 * Macros, because one text must serve float and lane_f; arguments are evaluated several times.
 */
#ifndef TERRANE_FADE_H
#define TERRANE_FADE_H

#define FADE3(t)       (((t) * (t)) * (3.0f - 2.0f * (t)))
#define FADE3_SLOPE(t) ((6.0f * (t)) * (1.0f - (t)))
#define FADE5(t)       ((((t) * (t)) * (t)) * ((t) * ((t)*6.0f - 15.0f) + 10.0f))
#define FADE5_SLOPE(t) (((30.0f * (t)) * (t)) * ((1.0f - (t)) * (1.0f - (t))))

#endif
