/*
 * Certificates (server/service/tls.h), served by a small daemon of libmicrohttpd on loopback: what is refused
 * and how, what a client gets to see, and that they can be replaced while connections are open and being
 * made.
 */
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../../../server/observe/log.h"
#include "../../../server/service/tls.h"
#include "../folder_kit.h"
#include "../stderr_kit.h"
#include "../tls_kit.h"

enum { THREADS = 3, SWAPS = 60 };

static struct MHD_Daemon *daemon_;
static uint16_t port;

/* NAME.crt and NAME.key: a certificate that signs itself. */
static struct config_tls pair_of(const char *name, gnutls_pk_algorithm_t algorithm, int days)
{
    const struct config_tls pair = {.certificate = folder_path(name, ".crt"),
                                    .key = folder_path(name, ".key")};
    gnutls_x509_privkey_t key = kit_key(algorithm);
    gnutls_x509_crt_t certificate = kit_certificate(name, key, days, NULL, NULL);
    kit_write_certificate(pair.certificate, certificate);
    kit_write_key(pair.key, key, NULL);
    gnutls_x509_crt_deinit(certificate);
    gnutls_x509_privkey_deinit(key);
    return pair;
}

static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_bytes, void **context)
{
    static char hello[] = "hello";
    (void)cls, (void)url, (void)method, (void)version, (void)upload, (void)upload_bytes;
    if (!*context) {
        *context = hello;
        return MHD_YES;
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(5, hello, MHD_RESPMEM_PERSISTENT);
    const enum MHD_Result queued = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return queued;
}

static int start(void **state)
{
    assert_int_equal(folder_make(state), 0);
    daemon_ = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_USE_TLS | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        answer, NULL, MHD_OPTION_THREAD_POOL_SIZE, 2U, MHD_OPTION_SOCK_ADDR,
        &(struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)},
        MHD_OPTION_HTTPS_CERT_CALLBACK2, tls_certificate_callback(), MHD_OPTION_HTTPS_PRIORITIES, "NORMAL",
        MHD_OPTION_END);
    assert_non_null(daemon_);
    port = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT)->port;
    return 0;
}

static int stop(void **state)
{
    MHD_stop_daemon(daemon_);
    tls_unload();
    return folder_remove(state);
}

/* The name on the certificate that a new connection gets; with a request answered on it. */
static void assert_served(const char *name)
{
    struct kit_client client;
    char peer[64];
    kit_ok(kit_connect(&client, port, "NORMAL"));
    kit_peer(&client, 0, peer);
    assert_string_equal(peer, name);
    assert_true(kit_get(&client));
    kit_close(&client);
}

static void load(const struct config_tls *pair)
{
    char error[800] = "";
    if (tls_load(pair, error, sizeof error) != 0)
        fail_msg("%s", error);
}

TEST(every_kind_of_key_serves)
{
    static const struct {
        const char *name;
        gnutls_pk_algorithm_t algorithm;
    } kinds[] = {{"rsa", GNUTLS_PK_RSA}, {"ecdsa", GNUTLS_PK_ECDSA}, {"ed25519", GNUTLS_PK_EDDSA_ED25519}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct config_tls pair = pair_of(kinds[i].name, kinds[i].algorithm, 100);
        load(&pair);
        assert_served(kinds[i].name);
    }
}

TEST(a_chain_is_sent_whole)
{
    struct config_tls pair = {.certificate = folder_path("chain", ".crt"),
                              .key = folder_path("leaf", ".key")};
    char *const backwards = folder_path("backwards", ".crt");
    char error[800] = "", peer[64];
    struct kit_client client;
    gnutls_x509_privkey_t issuer_key = kit_key(GNUTLS_PK_ECDSA), key = kit_key(GNUTLS_PK_ECDSA);
    gnutls_x509_crt_t issuer = kit_certificate("issuer", issuer_key, 100, NULL, NULL);
    gnutls_x509_crt_t leaf = kit_certificate("leaf", key, 100, issuer, issuer_key);
    kit_write_certificate(pair.certificate, leaf);
    kit_write_certificate(pair.certificate, issuer);
    kit_write_certificate(backwards, issuer);
    kit_write_certificate(backwards, leaf);
    kit_write_key(pair.key, key, NULL);
    load(&pair);
    kit_ok(kit_connect(&client, port, "NORMAL"));
    kit_peer(&client, 0, peer);
    assert_string_equal(peer, "leaf");
    kit_peer(&client, 1, peer);
    assert_string_equal(peer, "issuer");
    kit_close(&client);
    pair.certificate = backwards;
    assert_int_equal(tls_load(&pair, error, sizeof error), -1);
    assert_non_null(strstr(error, "the key belongs to certificate 2 in \"/tmp/"));
    assert_non_null(strstr(error, "has to stand first"));
    gnutls_x509_crt_deinit(leaf);
    gnutls_x509_crt_deinit(issuer);
    gnutls_x509_privkey_deinit(key);
    gnutls_x509_privkey_deinit(issuer_key);
}

static atomic_bool ended;
static atomic_int handshakes, failures;

