/*
 * Sine and cosine that are the same to the last bit on every machine: sums and products of doubles, and no
 * libm.
 */
#ifndef TERRANE_SERVER_EXACT_ANGLE_H
#define TERRANE_SERVER_EXACT_ANGLE_H

struct exact_angle {
    double cosine, sine;
};

/* Of an angle in turns, |turns| < 2^40: degrees / 360. Error below 1e-15; multiples of an eighth of a turn
 * have the signs and zeros, and multiples of a quarter the values, that they ought to have. */
struct exact_angle exact_angle(double turns);

#endif
