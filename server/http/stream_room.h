/*
 * Room in memory for streams: answers that are made while they are sent, and hold tiles for clients that read slowly.
 *
 * A stream books the most that it will hold before it asks for anything, and gives that back when its request ends, however it
 * does. All of them together book no more than limits.stream_bytes, so that what is held is bounded however many clients
 * ask and however slowly they read. What is booked is a bound: most streams hold less.
 */
#ifndef TERRANE_SERVER_STREAM_ROOM_H
#define TERRANE_SERVER_STREAM_ROOM_H

#include "request.h"

/* No stream books more: limits.stream_bytes has room for any when it is the only one. */
#define STREAM_BYTES_MOST ((uint64_t)64 << 20)

/* Adds bytes to what is held where that stays within most (0: no bound). Any thread. */
bool stream_room_book(atomic_int_fast64_t *held, uint64_t most, uint64_t bytes);

/* Books bytes (at most STREAM_BYTES_MOST) for a request, which has booked none; true: answered, with 503. */
bool stream_room_take(struct request *request, uint64_t bytes, enum MHD_Result *result);

/* Gives back what the request has booked. */
void stream_room_free(struct request *request);

#endif