static void *connect_again_and_again(void *none)
{
    while (!atomic_load(&ended)) {
        struct kit_client client;
        char peer[64] = "";
        const int result = kit_connect(&client, port, "NORMAL");
        if (result >= 0)
            kit_peer(&client, 0, peer);
        if (result < 0 || !kit_get(&client) || (strcmp(peer, "one") != 0 && strcmp(peer, "two") != 0))
            atomic_fetch_add(&failures, 1);
        if (result >= 0)
            kit_close(&client);
        atomic_fetch_add(&handshakes, 1);
    }
    return none;
}

TEST(handshakes_go_on_while_it_is_replaced)
{
    const struct config_tls pairs[] = {pair_of("one", GNUTLS_PK_ECDSA, 100),
                                       pair_of("two", GNUTLS_PK_ECDSA, 100)};
    pthread_t thread[THREADS];
    load(&pairs[0]);
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, connect_again_and_again, NULL), 0);
    for (int k = 0; k < SWAPS; k++) {
        load(&pairs[k % 2]);
        usleep(5000);
    }
    while (atomic_load(&handshakes) < 50)
        usleep(5000);
    atomic_store(&ended, true);
    for (int k = 0; k < THREADS; k++)
        pthread_join(thread[k], NULL);
    assert_int_equal(atomic_load(&failures), 0);
}

/* Both refuse it with those words, and what was served before is served on. */
static void assert_refused(char *certificate, char *key, const char *what)
{
    const struct config_tls pair = {.certificate = certificate, .key = key};
    char error[2][800] = {"", ""};
    assert_int_equal(tls_load(&pair, error[0], sizeof error[0]), -1);
    assert_int_equal(tls_check(&pair, error[1], sizeof error[1]), -1);
    assert_string_equal(error[0], error[1]);
    if (!strstr(error[0], what) || strchr(error[0], '\n'))
        fail_msg("\"%s\" does not say \"%s\"", error[0], what);
    assert_served("good");
}

/* Texts that are cut: tests/http/test_tls.py. */
TEST(what_does_not_fit_is_refused)
{
    const struct config_tls good = pair_of("good", GNUTLS_PK_ECDSA, 100),
                            other = pair_of("other", GNUTLS_PK_ECDSA, 100);
    static const char rsa[] =
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n"
        "-----END RSA PRIVATE KEY-----\n";
    gnutls_x509_privkey_t key = kit_key(GNUTLS_PK_ECDSA);
    gnutls_x509_crt_t certificate = kit_certificate("many", key, 100, NULL, NULL);
    char *const locked = folder_path("locked", ".key"), *const old_locked = folder_path("old", ".key"),
                *const empty = folder_path("empty", ""), *const large = folder_path("large", ""),
                *const many = folder_path("many", ".crt"), *const absent = folder_path("absent", "");
    char newlines[300 << 10];
    memset(newlines, '\n', sizeof newlines);
    kit_write_key(locked, key, "secret");
    file_put(old_locked, "ab", rsa, sizeof rsa - 1);
    file_put(empty, "ab", "", 0);
    file_put(large, "ab", newlines, sizeof newlines);
    for (int k = 0; k < 17; k++)
        kit_write_certificate(many, certificate);
    load(&good);
    assert_refused(good.certificate, other.key, "the key does not belong to the certificate in \"/tmp/");
    assert_refused(absent, good.key, "http.tls.certificate: \"/tmp/");
    assert_refused(absent, good.key, "No such file");
    assert_refused(good.certificate, absent, "http.tls.key: \"/tmp/");
    assert_refused(good.certificate, folder, "Is a directory");
    assert_refused(good.certificate, locked, "the key is protected by a passphrase");
    assert_refused(good.certificate, old_locked, "the key is protected by a passphrase");
    assert_refused(empty, good.key, "there is no certificate (PEM) in it");
    assert_refused(good.certificate, empty, "there is no private key (PEM) in it");
    assert_refused(good.key, good.certificate, "there is no certificate (PEM) in it");
    assert_refused(large, good.key, "too large");
    assert_refused(many, good.key, "allowed are 1 to 16 certificates");
    gnutls_x509_crt_deinit(certificate);
    gnutls_x509_privkey_deinit(key);
}

/* A warning, and served all the same. */
TEST(what_expires_is_told_of)
{
    static const struct {
        const char *name, *said;
        int days;
    } row[] = {{"past", "past.crt\": the certificate expired at 20", -1},
               {"soon", "soon.crt\": the certificate expires at 20", 13},
               {"later", NULL, 15}};
    log_set_level(LOG_WARNING);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct config_tls pair = pair_of(row[i].name, GNUTLS_PK_ECDSA, row[i].days);
        char error[800];
        catch_begin();
        const int result = tls_check(&pair, error, sizeof error);
        const bool said = catch_end() > 0;
        assert_int_equal(result, 0);
        assert_true(row[i].said ? strstr(caught, " warning tls: ") && strstr(caught, row[i].said) : !said);
        load(&pair);
        assert_served(row[i].name);
    }
}

GROUP_EACH(tls, start, stop);
