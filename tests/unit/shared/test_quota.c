/* What holders of keys may write (server/shared/shared_quota.c): each has its own, however many there are. */
#include "../unit.h"

#include "../../../server/shared/shared.h"

TEST(each_holder_has_its_own)
{
    enum { HOLDERS = 3000 };
    const struct shared_limit limit = {.per_day = HOLDERS};
    struct shared_quota *quota = shared_quota_create();
    unsigned wait_s;
    assert_non_null(quota);
    for (int turn = 0; turn < 2; turn++)
        for (unsigned k = 1; k <= HOLDERS; k++) {
            char by[24];
            snprintf(by, sizeof by, "holder-%u", k);
            const size_t left = turn == 0 ? k : HOLDERS - k;
            if (left > 0)
                assert_int_equal(shared_quota_take(quota, by, &limit, left, 0, &wait_s), SHARED_OVER_NOTHING);
            if (turn == 1)
                assert_int_equal(shared_quota_take(quota, by, &limit, 1, 0, &wait_s), SHARED_OVER_DAY);
        }
    assert_int_equal(shared_quota_take(quota, "holder-1", &limit, 1, 86399999, &wait_s), SHARED_OVER_DAY);
    assert_int_equal(wait_s, 1);
    assert_int_equal(shared_quota_take(quota, "holder-1", &limit, 1, 86400000, &wait_s), SHARED_OVER_NOTHING);
    shared_quota_free(quota);
}

/* What a log has counts as what it cost when it was written. */
TEST(a_log_has_what_was_paid)
{
    const struct shared_limit limit = {.per_day = 100};
    struct shared_edit way = {.by = "holder", .entry.edit.points = 1024};
    struct shared_quota *quota = shared_quota_create();
    unsigned wait_s;
    assert_non_null(quota);
    assert_int_equal(shared_edit_cost(&way), 65);
    assert_true(shared_quota_note(quota, &way, 0));
    assert_int_equal(shared_quota_take(quota, way.by, &limit, 36, 0, &wait_s), SHARED_OVER_DAY);
    assert_int_equal(shared_quota_take(quota, way.by, &limit, 35, 0, &wait_s), SHARED_OVER_NOTHING);
    shared_quota_free(quota);
}

GROUP(quota);
