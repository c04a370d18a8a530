/*
 * What may be asked, and how much of it: hosts, keys, tokens, and room for what is sent. Of what returns a bool and takes a
 * result true means answered, and *result says how.
 */
#ifndef TERRANE_SERVER_GUARD_H
#define TERRANE_SERVER_GUARD_H

#include "request.h"

/* Line, host and, where the route needs one, key. Sets holder. */
bool guard_check(struct request *request, enum MHD_Result *result);

/* The key that came with a request, whoever's: in a header, or, of clients that cannot set one, in the query. Borrowed; NULL: none did. */
const char *guard_key(const struct request *request);

/*
 * Takes so many tokens of the client's (clients.h: one is enough to be let in, the others may be owed, as all may that the request
 * takes later), or answers 429. A
 * request refused a render's gets all its tiles' tokens back.
 */
bool guard_take(struct request *request, enum metric_bucket bucket, size_t count, enum MHD_Result *result);

/* Takes a token, or returns false. */
bool guard_afford(struct request *request, enum metric_bucket bucket);

/* Takes one more render's for a request that was let in, while its client owes less than CLIENTS_DEBT_NS; or returns false. */
bool guard_owe(struct request *request);

/* Takes a render's token for what has been made, however much its client owes. */
void guard_charge(struct request *request);

/* Refuses a client that owes as much for what has been done for it; true: answered. For what costs though nothing is made. */
bool guard_debt(struct request *request, enum MHD_Result *result);

/* Answers 429 to a request that the pool would not do for its client (POOL_OVER). */
enum MHD_Result guard_over(struct request *request);

/* Gives back all that the request took but so many: the client got nothing for them. */
void guard_give_back(struct request *request, enum metric_bucket bucket, size_t keep);

/* Gives one render's token back, if it took any: nothing was made for it. */
void guard_refund(struct request *request);

/* Whose tokens a request takes, for giving one back when there is no request any more, and for the pool. */
struct payer guard_payer(struct request *request, enum metric_bucket bucket);

/* Gives one token back. Any thread. */
void payer_refund(const struct payer *payer, enum metric_bucket bucket);

/* The client's address: that behind trusted proxies. Returns how many of them there are. */
unsigned guard_client(const struct request *request, struct sockaddr_storage *client);

/* Whether an Authorization header carries the administrator's token; else 401 or 403 is answered. */
bool guard_admin(struct request *request, enum MHD_Result *result);

/* How urgent a request is, by its Priority (RFC 9218) and Sec-Purpose headers; each may be NULL. */
enum metric_class priority_class(const char *priority, const char *purpose);

/*
 * Room in memory for streams: answers that are made while they are sent, and hold tiles for clients that read slowly.
 *
 * A stream books the most that it will hold before it asks for anything, and gives that back when its request ends, however it
 * does. All of them together book no more than limits.stream_bytes, so that what is held is bounded however many clients
 * ask and however slowly they read. What is booked is a bound: most streams hold less.
 *
 * A client's streams together book no more than they leave free: one client half, two that ask for all they can get three
 * quarters, and there is always something left for the one that comes next. Where nothing at all is held, one stream may have
 * it all.
 *
 * A client that has more than 2 MiB booked is to read as if the rest had to be taken every 32 s, or is cut off
 * (connection_extend): the 9 MiB for a region of 4097 x 4097 floats are free again after five minutes, whatever its client
 * does, and 32 MiB for 256 partitions of 16 MiB each, the longest of all answers, after 75.
 */

/* No stream books more: limits.stream_bytes has room for any when it is the only one. */
#define STREAM_BYTES_MAX ((uint64_t)64 << 20)

enum stream_room {
    STREAM_ROOM_BOOKED,
    STREAM_ROOM_SHARE, /* there would be room were nothing the client's own */
    STREAM_ROOM_FULL
};

/* Adds bytes to what is held where that stays within most (0: no bound) and the share of a client that has own bytes of it.
 * Any thread. */
enum stream_room stream_room_book(atomic_int_fast64_t *held, uint64_t max, uint64_t own, uint64_t bytes);

/* Bytes a second that a client has to take for which so many are booked. */
uint64_t stream_room_rate(uint64_t bytes);

/* Books bytes (1 to STREAM_BYTES_MAX) for a request, which has booked none; true: answered, with 429 or 503. */
bool stream_room_take(struct request *request, uint64_t bytes, enum MHD_Result *result);

/* Gives back what the request has booked. */
void stream_room_free(struct request *request);

/* Gives back all but so many bytes: it is known now how many there are. */
void stream_room_keep(struct request *request, uint64_t bytes);

#endif
