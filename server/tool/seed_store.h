/*
 * Reaching a Valkey or Redis (the store) from a tool, and what is to be thought of its errors: those that pass are waited
 * for, the others are said at once.
 */
#ifndef TERRANE_SERVER_SEED_STORE_H
#define TERRANE_SERVER_SEED_STORE_H

#include "../cache/remote_line.h"

enum seed_store_answer {
    STORE_REACHED,
    STORE_AWAY,   /* cannot be reached, or not now */
    STORE_FORBIDS /* will not let us in: a wrong password or none, no such database */
};

/*
 * Looks the host up (for as long as that takes: a store that comes back may be elsewhere), connects, signs in, and has a
 * PING answered: a client that has to sign in is told so by the first command alone, and by a short one, since to strangers the
 * store listens no longer. *line: owned; NULL with why, which holds no secret.
 */
enum seed_store_answer seed_store_reach(struct line **line, const struct remote_url *url,
                                        const struct line_trust *trust, uint64_t deadline_ns,
                                        char why[LINE_ERROR_BYTES]);

#endif
