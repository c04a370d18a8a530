/*
 * Content codings (server/encode/coding.h): what they make comes back by other readers, is bounded, and is the same each time.
 */
#include "../unit.h"

#include <libdeflate.h>
#include <zstd.h>

#include "../../../server/encode/coding.h"

static const enum tile_coding codings[] = {CODING_GZIP, CODING_ZSTD};

#define EACH_CODING(c) (size_t c = 0; c < sizeof codings / sizeof *codings; c++)

static struct encoder *encoder_new(void)
{
    struct encoder *encoder = encoder_create();
    assert_non_null(encoder);
    return encoder;
}

/* Bytes of which share in 256 are noise, the others a ramp. */
static unsigned char *payload(size_t bytes, unsigned share, uint64_t seed)
{
    unsigned char *data = malloc(bytes + 1);
    uint64_t state = seed * 2 + 1;
    assert_non_null(data);
    for (size_t i = 0; i < bytes; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        data[i] = (unsigned char)((state >> 40 & 255) < share ? state >> 56 : i / 64);
    }
    return data;
}

static void assert_gzip(const unsigned char *coded, size_t coded_bytes, const unsigned char *data,
                        size_t bytes)
{
    struct libdeflate_decompressor *reader = libdeflate_alloc_decompressor();
    unsigned char *back = malloc(bytes + 1);
    size_t used, made;
    assert_true(reader && back);
    assert_int_equal(libdeflate_gzip_decompress_ex(reader, coded, coded_bytes, back, bytes + 1, &used, &made),
                     0);
    assert_true(used == coded_bytes && made == bytes);
    assert_memory_equal(back, data, bytes);
    for (int i = 4; i < 8; i++) /* no time of its making: the same bytes tomorrow */
        assert_int_equal(coded[i], 0);
    free(back);
    libdeflate_free_decompressor(reader);
}

static void assert_zstd(const unsigned char *coded, size_t coded_bytes, const unsigned char *data,
                        size_t bytes)
{
    unsigned char *back = malloc(bytes + 1);
    assert_non_null(back);
    assert_true(ZSTD_getFrameContentSize(coded, coded_bytes) == bytes);
    assert_int_equal(coded[4] & 4, 0); /* no checksum */
    assert_int_equal(ZSTD_decompress(back, bytes + 1, coded, coded_bytes), bytes);
    assert_memory_equal(back, data, bytes);
    free(back);
}

TEST(noise_does_not_pay)
{
    static const size_t sizes[] = {0, 1, 2, 9, 10, 11, 100, 4096, 264196, 1 << 20};
    struct encoder *encoder = encoder_new();
    for
        EACH_CODING(c)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t bytes = 0;
        bool paid = true;
        unsigned char *data = payload(sizes[s], 256, s);
        assert_null(coding_apply(encoder, codings[c], data, sizes[s], &bytes, &paid));
        assert_false(paid);
        free(data);
    }
    encoder_free(encoder);
}

/* Whatever the share of noise: what is coded is a tenth shorter, what is not would hardly have been. And an encoder that gave
 * up is as good as new. */
TEST(a_tenth_is_the_line)
{
    enum { BYTES = 100000 };
    struct encoder *encoder = encoder_new();
    for
        EACH_CODING(c)
        {
            int coded_count = 0, plain_count = 0;
            for (unsigned share = 0; share <= 256; share += 4) {
                size_t bytes = 0;
                bool paid = false;
                unsigned char *data = payload(BYTES, share, 5);
                unsigned char *coded = coding_apply(encoder, codings[c], data, BYTES, &bytes, &paid);
                assert_int_equal(coded != NULL, paid);
                if (coded) {
                    assert_true(bytes <= BYTES / 10 * 9);
                    (codings[c] == CODING_GZIP ? assert_gzip : assert_zstd)(coded, bytes, data, BYTES);
                    assert_int_equal(plain_count, 0);
                }
                coded_count += coded != NULL;
                plain_count += coded == NULL;
                free(coded);
                free(data);
            }
            assert_true(coded_count > 10 && plain_count > 5);
        }
    encoder_free(encoder);
}

/* RFC 8878, 3.1.1.1: readers that stream need as much memory as a frame's head says. */
TEST(zstd_has_a_window_of_512_kb)
{
    enum { BYTES = 4 << 20 };
    struct encoder *encoder = encoder_new();
    unsigned char *data = payload(BYTES, 64, 7);
    size_t bytes = 0;
    bool paid = false;
    unsigned char *coded = coding_apply(encoder, CODING_ZSTD, data, BYTES, &bytes, &paid);
    assert_non_null(coded);
    assert_zstd(coded, bytes, data, BYTES);
    assert_int_equal(coded[4] & 0x20, 0); /* not one segment, whose window is all of it */
    assert_int_equal(coded[5], (19 - 10) << 3);
    free(coded);
    free(data);
    encoder_free(encoder);
}

GROUP(coding);
