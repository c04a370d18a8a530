/*
 * The log: one line an event on standard error, from any thread.
 *
 *     2026-11-21T03:25:55.123Z warning cache: the disk is full; serving from memory until there is space
 */
#ifndef TERRANE_SERVER_LOG_H
#define TERRANE_SERVER_LOG_H

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG, LOG_LEVELS };

extern const char *const log_level_name[LOG_LEVELS];

/* Any thread. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/*
 * Writes one line of at most 1024 bytes; control characters and invalid UTF-8 become "?". part: the component ("cache").
 */
void log_write(enum log_level level, const char *part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
