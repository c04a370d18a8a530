/*
 * Fuzzing the configuration: any bytes as a file, as an address, and as a word of the command line.
 *
 * Whatever comes in, the parser ends, owns what it made, and either says why not in one printable line or
 * leaves a configuration that keeps its promises. Seeds: tests/fuzz/corpus/config.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../server/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Always on, unlike assert. */
static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_config: %s\n", what);
    abort();
}

static void require_message(const char *error)
{
    const size_t bytes = strlen(error);

    require(bytes > 0 && bytes < CONFIG_ERROR_BYTES, "a refusal without a message");
    for (size_t i = 0; i < bytes; i++)
        require((unsigned char)error[i] >= 0x20 && error[i] != 0x7f, "a control character in a message");
}

static void require_whole(const struct config *config)
{
    char host[CONFIG_HOST_BYTES];
    uint16_t port;

    if (config->listen)
        require(config_split_address(config->listen, host, sizeof host, &port), "listen is no address");
    if (config->admin && config->admin[0] != '\0')
        require(config_split_address(config->admin, host, sizeof host, &port), "admin is no address");
    require(config->log.level < LOG_LEVELS, "log.level is no level");
    require(config->worlds.named.count <= CONFIG_WORLDS, "too many worlds");
    for (size_t i = 0; i < config->worlds.named.count; i++) {
        const struct config_world *const world = &config->worlds.named.world[i];
        require(config_world_find(config, world->name, strlen(world->name)) == world, "a world is not found");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const keys[] = {"listen", "cache.dir", "render.queue", "cache.disk_bytes",
                                       "log.level"};
    struct config config = {0};
    char error[CONFIG_ERROR_BYTES] = "";

    if (config_parse(&config, (const char *)data, bytes, "fuzz.json", error, sizeof error) != 0)
        require_message(error);
    require_whole(&config);

    char *const word = malloc(bytes + 1);
    require(word != NULL, "out of memory");
    memcpy(word, data, bytes);
    word[bytes] = '\0';
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (config_set(&config, keys[k], word, "--word", error, sizeof error) != 0)
            require_message(error);
    require_whole(&config);
    free(word);
    config_free(&config);
    return 0;
}
