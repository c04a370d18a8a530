/*
 * What the tests of prefetch plans share: plans of bodies, and tiles compared.
 */
#ifndef TERRANE_TESTS_PREFETCH_KIT_H
#define TERRANE_TESTS_PREFETCH_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../server/http/prefetch.h"
#include "names_kit.h"

enum { ROOM = PREFETCH_TILES_MOST };

/* The body in a block of its length; plan->tile is NULL where it is refused. */
static inline unsigned read_bytes(struct prefetch_plan *plan, const char *text, size_t bytes, size_t most,
                                  const char **parameter, char detail[static TARGET_DETAIL_BYTES])
{
    char *exact = malloc(bytes ? bytes : 1);
    assert_non_null(exact);
    memcpy(exact, text, bytes);
    *plan = (struct prefetch_plan){0};
    *parameter = "nothing";
    const unsigned status = prefetch_read(plan, exact, bytes, most, &names, parameter, detail);
    free(exact);
    return status;
}

__attribute__((format(printf, 2, 3))) static inline struct prefetch_plan plan_of(size_t most,
                                                                                 const char *format, ...)
{
    char body[PREFETCH_BODY_BYTES], detail[TARGET_DETAIL_BYTES];
    const char *parameter;
    struct prefetch_plan plan;
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(body, sizeof body, format, arguments);
    va_end(arguments);
    assert_in_range(n, 1, sizeof body - 1);
    if (read_bytes(&plan, body, (size_t)n, most, &parameter, detail) != 0)
        fail_msg("%s: %s", body, detail);
    assert_non_null(plan.tile);
    assert_true(plan.count <= most && plan.count <= plan.wanted && plan.wanted <= PREFETCH_TILES_MOST);
    return plan;
}

static inline bool tiles_equal(const struct prefetch_tile *a, const struct prefetch_tile *b)
{
    return a->level == b->level && a->x == b->x && a->y == b->y;
}

#endif
