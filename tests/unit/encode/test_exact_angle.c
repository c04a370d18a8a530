/* Sine and cosine without libm, against libm's in long double (server/encode/exact_angle.c). */
#include "../../../server/encode/exact_angle.h"
#include "../mesh_kit.h"

static const long double turn = 6.283185307179586476925286766559005768L;

static void check(double turns)
{
    const struct exact_angle angle = exact_angle(turns);
    const long double x = ((long double)turns - floorl((long double)turns)) * turn;
    assert_true(fabsl(angle.cosine - cosl(x)) < 1e-15L);
    assert_true(fabsl(angle.sine - sinl(x)) < 1e-15L);
}

TEST(it_is_near_libm)
{
    uint64_t dice = 42;
    for (int i = 0; i < 100000; i++) {
        dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        check((double)(int64_t)dice / 0x1p63); /* -1 .. 1 */
    }
    for (int i = -4096; i <= 4096; i++)
        for (int k = -2; k <= 2; k++)
            check(i / 1024.0 + k * 0x1p-50);
    check(1e-300);
    check(0x1p39 + 0.3);
}

TEST(quarters_are_exact)
{
    static const double sine[4] = {0, 1, 0, -1};
    for (int i = -400; i <= 400; i++) {
        const struct exact_angle angle = exact_angle(i / 4.0);
        assert_true(angle.sine == sine[(i % 4 + 4) % 4] && angle.cosine == sine[((i + 1) % 4 + 4) % 4]);
    }
}

TEST(bits_are_the_same_everywhere)
{
    static double values[2 * 4097];
    for (int i = 0; i <= 4096; i++) {
        const struct exact_angle angle = exact_angle(i / 4096.0 - 0.5 + i * 0x1p-40);
        values[2 * i] = angle.cosine;
        values[2 * i + 1] = angle.sine;
    }
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(1099511628211);
    }
    assert_true(hash == UINT64_C(0x0C03F34121E77C9A));
}

GROUP(exact_angle);
