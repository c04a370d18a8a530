/*
 * SipHash-2-4, straight from its description: two rounds a word, four at the end of each output word. The
 * state keeps less than one word back, so a message of any length takes no memory.
 */
#include "digest.h"

#include <string.h>

static uint64_t rotate(uint64_t v, int n)
{
    return v << n | v >> (64 - n);
}

static void rounds(uint64_t v[4], int n)
{
    while (n-- > 0) {
        v[0] += v[1], v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

/* Eight bytes, the lowest first. */
static uint64_t word_at(const uint8_t *at)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)at[i] << 8 * i;
    return word;
}

static void take(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
}

struct digest digest_start(int words)
{
    const uint64_t k0 = UINT64_C(0x0706050403020100), k1 = UINT64_C(0x0F0E0D0C0B0A0908);
    return (struct digest){
        .v =
            {
                k0 ^ UINT64_C(0x736F6D6570736575),
                k1 ^ UINT64_C(0x646F72616E646F6D) ^ (words == 2 ? 0xEE : 0),
                k0 ^ UINT64_C(0x6C7967656E657261),
                k1 ^ UINT64_C(0x7465646279746573),
            },
        .words = words,
    };
}

void digest_put(struct digest *digest, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        const int at = (int)(digest->bytes++ % 8);
        digest->word |= (number >> 8 * i & 0xFF) << 8 * at;
        if (at == 7) {
            take(digest->v, digest->word);
            digest->word = 0;
        }
    }
}

void digest_put_float(struct digest *digest, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    digest_put(digest, bits, 4);
}

void digest_put_double(struct digest *digest, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    digest_put(digest, bits, 8);
}

void digest_end(struct digest *digest, uint64_t *out)
{
    uint64_t *v = digest->v;
    take(v, digest->word | digest->bytes << 56); /* the last word, possibly of no bytes, carries the length */
    v[2] ^= digest->words == 2 ? 0xEE : 0xFF;
    rounds(v, 4);
    out[0] = v[0] ^ v[1] ^ v[2] ^ v[3];
    if (digest->words == 2) {
        v[1] ^= 0xDD;
        rounds(v, 4);
        out[1] = v[0] ^ v[1] ^ v[2] ^ v[3];
    }
}

void digest_end_bytes(struct digest *digest, uint8_t bytes[static 16])
{
    uint64_t words[2];
    digest_end(digest, words);
    for (int i = 0; i < 16; i++)
        bytes[i] = (uint8_t)(words[i / 8] >> 8 * (i % 8));
}

void digest_put_bytes(struct digest *digest, const uint8_t *bytes, size_t count)
{
    size_t i = 0;
    for (; digest->bytes % 8 != 0 && i < count; i++)
        digest_put(digest, bytes[i], 1);
    for (; count - i >= 8; i += 8, digest->bytes += 8)
        take(digest->v, word_at(bytes + i));
    for (; i < count; i++)
        digest_put(digest, bytes[i], 1);
}

void digest_siphash(const uint8_t *message, size_t bytes, int words, uint64_t *out)
{
    struct digest digest = digest_start(words);
    digest_put_bytes(&digest, message, bytes);
    digest_end(&digest, out);
}
