/*
 * TLS certificates: reading, checking, handing out.
 *
 *  (1) Connections use `current`. The lock guards it and all reference counts: one for `current`, one for each
 *      handshake in certificate_wanted. The last release frees.
 *  (2) A handshake gets copies, which GnuTLS frees with the connection (GNUTLS_CERT_RETR_DEINIT_ALL): a reload
 *      frees nothing that a connection uses, however long that lasts. Copying a key and a chain of three takes
 *      some 50 us, of a handshake whose signature alone takes 50 us (ECDSA) to 1.4 ms (RSA).
 *  (3) A key's text is wiped before its memory is given back. A key is never logged.
 *
 * The server's own certificate comes first in the file, followed by its chain, as usual.
 */
#include "tls.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/file_text.h"
#include "../base/refcount.h"
#include "../base/text.h"
#include "../observe/log.h"

enum {
    CERTIFICATE_BYTES = 1 << 18, /* largest files */
    KEY_BYTES = 1 << 16,
    CHAIN = 16, /* most certificates */
    WARN_DAYS = 14,
    DAY_S = 24 * 60 * 60,
    KEY_ID_BYTES = 64,
    PATH_SHOWN_BYTES = 200
};

struct certificates {
    struct refcount references;
    unsigned count;
    gnutls_datum_t der[CHAIN]; /* owned, gnutls_malloc'ed */
    gnutls_x509_privkey_t key; /* owned */
    time_t expires;            /* earliest expiry in the chain */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct certificates *current;

static void certificates_free(struct refcount *references)
{
    struct certificates *const certificates = (struct certificates *)references;
    for (unsigned i = 0; i < certificates->count; i++)
        gnutls_free(certificates->der[i].data);
    if (certificates->key)
        gnutls_x509_privkey_deinit(certificates->key);
    free(certificates);
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static int complain(const char *key, const char *path, const char *what, char *error, size_t error_bytes)
{
    char shown[PATH_SHOWN_BYTES];
    text_show(shown, sizeof shown, path);
    snprintf(error, error_bytes, "%s: %s: %s", key, shown, what);
    return -1;
}

static bool holds(const gnutls_datum_t *text, const char *word)
{
    return memmem(text->data, text->size, word, strlen(word)) != NULL;
}

/* Fills text, whose data is malloc'ed, or says why not. */
static int read_file(const char *key, const char *path, size_t limit, gnutls_datum_t *text, char *error,
                     size_t error_bytes)
{
    char why[80];
    size_t bytes = 0;
    text->data = (unsigned char *)file_text(path, limit, &bytes, why, sizeof why);
    text->size = (unsigned)bytes;
    return text->data ? 0 : complain(key, path, why, error, error_bytes);
}

/* Reads facts of the chain's certificates into *out. Returns a GnuTLS code. */
static int take_chain(gnutls_x509_crt_t *chain, unsigned count, struct certificates *out)
{
    for (unsigned i = 0; i < count; i++) {
        const int failed = gnutls_x509_crt_export2(chain[i], GNUTLS_X509_FMT_DER, &out->der[i]);
        if (failed < 0)
            return failed;
        out->count = i + 1;
        const time_t expires = gnutls_x509_crt_get_expiration_time(chain[i]);
        if (i == 0 || expires < out->expires)
            out->expires = expires;
    }
    return 0;
}

static int read_chain(const char *path, struct certificates *out, char *error, size_t error_bytes)
{
    static const char key[] = "http.tls.certificate";
    gnutls_datum_t text;
    gnutls_x509_crt_t *chain = NULL;
    unsigned count = 0;
    if (read_file(key, path, CERTIFICATE_BYTES, &text, error, error_bytes) != 0)
        return -1;
    int failed = gnutls_x509_crt_list_import2(&chain, &count, &text, GNUTLS_X509_FMT_PEM, 0);
    const bool empty = !holds(&text, "-----BEGIN CERTIFICATE-----");
    free(text.data);
    if (failed < 0)
        return complain(key, path, empty ? "there is no certificate (PEM) in it" : gnutls_strerror(failed),
                        error, error_bytes);
    if (count < 1 || count > CHAIN)
        failed = complain(key, path, "allowed are 1 to 16 certificates", error, error_bytes);
    else if ((failed = take_chain(chain, count, out)) < 0)
        complain(key, path, gnutls_strerror(failed), error, error_bytes);
    for (unsigned i = 0; i < count; i++)
        gnutls_x509_crt_deinit(chain[i]);
    gnutls_free(chain);
    return failed < 0 ? -1 : 0;
}

static int import_key(const char *path, const gnutls_datum_t *text, struct certificates *out, char *error,
                      size_t error_bytes)
{
    static const char key[] = "http.tls.key";
    if (holds(text, "ENCRYPTED"))
        return complain(key, path, "the key is protected by a passphrase: allowed is one that is not", error,
                        error_bytes);
    if (!holds(text, "PRIVATE KEY-----"))
        return complain(key, path, "there is no private key (PEM) in it", error, error_bytes);
    int failed = gnutls_x509_privkey_init(&out->key);
    if (failed >= 0)
        failed = gnutls_x509_privkey_import2(out->key, text, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN);
    if (failed >= 0)
        failed = gnutls_x509_privkey_verify_params(out->key);
    return failed < 0 ? complain(key, path, gnutls_strerror(failed), error, error_bytes) : 0;
}

static int read_key(const char *path, struct certificates *out, char *error, size_t error_bytes)
{
    gnutls_datum_t text;
    if (read_file("http.tls.key", path, KEY_BYTES, &text, error, error_bytes) != 0)
        return -1;
    const int failed = import_key(path, &text, out, error, error_bytes);
    gnutls_memset(text.data, 0, text.size);
    free(text.data);
    return failed;
}

/* ---- Checking ------------------------------------------------------------------------------------------ */

static bool same_key(const gnutls_datum_t *der, gnutls_x509_privkey_t key)
{
    unsigned char id[2][KEY_ID_BYTES];
    size_t bytes[2] = {KEY_ID_BYTES, KEY_ID_BYTES};
    gnutls_x509_crt_t certificate;
    if (gnutls_x509_crt_init(&certificate) < 0)
        return false;
    const bool same =
        gnutls_x509_crt_import(certificate, der, GNUTLS_X509_FMT_DER) >= 0 &&
        gnutls_x509_crt_get_key_id(certificate, GNUTLS_KEYID_USE_SHA256, id[0], &bytes[0]) >= 0 &&
        gnutls_x509_privkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256, id[1], &bytes[1]) >= 0 &&
        bytes[0] == bytes[1] && memcmp(id[0], id[1], bytes[0]) == 0;
    gnutls_x509_crt_deinit(certificate);
    return same;
}

static int check_pair(const struct config_tls *config, const struct certificates *certificates, char *error,
                      size_t error_bytes)
{
    char what[PATH_SHOWN_BYTES + 100], shown[PATH_SHOWN_BYTES];
    if (same_key(&certificates->der[0], certificates->key))
        return 0;
    text_show(shown, sizeof shown, config->certificate);
    snprintf(what, sizeof what, "the key does not belong to the certificate in %s", shown);
    for (unsigned i = 1; i < certificates->count; i++)
        if (same_key(&certificates->der[i], certificates->key))
            snprintf(what, sizeof what, "the key belongs to certificate %u in %s: that has to stand first",
                     i + 1, shown);
    return complain("http.tls.key", config->key, what, error, error_bytes);
}

/* An expired certificate still serves clients that do not check, and operators who need access. */
static void warn_of_expiry(const char *path, time_t expires)
{
    char date[40] = "?", shown[PATH_SHOWN_BYTES];
    struct tm utc;
    const double left_s = difftime(expires, time(NULL));
    if (left_s >= (double)WARN_DAYS * DAY_S)
        return;
    if (gmtime_r(&expires, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    text_show(shown, sizeof shown, path);
    log_write(LOG_WARNING, "tls", "%s: %s %s", shown,
              left_s < 0 ? "the certificate expired at" : "the certificate expires at", date);
}

/* Owned, with one reference; NULL: see error. */
static struct certificates *read_pair(const struct config_tls *config, char *error, size_t error_bytes)
{
    struct certificates *certificates = calloc(1, sizeof *certificates);
    if (!certificates) {
        snprintf(error, error_bytes, "http.tls: out of memory");
        return NULL;
    }
    refcount_init(&certificates->references, certificates_free);
    if (read_chain(config->certificate, certificates, error, error_bytes) != 0 ||
        read_key(config->key, certificates, error, error_bytes) != 0 ||
        check_pair(config, certificates, error, error_bytes) != 0) {
        refcount_release(&certificates->references);
        return NULL;
    }
    warn_of_expiry(config->certificate, certificates->expires);
    return certificates;
}

/* ---- Handing out --------------------------------------------------------------------------------------- */

static void copies_free(gnutls_pcert_st *chain, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        gnutls_pcert_deinit(&chain[i]);
    gnutls_free(chain);
}

/* The chain as GnuTLS wants it, owned; NULL: memory is short. */
static gnutls_pcert_st *copy_chain(const struct certificates *certificates)
{
    gnutls_pcert_st *chain = gnutls_calloc(certificates->count, sizeof *chain);
    for (unsigned i = 0; chain && i < certificates->count; i++)
        if (gnutls_pcert_import_x509_raw(&chain[i], &certificates->der[i], GNUTLS_X509_FMT_DER, 0) < 0) {
            copies_free(chain, i);
            chain = NULL;
        }
    return chain;
}

static gnutls_privkey_t copy_key(const struct certificates *certificates)
{
    gnutls_privkey_t key;
    if (gnutls_privkey_init(&key) < 0)
        return NULL;
    if (gnutls_privkey_import_x509(key, certificates->key, GNUTLS_PRIVKEY_IMPORT_COPY) >= 0)
        return key;
    gnutls_privkey_deinit(key);
    return NULL;
}

static struct certificates *current_hold(void)
{
    pthread_mutex_lock(&lock);
    struct certificates *certificates = current;
    if (certificates)
        refcount_hold(&certificates->references);
    pthread_mutex_unlock(&lock);
    return certificates;
}

/* A gnutls_certificate_retrieve_function3: below 0 ends the handshake. */
static int certificate_wanted(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                              gnutls_pcert_st **chain, unsigned *count, gnutls_ocsp_data_st **ocsp,
                              unsigned *ocsp_count, gnutls_privkey_t *key, unsigned *flags)
{
    struct certificates *certificates = current_hold();
    (void)session, (void)info;
    if (!certificates)
        return -1;
    *chain = copy_chain(certificates);
    *key = *chain ? copy_key(certificates) : NULL;
    *count = certificates->count;
    *ocsp = NULL;
    *ocsp_count = 0;
    *flags = GNUTLS_CERT_RETR_DEINIT_ALL;
    if (*chain && !*key) {
        copies_free(*chain, *count);
        *chain = NULL;
    }
    refcount_release(&certificates->references);
    return *chain ? 0 : -1;
}

void *tls_certificate_callback(void)
{
    gnutls_certificate_retrieve_function3 *const wanted = certificate_wanted;
    return (void *)wanted;
}

void *tls_priorities(void)
{
    static char priorities[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"; /* RFC 8996 */
    return priorities;
}

static void current_replace(struct certificates *certificates)
{
    pthread_mutex_lock(&lock);
    struct certificates *before = current;
    current = certificates;
    pthread_mutex_unlock(&lock);
    if (before)
        refcount_release(&before->references);
}

int tls_load(const struct config_tls *config, char *error, size_t error_bytes)
{
    struct certificates *certificates = read_pair(config, error, error_bytes);
    if (!certificates)
        return -1;
    current_replace(certificates);
    return 0;
}

int tls_check(const struct config_tls *config, char *error, size_t error_bytes)
{
    struct certificates *certificates = read_pair(config, error, error_bytes);
    if (!certificates)
        return -1;
    refcount_release(&certificates->references);
    return 0;
}

void tls_unload(void)
{
    current_replace(NULL);
}
