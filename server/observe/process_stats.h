/*
 * What the system tells of this process: memory, descriptors, processor time.
 */
#ifndef TERRANE_SERVER_PROCESS_STATS_H
#define TERRANE_SERVER_PROCESS_STATS_H

#include <stdbool.h>
#include <stdint.h>

/* A has_ that is false: the system does not tell, as where /proc is not mounted. */
struct process_stats {
    bool has_start, has_resident, has_descriptors, has_descriptors_most;
    double start_s; /* since the epoch */
    double cpu_s;   /* of user and system */
    uint64_t resident_bytes;
    uint64_t descriptors, descriptors_most;
};

/* Reads them: some 50 us, and more with thousands of descriptors where the kernel is older than 6.2. Any thread. */
void process_stats_read(struct process_stats *out);

#endif
