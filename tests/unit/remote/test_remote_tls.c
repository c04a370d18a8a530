/*
 * The shared tier over TLS, with a real store: who is trusted, that names and addresses are verified, that large entries go
 * through, and that a store without TLS, or one that is silent, ends by the deadline.
 */
#include "remote_tier_kit.h"

#include "../tls_kit.h"

/* All tests' own. */
static struct {
    struct store store; /* port: TCP without TLS */
    uint16_t port;      /* TLS */
    char ca[96], other_ca[96], certificate[96], key[96];
} tls;

/* A certificate for localhost and 127.0.0.1, or of an authority (issuer NULL). */
static gnutls_x509_crt_t make_certificate(gnutls_x509_privkey_t key, gnutls_x509_crt_t issuer,
                                          gnutls_x509_privkey_t issuer_key)
{
    static const unsigned char address[] = {127, 0, 0, 1};
    gnutls_x509_crt_t certificate = kit_unsigned(issuer ? "a store" : "an authority", key, 30);

    kit_ok(gnutls_x509_crt_set_basic_constraints(certificate, issuer == NULL, -1));
    if (issuer) {
        kit_ok(gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, "localhost", 9,
                                                    GNUTLS_FSAN_SET));
        kit_ok(gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_IPADDRESS, address,
                                                    sizeof address, GNUTLS_FSAN_APPEND));
    } else {
        kit_ok(gnutls_x509_crt_set_key_usage(certificate, GNUTLS_KEY_KEY_CERT_SIGN));
    }
    return kit_signed(certificate, key, issuer, issuer_key);
}

static int setup(void **state)
{
    char settings[400];
    gnutls_x509_privkey_t keys[3];
    gnutls_x509_crt_t certificates[3];

    (void)state;
    log_set_level(getenv("TERRANE_TEST_LOG") ? LOG_DEBUG : LOG_ERROR);
    store_start(&tls.store);
    store_kill(&tls.store);
    snprintf(tls.ca, sizeof tls.ca, "%s/ca.pem", tls.store.dir);
    snprintf(tls.other_ca, sizeof tls.other_ca, "%s/other.pem", tls.store.dir);
    snprintf(tls.certificate, sizeof tls.certificate, "%s/store.pem", tls.store.dir);
    snprintf(tls.key, sizeof tls.key, "%s/key.pem", tls.store.dir);
    for (int i = 0; i < 3; i++) {
        keys[i] = kit_key(GNUTLS_PK_ECDSA);
        certificates[i] = make_certificate(keys[i], i == 2 ? certificates[0] : NULL, keys[0]);
    }
    kit_write_certificate(tls.ca, certificates[0]);
    kit_write_certificate(tls.other_ca, certificates[1]);
    kit_write_certificate(tls.certificate, certificates[2]);
    kit_write_key(tls.key, keys[2], NULL);
    for (int i = 0; i < 3; i++) {
        gnutls_x509_crt_deinit(certificates[i]);
        gnutls_x509_privkey_deinit(keys[i]);
    }
    tls.port = kit_free_port();
    snprintf(settings, sizeof settings,
             "--tls-port %u --tls-cert-file store.pem --tls-key-file key.pem --tls-ca-cert-file ca.pem "
             "--tls-auth-clients no --bind 127.0.0.1 127.0.0.2",
             tls.port);
    store_run(&tls.store, settings);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    store_stop(&tls.store);
    return 0;
}

/* Opens a line to rediss://host:port; NULL with kit_error. */
static struct line *try_line(const char *host, uint16_t port, const char *ca, uint64_t ms,
                             struct line_trust **trust)
{
    char text[96];

    *trust = line_trust_load(ca, kit_error, sizeof kit_error);
    if (!*trust)
        return NULL;
    snprintf(text, sizeof text, "rediss://%s:%u", host, port);
    return kit_line(text, *trust, ms);
}

TEST(names_and_addresses_are_verified)
{
    const struct {
        const char *host, *ca, *said; /* said NULL: it is let in */
    } tries[] = {
        {"localhost", tls.ca, NULL},
        {"127.0.0.1", tls.ca, NULL},
        {"127.0.0.2", tls.ca, "The name in the certificate does not match"},
        {"localhost", tls.other_ca, "The certificate is NOT trusted"},
        {"127.0.0.1", tls.certificate, NULL}, /* who trusts it itself needs nobody who vouches for it */
    };

    /* Where localhost is an address of another family, too, nobody listens there, and the next one is tried. */
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct line_trust *trust;
        struct line *const line = try_line(tries[i].host, tls.port, tries[i].ca, KIT_LONG_MS, &trust);

        if ((line != NULL) != (tries[i].said == NULL) || (tries[i].said && !strstr(kit_error, tries[i].said)))
            fail_msg("%s: %s", tries[i].host, kit_error);
        if (line) {
            redisReply *const reply = kit_say(line, "PING", KIT_LONG_MS);
            assert_true(reply && reply->type == REDIS_REPLY_STATUS);
            freeReplyObject(reply);
        }
        line_close(line);
        line_trust_free(trust);
    }
}

TEST(a_store_without_tls_is_said)
{
    struct line_trust *trust;

    /* A store waits for the end of what it takes for a command. */
    for (uint64_t ms = 150;; ms *= 4) { /* on a busy machine connecting may take as long */
        assert_null(try_line("127.0.0.1", tls.store.port, tls.ca, ms, &trust));
        line_trust_free(trust);
        if (strcmp(kit_error, "connecting takes too long") != 0 || ms > 60000)
            break;
    }
    assert_string_equal(kit_error, "the TLS handshake takes too long");
    /* And TLS where none is expected is no store. */
    char text[96];
    snprintf(text, sizeof text, "redis://127.0.0.1:%u", tls.port);
    struct line *const line = kit_line(text, NULL, KIT_LONG_MS);
    if (line)
        assert_null(kit_say(line, "PING", KIT_LONG_MS));
    line_close(line);
}

TEST(tiers_work_over_tls)
{
    static const size_t sizes[] = {1, 16384 - 60, 92000, 8u << 20};
    char url[96];

    snprintf(url, sizeof url, "rediss://localhost:%u/1", tls.port);
    struct remote *const remote =
        tier_open(url, TIER(.ca = tls.ca, .lease_ms = 60000, .timeout_ms = KIT_LONG_MS));
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(tier_lease(remote, 0, i), LEASE_OURS);
            tier_put(remote, i, sizes[i], true);
        }
        remote_flush(remote);
        for (size_t i = 0; i < 4; i++)
            tier_is(remote, (int)i, i, sizes[i]);
        /* Lines that were closed are opened again, here too. */
        store_say(&tls.store, "FLUSHALL");
        store_say(&tls.store, "CLIENT KILL TYPE normal");
    }
    const struct remote_stats stats = tier_stats(remote);
    assert_int_equal(stats.hits, 8);
    assert_int_equal(stats.errors + stats.opened + stats.refused, 0);
    remote_close(remote);
}

GROUP(remote_tls, setup, teardown);
