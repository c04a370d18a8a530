/*
 * Holders: whose idle connection is found, whatever comes, goes, wakes and rests, beside a search through all of them.
 */
#include "../unit.h"

#include "../../../server/http/loop.h"

enum { CLIENTS = 40, MANY = 3000 };

static struct holders *holders;
static struct connection connections[MANY];

static int set_up(void **state)
{
    (void)state;
    holders = calloc(1, sizeof *holders);
    for (int i = 0; i < MANY; i++)
        connections[i] = (struct connection){.socket = -1};
    return holders ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < MANY; i++)
        holders_remove(holders, &connections[i]);
    for (int i = 0; i < HOLDER_CHAINS; i++)
        assert_null(holders->chain[i]);
    assert_int_equal(holders_top(holders), 0);
    free(holders);
    return 0;
}

static struct connection *open_for(int i, uint64_t client)
{
    connections[i].client = (struct client_id){client % 2 ? client : client + HOLDER_CHAINS, client};
    holders_add(holders, &connections[i]);
    return &connections[i];
}

TEST(test_the_longest_idle_of_one)
{
    assert_null(holders_first(holders));
    for (int i = 0; i < 3; i++)
        open_for(i, 7);
    assert_null(holders_first(holders));
    for (int i = 2; i >= 0; i--)
        holders_set_idle(holders, &connections[i], true);
    assert_ptr_equal(holders_first(holders), &connections[2]);
    holders_set_idle(holders, &connections[2], true); /* says nothing new */
    assert_ptr_equal(holders_first(holders), &connections[2]);
    holders_set_idle(holders, &connections[2], false);
    assert_ptr_equal(holders_first(holders), &connections[1]);
    holders_set_idle(holders, &connections[2], true);
    holders_remove(holders, &connections[1]);
    assert_ptr_equal(holders_first(holders), &connections[0]);
    holders_set_idle(holders, &connections[0], false);
    holders_set_idle(holders, &connections[2], false);
    assert_null(holders_first(holders));
}

/* The most connections of a client that has an idle one. */
static unsigned greatest(void)
{
    unsigned open[CLIENTS] = {0}, max = 0;
    bool idle[CLIENTS] = {false};
    for (int i = 0; i < MANY; i++)
        if (connections[i].held.holder) {
            open[connections[i].client.high]++;
            idle[connections[i].client.high] |= connections[i].held.idle;
        }
    for (int c = 0; c < CLIENTS; c++)
        max = idle[c] && open[c] > max ? open[c] : max;
    return max;
}

TEST(test_beside_a_search)
{
    uint64_t dice = 1;
    for (int step = 0; step < 20000; step++) {
        dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407;
        struct connection *connection = &connections[(dice >> 40) % MANY];
        if (!connection->held.holder) /* of some clients far more than of others */
            open_for((int)(connection - connections),
                     (dice >> 20) % CLIENTS * ((dice >> 30) % CLIENTS) / CLIENTS);
        else if ((dice >> 16) % 4 == 0)
            holders_remove(holders, connection);
        else
            holders_set_idle(holders, connection, !connection->held.idle);
        if (step % 10)
            continue;
        const unsigned max = greatest();
        const struct connection *first = holders_first(holders);
        assert_true((first != NULL) == (max > 0));
        assert_true(!first || (first->held.idle && first->held.holder->connections * 5 >= max * 4));
    }
}

GROUP_EACH(holders, set_up, tear_down);
