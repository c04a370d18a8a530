/*
 * SipHash-2-4 (Aumasson and Bernstein 2012) under a fixed key, the bytes 0 .. 15: digests of byte strings,
 * given whole or number by number.
 */
#ifndef TERRANE_DIGEST_H
#define TERRANE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* The state of a digest. Fill it with digest_start. */
struct digest {
    uint64_t v[4];
    uint64_t word;  /* the last bytes % 8 bytes, from the lowest */
    uint64_t bytes; /* so far */
    int words;      /* of the result: 1 for the 64-bit variant, 2 for the 128-bit one */
};

struct digest digest_start(int words);

/* Adds the lowest bytes (0 .. 8) of number, little-endian. */
void digest_put(struct digest *digest, uint64_t number, int bytes);

/* Adds bytes, a word at a time if possible. */
void digest_put_bytes(struct digest *digest, const uint8_t *bytes, size_t count);

/* The bits of an IEEE number. */
void digest_put_float(struct digest *digest, float number);
void digest_put_double(struct digest *digest, double number);

/* Fills out[words]; digest is spent. */
void digest_end(struct digest *digest, uint64_t *out);

/* The 128-bit variant as bytes: lowest first. */
void digest_end_bytes(struct digest *digest, uint8_t bytes[static 16]);

/* A message in one call: fills out[words]. */
void digest_siphash(const uint8_t *message, size_t bytes, int words, uint64_t *out);

#endif
