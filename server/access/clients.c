/*
 * Buckets, connections and bytes held by client, in a table that never grows.
 *
 * 64 shards of 16 sets of 32 places; a client's number selects its set, and nobody outside can choose it. The
 * first cache lines of a set hold the low halves of its clients' numbers, which a search scans; a place is one
 * cache line. 2.3 MiB in all.
 *
 * Invariants, under the shard's lock.
 * 1. A client is in one place of its set at most.
 * 2. A place with connections or blocks is neither freed nor reused, so a disconnect finds the count of its
 *    connect, and a release the bytes held.
 * 3. part < TOKEN, and part is 0 where the bucket is full.
 * 4. No balance is below -CLIENTS_TOKENS_MAX: a request takes at most so many from a balance above 0, and
 *    what is owed besides stops there.
 *
 * Tokens are counted in whole ones and parts of 1 / 60e9: at n a minute, a nanosecond brings exactly n parts.
 * Nothing is rounded, at any rate. Products have 128 bits: 2^64 ns at 2^32 a minute are below 2^96.
 *
 * A set's 32 places are few enough to scan and enough against collisions: with 10,000 clients connected at
 * once, one of them finds its set full with a probability of 4e-6; with 20,000, about three do.
 */
#include "clients.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

#include "../base/check.h"
#include "networks.h"

enum { SHARDS = 64, SETS = 16, WAYS = 32, LINE_BYTES = 64, SECRET_BYTES = 192 };
enum client_kind { KIND_OTHER, KIND_V4, KIND_V6, KIND_KEY };

static const uint64_t TOKEN = 60000000000; /* parts; also the nanoseconds of a minute */

/* A place. Full buckets start with INT32_MAX tokens, which is at least the burst of any rate. */
struct client {
    uint64_t high;               /* of its number */
    uint64_t heard;              /* the shard's count of calls at its last one; 0: a free place */
    uint64_t filled_ns[BUCKETS]; /* tokens are counted up to this time */
    uint64_t part[BUCKETS];
    int32_t balance[BUCKETS]; /* tokens; below 0: owed */
    uint32_t connections;
    uint32_t blocks; /* held */
};

struct set {
    _Alignas(LINE_BYTES) uint64_t low[WAYS];
    struct client client[WAYS];
};

struct shard {
    _Alignas(LINE_BYTES) pthread_mutex_t lock;
    uint64_t calls;
    struct set set[SETS];
};

struct clients {
    unsigned char secret[SECRET_BYTES];
    struct shard shard[SHARDS];
};

_Static_assert(sizeof(struct client) == LINE_BYTES, "a place is a line");
_Static_assert(SECRET_BYTES >= XXH3_SECRET_SIZE_MIN, "XXH3 wants more");

struct clients *clients_create(void)
{
    struct clients *const clients = aligned_alloc(LINE_BYTES, sizeof *clients);

    if (!clients)
        return NULL;
    memset(clients, 0, sizeof *clients);
    /* Reads of up to 256 bytes are complete once the kernel's pool is ready. */
    if (getrandom(clients->secret, sizeof clients->secret, 0) != sizeof clients->secret) {
        free(clients);
        return NULL;
    }
    for (int i = 0; i < SHARDS; i++)
        CHECK(pthread_mutex_init(&clients->shard[i].lock, NULL) == 0);
    return clients;
}

