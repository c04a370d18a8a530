/*
 * Islands, and the way that ranges run.
 */
#include "around.h"

enum {
    SIDE = 2 * AROUND_REACH + 1,
    SAMPLES = SIDE * SIDE,
    SPECK = 2 /* samples that an island has at least */
};

bool around_is_island(const float *number, int width, int at)
{
    const float *corner = number + at - AROUND_REACH * (width + 1);
    bool seen[SAMPLES] = {false};
    int stack[SAMPLES], depth = 0, count = 0;
    stack[depth++] = SAMPLES / 2;
    seen[SAMPLES / 2] = true;
    while (depth > 0) {
        const int here = stack[--depth], x = here % SIDE, y = here / SIDE;
        if (x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1)
            return false;
        count++;
        for (int k = 0; k < 9; k++) {
            const int u = x + k % 3 - 1, v = y + k / 3 - 1, next = v * SIDE + u;
            if (seen[next] || !(corner[v * width + u] >= 0))
                continue;
            seen[next] = true;
            stack[depth++] = next;
        }
    }
    return count >= SPECK;
}

void around_run(const float *number, int width, int at, float run[2])
{
    double sum = 0, along = 0, across = 0;
    for (int y = -AROUND_REACH; y <= AROUND_REACH; y++)
        for (int x = -AROUND_REACH; x <= AROUND_REACH; x++)
            sum += (double)number[at + y * width + x];
    const double mean = sum / SAMPLES;
    for (int y = -AROUND_REACH; y <= AROUND_REACH; y++)
        for (int x = -AROUND_REACH; x <= AROUND_REACH; x++) {
            const double over = (double)number[at + y * width + x] - mean;
            if (!(over > 0))
                continue;
            along += over * (x * x - y * y);
            across += over * (2 * x * y);
        }
    run[0] = (float)along;
    run[1] = (float)across;
}
