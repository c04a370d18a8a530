/* What lies around the top of a kind's numbers (field.h), of which AROUND_REACH samples around it are there. */
#ifndef TERRANE_PEAK_AROUND_H
#define TERRANE_PEAK_AROUND_H

#include <stdbool.h>

enum { AROUND_REACH = 16 };

/* Whether what has numbers from 0 on, and hangs together with the top by sides and corners, ends before the border of what is there, and is no speck. */
bool around_is_island(const float *number, int width, int at);

/* Which way what is higher than its mean stretches: run[0] and run[1] are a length times the cosine and the sine of twice the angle, clockwise from east. */
void around_run(const float *number, int width, int at, float run[2]);

#endif
