/*
 * The service manager's protocols, by libsystemd: sockets (LISTEN_FDS), notices (NOTIFY_SOCKET), watchdog
 * (WATCHDOG_USEC).
 *
 * Each is an environment variable; libsystemd reads it with every call and does nothing if it is not set.
 * Those of the sockets are removed from the environment, so that no child uses them; the others stay.
 */
#include "supervisor.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "../base/text.h"
#include "../observe/log.h"

enum { SOCKETS = 2, STATUS_BYTES = 400 };

/* ---- Sockets ------------------------------------------------------------------------------------------- */

/* A socket unit without FileDescriptorName= passes its own name, with this at the end. */
static bool is_named(const char *name, const char *wanted)
{
    const size_t bytes = strlen(wanted);
    return strncmp(name, wanted, bytes) == 0 && (!name[bytes] || strcmp(name + bytes, ".socket") == 0);
}

static bool is_listening_tcp(int fd)
{
    return sd_is_socket_inet(fd, AF_INET, SOCK_STREAM, 1, 0) > 0 ||
           sd_is_socket_inet(fd, AF_INET6, SOCK_STREAM, 1, 0) > 0;
}

static bool make_quiet(int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

static int check_socket(int fd, const char *name, char *error, size_t error_bytes)
{
    char shown[TEXT_SHOWN_BYTES];
    if (is_listening_tcp(fd) && make_quiet(fd))
        return 0;
    text_show(shown, sizeof shown, name);
    snprintf(error, error_bytes,
             "descriptor %d (%s) from the service manager: allowed is a listening TCP socket (ListenStream=)",
             fd, shown);
    return -1;
}

/* Places named sockets first; others take the remaining places, the public one first. */
static int place_sockets(int count, char *const *name, int socket[SOCKETS], char *error, size_t error_bytes)
{
    static const char *const known[SOCKETS] = {"terrane", "terrane-admin"};
    bool placed[SOCKETS] = {false};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < SOCKETS; k++) {
            if (!is_named(name[i], known[k]))
                continue;
            if (socket[k] >= 0) {
                snprintf(error, error_bytes,
                         "two descriptors from the service manager are named \"%s\": allowed is one",
                         known[k]);
                return -1;
            }
            socket[k] = SD_LISTEN_FDS_START + i;
            placed[i] = true;
        }
    for (int i = 0; i < count; i++)
        if (!placed[i])
            socket[socket[0] < 0 ? 0 : 1] = SD_LISTEN_FDS_START + i;
    return 0;
}

static int take_sockets(int count, char *const *name, int socket[SOCKETS], char *error, size_t error_bytes)
{
    if (count < 0) {
        snprintf(error, error_bytes, "LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES: %s", strerror(-count));
        return -1;
    }
    if (count > SOCKETS) {
        snprintf(error, error_bytes,
                 "%d descriptors from the service manager: allowed are two, terrane and terrane-admin",
                 count);
        return -1;
    }
    for (int i = 0; i < count; i++)
        if (check_socket(SD_LISTEN_FDS_START + i, name[i], error, error_bytes) != 0)
            return -1;
    return place_sockets(count, name, socket, error, error_bytes);
}

int supervisor_sockets(int *public, int *admin, char *error, size_t error_bytes)
{
    char **name = NULL;
    int socket[SOCKETS] = {-1, -1};
    const int count = sd_listen_fds_with_names(1, &name);
    const int failed = take_sockets(count, name, socket, error, error_bytes);
    for (int i = 0; i < count && name; i++)
        free(name[i]);
    free(name);
    if (failed)
        return -1;
    *public = socket[0];
    *admin = socket[1];
    return 0;
}

/* ---- Notices ------------------------------------------------------------------------------------------- */

/* A notice is lines of NAME=value: a status must not contain another line. */
static void clean(char line[STATUS_BYTES], const char *status)
{
    snprintf(line, STATUS_BYTES, "%s", status ? status : "");
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
}

void supervisor_ready(const char *status)
{
    char line[STATUS_BYTES];
    clean(line, status);
    const int sent = sd_notifyf(0, "READY=1\nSTATUS=%s\nMAINPID=%ld", line, (long)getpid());
    if (sent < 0)
        log_write(LOG_WARNING, "serve", "cannot tell the service manager: %s", strerror(-sent));
}

/* MONOTONIC_USEC lets managers distinguish reloads (systemd 253, Type=notify-reload). */
void supervisor_reloading(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64 "\nSTATUS=reading the configuration again",
               (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
}

void supervisor_stopping(void)
{
    sd_notify(0, "STOPPING=1\nSTATUS=finishing requests under way");
}

/* ---- Watchdog ------------------------------------------------------------------------------------------ */

uint64_t supervisor_watchdog_ms(void)
{
    uint64_t allowed_us = 0;
    if (sd_watchdog_enabled(0, &allowed_us) <= 0)
        return 0;
    const uint64_t ms = allowed_us / 2000;
    return ms ? ms : 1;
}

void supervisor_alive(void)
{
    sd_notify(0, "WATCHDOG=1");
}
