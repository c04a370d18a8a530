/*
 * What is said on standard error: errors, and progress when that is a terminal.
 */
#ifndef TERRANE_ANALYZE_SAY_H
#define TERRANE_ANALYZE_SAY_H

#include <stdint.h>

/* One line "terrane analyze: ..."; printf's format, without the line feed. */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Progress is one line that overwrites itself: what, and how much of it is done in percent. Nothing is
 * printed where standard error is no terminal. say_done removes the line; say_error does it, too.
 */
void say_progress(const char *what, int64_t done, int64_t all);
void say_done(void);

#endif