void clients_free(struct clients *clients)
{
    for (int i = 0; clients && i < SHARDS; i++)
        pthread_mutex_destroy(&clients->shard[i].lock);
    free(clients);
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

static struct client_id number(const struct clients *clients, enum client_kind kind, const void *name,
                               size_t bytes)
{
    unsigned char text[40] = {(unsigned char)kind}; /* of one length for all kinds */

    CHECK(bytes <= sizeof text - 8);
    memcpy(text + 8, name, bytes);
    const XXH128_hash_t hash = XXH3_128bits_withSecret(text, sizeof text, clients->secret, SECRET_BYTES);
    return (struct client_id){hash.low64, hash.high64};
}

struct client_id clients_of_address(const struct clients *clients, const struct sockaddr *address)
{
    struct peer_address plain;

    if (!peer_address_of(&plain, address))
        return number(clients, KIND_OTHER, "", 0);
    return number(clients, plain.v4 ? KIND_V4 : KIND_V6, plain.byte, plain.v4 ? 16 : 8);
}

struct client_id clients_of_key(const struct clients *clients, const unsigned char key[static 32])
{
    return number(clients, KIND_KEY, key, 32);
}

/* ---- The table ----------------------------------------------------------------------------------------- */

/* Returns the shard of a number, locked. */
static struct shard *shard_lock(struct clients *clients, const struct client_id *id)
{
    struct shard *const shard = &clients->shard[id->high % SHARDS];
    pthread_mutex_lock(&shard->lock);
    return shard;
}

static struct set *set_of(struct shard *shard, const struct client_id *id)
{
    return &shard->set[id->high / SHARDS % SETS];
}

/* The client's place, or NULL. */
static struct client *client_find(struct shard *shard, const struct client_id *id)
{
    struct set *const set = set_of(shard, id);

    for (int i = 0; i < WAYS; i++)
        if (set->low[i] == id->low && set->client[i].high == id->high && set->client[i].heard > 0)
            return &set->client[i];
    return NULL;
}

/*
 * Finds a place for a new client: a free one, else that of the least recently seen client without connections and
 * held bytes.
 */
static struct client *client_place(struct shard *shard, const struct client_id *id)
{
    struct set *const set = set_of(shard, id);
    int place = -1;

    for (int i = 0; i < WAYS; i++) {
        const struct client *const at = &set->client[i];
        if (at->connections == 0 && at->blocks == 0 && (place < 0 || at->heard < set->client[place].heard))
            place = i;
    }
    if (place < 0)
        return NULL;
    struct client *const client = &set->client[place];
    set->low[place] = id->low;
    *client = (struct client){.high = id->high};
    for (int i = 0; i < BUCKETS; i++)
        client->balance[i] = INT32_MAX;
    return client;
}

/* Returns the client's place, made if it has none; NULL: the set is full of clients with connections. */
static struct client *client_hear(struct shard *shard, const struct client_id *id)
{
    struct client *client = client_find(shard, id);

    if (!client)
        client = client_place(shard, id);
    if (client)
        client->heard = ++shard->calls;
    return client;
}

/* ---- Buckets ------------------------------------------------------------------------------------------- */

/* A bucket without burst would never give a token. */
static int32_t burst_of(const struct rate *rate)
{
    return rate->burst == 0 ? 1 : rate->burst < INT32_MAX ? (int32_t)rate->burst : INT32_MAX;
}

/*
 * Counts tokens up to now. Threads read the clock before the lock: now may be a little before what was
 * counted already.
 */
static void bucket_fill(struct client *client, enum metric_bucket bucket, const struct rate *rate,
                        uint64_t now_ns)
{
    const uint64_t since_ns = now_ns > client->filled_ns[bucket] ? now_ns - client->filled_ns[bucket] : 0;
    const unsigned __int128 parts = (unsigned __int128)since_ns * rate->per_minute + client->part[bucket];
    const int64_t tokens = client->balance[bucket] + (int64_t)(parts / TOKEN); /* below 2^31 + 2^61 */
    const bool full = tokens >= burst_of(rate);

    client->filled_ns[bucket] += since_ns;
    client->balance[bucket] = full ? burst_of(rate) : (int32_t)tokens;
    client->part[bucket] = full ? 0 : (uint64_t)(parts % TOKEN);
}

/* Time until so many tokens (at least one) have come: at most a minute each, since part < TOKEN and per_minute > 0. */
static unsigned bucket_wait_ms(const struct client *client, enum metric_bucket bucket,
                               const struct rate *rate, uint64_t missing)
{
    const uint64_t parts = missing * TOKEN - client->part[bucket];
    const uint64_t ns = (parts - 1) / rate->per_minute + 1;
    return (unsigned)((ns - 1) / 1000000 + 1);
}

static int32_t owed(int64_t balance)
{
    return balance < -CLIENTS_TOKENS_MAX ? -CLIENTS_TOKENS_MAX : (int32_t)balance;
}

unsigned clients_take(struct clients *clients, const struct client_id *id, enum metric_bucket bucket,
                      const struct rate *rate, int min, unsigned tokens, uint64_t now_ns)
{
    unsigned wait_ms = 0;

    CHECK(tokens <= CLIENTS_TOKENS_MAX);
    if (rate->per_minute == 0)
        return 0;
    struct shard *const shard = shard_lock(clients, id);
    struct client *const client = client_hear(shard, id);
    if (client) {
        bucket_fill(client, bucket, rate, now_ns);
        if (client->balance[bucket] >= min)
            client->balance[bucket] = owed(client->balance[bucket] - (int64_t)tokens);
        else
            wait_ms =
                bucket_wait_ms(client, bucket, rate, (uint64_t)(min - (int64_t)client->balance[bucket]));
    }
    pthread_mutex_unlock(&shard->lock);
    return wait_ms;
}

/* A charge of cpu_ns is cpu_ns * TOKEN / CLIENTS_TOKEN_NS parts, which is whole: it loses nothing. */
int64_t clients_charge(const struct payer *payer, uint64_t cpu_ns, uint64_t now_ns)
{
    const enum metric_bucket bucket = BUCKET_RENDERS;
    const uint64_t each = TOKEN / CLIENTS_TOKEN_NS, max_ns = (uint64_t)CLIENTS_TOKENS_MAX * CLIENTS_TOKEN_NS;
    const uint64_t parts = (cpu_ns < max_ns ? cpu_ns : max_ns) * each;
    int64_t left_ns = INT64_MAX;

    if (!payer->clients || payer->rate.per_minute == 0)
        return left_ns;
    struct shard *const shard = shard_lock(payer->clients, &payer->client);
    struct client *const client = client_hear(shard, &payer->client);
    if (client) {
        bucket_fill(client, bucket, &payer->rate, now_ns);
        const bool borrows = client->part[bucket] < parts % TOKEN;
        const int64_t balance = client->balance[bucket] - (int64_t)(parts / TOKEN) - borrows;
        const bool bounded = balance < -CLIENTS_TOKENS_MAX;
        client->part[bucket] = bounded ? 0 : client->part[bucket] + (borrows ? TOKEN : 0) - parts % TOKEN;
        client->balance[bucket] = owed(balance);
        left_ns =
            client->balance[bucket] * (int64_t)CLIENTS_TOKEN_NS + (int64_t)(client->part[bucket] / each);
    }
    pthread_mutex_unlock(&shard->lock);
    return left_ns;
}

int64_t clients_left_ns(const struct payer *payer, uint64_t now_ns)
{
    return clients_charge(payer, 0, now_ns);
}

void clients_give_back(struct clients *clients, const struct client_id *id, enum metric_bucket bucket,
                       const struct rate *rate, unsigned tokens)
{
    if (rate->per_minute == 0)
        return;
    struct shard *const shard = shard_lock(clients, id);
    struct client *const client = client_find(shard, id); /* forgotten: full again */
    if (client && client->balance[bucket] < burst_of(rate)) {
        const int64_t balance = (int64_t)client->balance[bucket] + tokens;
        const bool full = balance >= burst_of(rate);
        client->balance[bucket] = full ? burst_of(rate) : (int32_t)balance;
        if (full)
            client->part[bucket] = 0;
    }
    pthread_mutex_unlock(&shard->lock);
}

/* ---- Connections --------------------------------------------------------------------------------------- */

bool clients_connect(struct clients *clients, const struct client_id *id, unsigned max)
{
    struct shard *const shard = shard_lock(clients, id);
    struct client *const client = client_hear(shard, id);
    const bool counted = client && (max == 0 || client->connections < max);

    if (counted)
        client->connections++;
    pthread_mutex_unlock(&shard->lock);
    return counted;
}

void clients_disconnect(struct clients *clients, const struct client_id *id)
{
    struct shard *const shard = shard_lock(clients, id);
    struct client *const client = client_find(shard, id);

    CHECK(client && client->connections > 0);
    client->connections--;
    client->heard = ++shard->calls;
    pthread_mutex_unlock(&shard->lock);
}

/* ---- Bytes held ---------------------------------------------------------------------------------------- */

static uint32_t blocks_of(uint64_t bytes)
{
    return (uint32_t)((bytes + CLIENTS_BLOCK_BYTES - 1) / CLIENTS_BLOCK_BYTES);
}

bool clients_hold(struct clients *clients, const struct client_id *id, uint64_t bytes, uint64_t *before)
{
    struct shard *const shard = shard_lock(clients, id);
    struct client *const client = client_hear(shard, id);

    if (client) {
        *before = (uint64_t)client->blocks * CLIENTS_BLOCK_BYTES;
        client->blocks += blocks_of(bytes);
    }
    pthread_mutex_unlock(&shard->lock);
    return client != NULL;
}

void clients_release(struct clients *clients, const struct client_id *id, uint64_t bytes)
{
    struct shard *const shard = shard_lock(clients, id);
    struct client *const client = client_find(shard, id);

    CHECK(client && client->blocks >= blocks_of(bytes));
    client->blocks -= blocks_of(bytes);
    client->heard = ++shard->calls;
    pthread_mutex_unlock(&shard->lock);
}
