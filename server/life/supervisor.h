/*
 * The service manager (systemd): its sockets, readiness, reloading, its watchdog. Without one every call does nothing.
 */
#ifndef TERRANE_SERVER_SUPERVISOR_H
#define TERRANE_SERVER_SUPERVISOR_H

#include <stddef.h>
#include <stdint.h>

/*
 * The listening sockets that were passed: *public and *admin, -1 if there is none. By name (FileDescriptorName=) "terrane"
 * and "terrane-admin"; an unnamed or otherwise named first one is the public one, a second the admin one. Makes them
 * non-blocking and close-on-exec. Returns 0, or -1 with one line in error: one is no listening TCP socket, or there are more
 * than two.
 */
int supervisor_sockets(int *public, int *admin, char *error, size_t error_bytes);

/* Reports the server's state. status: one line for people. */
void supervisor_ready(const char *status);
void supervisor_reloading(void);
void supervisor_stopping(void);

/* Interval of watchdog reports in ms (half of the limit); 0: none. */
uint64_t supervisor_watchdog_ms(void);
void supervisor_alive(void);

#endif
