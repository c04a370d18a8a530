/*
 * TLS: certificates that a reload can replace. Used where http.tls is configured; libmicrohttpd and GnuTLS do the rest.
 */
#ifndef TERRANE_SERVER_TLS_H
#define TERRANE_SERVER_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "../config/config.h"

/*
 * Reads certificate chain and key (PEM), checks that they match and uses them for new connections; open ones keep theirs.
 * Returns 0, or -1 with one line in error: the previous ones stay. Main thread.
 */
int tls_load(const struct config_tls *config, char *error, size_t error_bytes);

/* The same without making them current: for --check-config and reloads. */
int tls_check(const struct config_tls *config, char *error, size_t error_bytes);

/* For MHD_OPTION_HTTPS_CERT_CALLBACK2 (a gnutls_certificate_retrieve_function3): any thread. */
void *tls_certificate_callback(void);

/* For MHD_OPTION_HTTPS_PRIORITIES: GnuTLS' own choice, from TLS 1.2 on. */
void *tls_priorities(void);

/* Frees the current certificates. No connection may be open. */
void tls_unload(void);

#endif
