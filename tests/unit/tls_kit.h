/*
 * Keys, certificates and clients for tests of TLS, all by GnuTLS: no program is needed to make them. Static
 * functions: include it in one test.
 */
#ifndef TERRANE_TESTS_TLS_KIT_H
#define TERRANE_TESTS_TLS_KIT_H

#include <arpa/inet.h>
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "folder_kit.h"

enum { KIT_DAY_S = 86400 };

static inline void kit_ok(int result)
{
    if (result < 0)
        fail_msg("GnuTLS: %s", gnutls_strerror(result));
}

static inline gnutls_x509_privkey_t kit_key(gnutls_pk_algorithm_t algorithm)
{
    gnutls_x509_privkey_t key;
    const gnutls_sec_param_t strength =
        algorithm == GNUTLS_PK_RSA ? GNUTLS_SEC_PARAM_MEDIUM : GNUTLS_SEC_PARAM_HIGH;
    kit_ok(gnutls_x509_privkey_init(&key));
    kit_ok(gnutls_x509_privkey_generate(key, algorithm, gnutls_sec_param_to_pk_bits(algorithm, strength), 0));
    return key;
}

/* A certificate of that name and key that ends in so many days, and is not signed yet. */
static inline gnutls_x509_crt_t kit_unsigned(const char *name, gnutls_x509_privkey_t key, int days)
{
    gnutls_x509_crt_t certificate;
    kit_ok(gnutls_x509_crt_init(&certificate));
    kit_ok(gnutls_x509_crt_set_version(certificate, 3));
    kit_ok(gnutls_x509_crt_set_serial(certificate, name, strlen(name)));
    kit_ok(gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                         (unsigned)strlen(name)));
    kit_ok(gnutls_x509_crt_set_activation_time(certificate, time(NULL) - 30 * KIT_DAY_S));
    kit_ok(gnutls_x509_crt_set_expiration_time(certificate, time(NULL) + days * KIT_DAY_S));
    kit_ok(gnutls_x509_crt_set_key(certificate, key));
    return certificate;
}

/* Signed by issuer (NULL: by itself). */
static inline gnutls_x509_crt_t kit_signed(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key,
                                           gnutls_x509_crt_t issuer, gnutls_x509_privkey_t issuer_key)
{
    const int algorithm = gnutls_x509_privkey_get_pk_algorithm(issuer ? issuer_key : key);
    kit_ok(gnutls_x509_crt_sign2(certificate, issuer ? issuer : certificate, issuer ? issuer_key : key,
                                 algorithm == GNUTLS_PK_EDDSA_ED25519 ? GNUTLS_DIG_SHA512 : GNUTLS_DIG_SHA256,
                                 0));
    return certificate;
}

static inline gnutls_x509_crt_t kit_certificate(const char *name, gnutls_x509_privkey_t key, int days,
                                                gnutls_x509_crt_t issuer, gnutls_x509_privkey_t issuer_key)
{
    return kit_signed(kit_unsigned(name, key, days), key, issuer, issuer_key);
}

static inline void kit_write_certificate(const char *path, gnutls_x509_crt_t certificate)
{
    gnutls_datum_t pem;
    kit_ok(gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &pem));
    file_put(path, "ab", pem.data, pem.size);
    gnutls_free(pem.data);
}

/* password NULL: none. */
static inline void kit_write_key(const char *path, gnutls_x509_privkey_t key, const char *password)
{
    gnutls_datum_t pem;
    kit_ok(gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, password,
                                             password ? GNUTLS_PKCS_PBES2_AES_256 : GNUTLS_PKCS_PLAIN, &pem));
    file_put(path, "ab", pem.data, pem.size);
    gnutls_free(pem.data);
}

struct kit_client {
    int fd;
    gnutls_session_t session;
    gnutls_certificate_credentials_t credentials;
};

static inline void kit_close(struct kit_client *client)
{
    gnutls_bye(client->session, GNUTLS_SHUT_WR);
    gnutls_deinit(client->session);
    gnutls_certificate_free_credentials(client->credentials);
    close(client->fd);
}

/* Connects, and trusts whoever answers. A code of GnuTLS; below 0 all is closed. Any thread. */
static inline int kit_connect(struct kit_client *client, uint16_t port, const char *priorities)
{
    const struct timeval patience = {.tv_sec = 20};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (gnutls_init(&client->session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL) < 0 ||
        gnutls_certificate_allocate_credentials(&client->credentials) < 0)
        abort();
    gnutls_priority_set_direct(client->session, priorities, NULL);
    gnutls_credentials_set(client->session, GNUTLS_CRD_CERTIFICATE, client->credentials);
    gnutls_transport_set_int(client->session, client->fd);
    int result = connect(client->fd, (const struct sockaddr *)&address, sizeof address);
    while (result == 0 && (result = gnutls_handshake(client->session)) < 0 && !gnutls_error_is_fatal(result))
        result = 0;
    if (result < 0) {
        gnutls_deinit(client->session);
        gnutls_certificate_free_credentials(client->credentials);
        close(client->fd);
    }
    return result;
}

/* The common name of the server's k-th certificate; "" where there is none. */
static inline void kit_peer(const struct kit_client *client, unsigned k, char name[64])
{
    unsigned count = 0;
    const gnutls_datum_t *peers = gnutls_certificate_get_peers(client->session, &count);
    gnutls_x509_crt_t certificate;
    size_t bytes = 64;
    name[0] = 0;
    if (!peers || k >= count || gnutls_x509_crt_init(&certificate) < 0)
        return;
    if (gnutls_x509_crt_import(certificate, &peers[k], GNUTLS_X509_FMT_DER) < 0 ||
        gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &bytes) < 0)
        name[0] = 0;
    gnutls_x509_crt_deinit(certificate);
}

/* Asks for /, and leaves the connection open. Whether the answer was 200. */
static inline bool kit_get(struct kit_client *client)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    char answer[2000] = "";
    size_t bytes = 0;
    if (gnutls_record_send(client->session, request, sizeof request - 1) != sizeof request - 1)
        return false;
    while (bytes < sizeof answer - 1 && !strstr(answer, "\r\n\r\nhello")) {
        const ssize_t got = gnutls_record_recv(client->session, answer + bytes, sizeof answer - 1 - bytes);
        if (got == GNUTLS_E_AGAIN || got == GNUTLS_E_INTERRUPTED)
            continue;
        if (got <= 0)
            return false;
        bytes += (size_t)got;
        answer[bytes] = 0;
    }
    return strncmp(answer, "HTTP/1.1 200 ", 13) == 0;
}

#endif
