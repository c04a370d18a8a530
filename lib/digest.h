/*
 * SipHash-2-4 (Aumasson and Bernstein 2012) under a fixed key, one message a call: names for byte strings.
 */
#ifndef TERRANE_DIGEST_H
#define TERRANE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* words: 1 for the 64-bit variant, 2 for the 128-bit one. Fills out[words]. The key is the bytes 0 .. 15. */
void digest_siphash(const uint8_t *message, size_t bytes, int words, uint64_t *out);

#endif
