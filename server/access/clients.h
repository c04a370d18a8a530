/*
 * Per-client limits: token buckets, open connections and bytes held for streams.
 *
 * A client is an address (of IPv6 its /64) or an API key, as 128 bits that nobody outside can choose freely: a keyed hash.
 * The table is of a fixed size. When it is full, it drops the least recently seen client of the set, unless that has
 * connections open or bytes held; dropping a client only ever gives tokens back.
 *
 * Threads: any; every call holds the lock of one shard for some ten nanoseconds. Only clients_create allocates.
 */
#ifndef TERRANE_SERVER_CLIENTS_H
#define TERRANE_SERVER_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "../observe/metrics.h"

/*
 * A bucket holds at most burst tokens and gains per_minute of them a minute. per_minute 0: no limit.
 *
 * One token admits a request, which then takes all that it costs: the bucket owes the rest, and admits no other request until
 * it is paid. So a request may cost more than any bucket holds.
 *
 * A token of BUCKET_RENDERS is worth CLIENTS_TOKEN_NS of CPU time: a tile takes one when it is asked for, and the rest of its
 * cost when that is known (clients_charge), to fractions of a token.
 */
struct rate {
    unsigned per_minute, burst;
};

struct client_id {
    uint64_t low, high;
};

struct clients;

/* The bucket that pays, and its rate. clients NULL: nothing is counted. */
struct payer {
    struct clients *clients;
    struct client_id client;
    struct rate rate;
};

/* Returns owned; NULL when memory is short. */
struct clients *clients_create(void);
void clients_free(struct clients *clients); /* NULL is fine */

/* The client at an address; of IPv4-mapped IPv6 addresses that of the IPv4 address. Other families are one client. */
struct client_id clients_of_address(const struct clients *clients, const struct sockaddr *address);

/* The client that holds a key, by 32 bytes that name it. */
struct client_id clients_of_key(const struct clients *clients, const unsigned char key[static 32]);

enum { CLIENTS_TOKENS_MAX = 1 << 16 /* of one request */, CLIENTS_TOKEN_NS = 20000000 };

/* CPU time that an admitted client may owe before more is done for it. */
enum { CLIENTS_DEBT_NS = 1000000000 };

/*
 * Takes tokens (at most CLIENTS_TOKENS_MAX) from a bucket at the rate, if it has at least min (1, or below where more may be owed).
 * Returns 0, or the milliseconds until there will be as many (at least 1, at most a minute for each that is missing), with none taken.
 * An unknown client has a full bucket. now_ns: uv_hrtime.
 */
unsigned clients_take(struct clients *clients, const struct client_id *id, enum metric_bucket bucket,
                      const struct rate *rate, int min, unsigned tokens, uint64_t now_ns);

/* Returns tokens to the bucket. */
void clients_give_back(struct clients *clients, const struct client_id *id, enum metric_bucket bucket,
                       const struct rate *rate, unsigned tokens);

/*
 * Takes CPU time from a bucket of renders, even if it has too little; its debt is at most CLIENTS_TOKENS_MAX tokens. Returns
 * clients_left_ns after that.
 */
int64_t clients_charge(const struct payer *payer, uint64_t cpu_ns, uint64_t now_ns);

/* CPU time that a bucket of renders has tokens for; below 0: its debt. INT64_MAX: no limit. */
int64_t clients_left_ns(const struct payer *payer, uint64_t now_ns);

/* Counts a connection. False, and not counted: most (0: no limit) are open already, or the table has no place. */
bool clients_connect(struct clients *clients, const struct client_id *id, unsigned max);
void clients_disconnect(struct clients *clients, const struct client_id *id);

/*
 * Counts bytes held for a client, in whole blocks of CLIENTS_BLOCK_BYTES; one client's sum is below 2^44. *before: the
 * bytes before the call. False, and not counted: the table has no place.
 */
enum { CLIENTS_BLOCK_BYTES = 4096 };
bool clients_hold(struct clients *clients, const struct client_id *id, uint64_t bytes, uint64_t *before);
void clients_release(struct clients *clients, const struct client_id *id,
                     uint64_t bytes); /* as they were held */

#endif
