/*
 * Room in memory for streams: answers that are made while they are sent, and hold tiles for clients that read slowly.
 *
 * A stream books the most that it will hold before it asks for anything, and gives that back when its request ends, however it
 * does. All of them together book no more than limits.stream_bytes, so that what is held is bounded however many clients
 * ask and however slowly they read. What is booked is a bound: most streams hold less.
 *
 * A client's streams together book no more than they leave free: one client half, two that ask for all they can get three
 * quarters, and there is always something left for who comes next. Where nothing at all is held, one stream may have it all.
 *
 * Who has more than 2 MiB booked is to read as if the rest had to be taken every 32 s, or is cut off (connection_extend): the
 * 9 MiB for a region of 4097 x 4097 floats are free again after five minutes, whatever its client does, and 32 MiB for 256
 * partitions of 16 MiB each, the longest of all answers, after 75.
 */
#ifndef TERRANE_SERVER_STREAM_ROOM_H
#define TERRANE_SERVER_STREAM_ROOM_H

#include "request.h"

/* No stream books more: limits.stream_bytes has room for any when it is the only one. */
#define STREAM_BYTES_MOST ((uint64_t)64 << 20)

enum stream_room {
    STREAM_ROOM_BOOKED,
    STREAM_ROOM_SHARE, /* there would be room were nothing the client's own */
    STREAM_ROOM_FULL
};

/* Adds bytes to what is held where that stays within most (0: no bound) and the share of a client that has own bytes of it.
 * Any thread. */
enum stream_room stream_room_book(atomic_int_fast64_t *held, uint64_t most, uint64_t own, uint64_t bytes);

/* Bytes a second that a client has to take for whom so many are booked. */
uint64_t stream_room_rate(uint64_t bytes);

/* Books bytes (1 to STREAM_BYTES_MOST) for a request, which has booked none; true: answered, with 429 or 503. */
bool stream_room_take(struct request *request, uint64_t bytes, enum MHD_Result *result);

/* Gives back what the request has booked. */
void stream_room_free(struct request *request);

#endif
