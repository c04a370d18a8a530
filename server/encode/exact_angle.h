/* Sine and cosine, bit for bit the same on every machine: sums and products of doubles, no libm. */
#ifndef TERRANE_SERVER_EXACT_ANGLE_H
#define TERRANE_SERVER_EXACT_ANGLE_H

struct exact_angle {
    double cosine, sine;
};

/* Sine and cosine of an angle in turns (degrees / 360), |turns| < 2^40. Error below 1e-15; multiples of an
 * eighth of a turn have the exact signs and zeros, and multiples of a quarter the exact values. */
struct exact_angle exact_angle(double turns);

#endif
