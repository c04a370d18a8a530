/*
 * What terrane seed --help says.
 */
#ifndef TERRANE_SERVER_SEED_USAGE_H
#define TERRANE_SERVER_SEED_USAGE_H

extern const char seed_usage[];

#endif
