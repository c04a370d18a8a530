/*
 * What the tests of the access log share: an entry as a server writes it.
 */
#ifndef TERRANE_TESTS_ACCESS_KIT_H
#define TERRANE_TESTS_ACCESS_KIT_H

#include "../unit.h"

#include "../../../server/observe/access_log.h"

static const struct access_entry plain = {
    .id = "5f0c",
    .client = "192.0.2.7",
    .key = "game",
    .method = "GET",
    .target = "/tile/42/0/3/-7.png",
    .agent = "viewer/1.0",
    .route = ROUTE_TILE,
    .status = 200,
    .bytes = 81211,
    .tier = TIER_RENDER,
    .queue_ns = 41999,
    .region_ns = 12103000,
    .render_ns = 1402000,
    .total_ns = 14002000,
};

#endif
