/*
 * Fuzzing the configuration: any bytes as a file over the defaults, and as a word of the command line.
 *
 * Whatever comes in, the parser ends, owns what it made, and either says why not in one printable line or
 * leaves a configuration that keeps its promises: it can be written as a text that says the same. Seeds: tests/fuzz/corpus/config.
 */
#include "../../server/config/config.h"
#include "fuzz_kit.h"

static void require_whole(const struct config *config)
{
    char host[TEXT_HOST_BYTES];
    uint16_t port;

    if (config->listen)
        require(text_split_address(config->listen, host, sizeof host, &port), "listen is no address");
    if (config->admin && config->admin[0] != '\0')
        require(text_split_address(config->admin, host, sizeof host, &port), "admin is no address");
    require(config->log.level < LOG_LEVELS, "log.level is no level");
    require(config->http.hosts.count <= CONFIG_LIST && config->http.trusted_proxies.count <= CONFIG_LIST,
            "a list is too long");
    require(config->worlds.named.count <= CONFIG_WORLDS, "too many worlds");
    for (size_t i = 0; i < config->worlds.named.count; i++) {
        const struct config_world *const world = &config->worlds.named.world[i];
        require(config_world_find(config, world->name, strlen(world->name)) == world, "a world is not found");
    }
}

/* Print, load, print: the same text. */
static void require_round_trip(const struct config *config)
{
    struct config again = {0};
    char error[CONFIG_ERROR_BYTES] = "", names[512];

    char *const text = config_text(config);
    require(text != NULL, "a configuration cannot be written");
    if (config_parse(&again, text, strlen(text), "text.json", error, sizeof error) != 0)
        require(false, error);
    char *const text_again = config_text(&again);
    require(text_again && strcmp(text, text_again) == 0, "what was read is not what was written");
    config_needs_restart(config, &again, names, sizeof names);
    free(text);
    free(text_again);
    config_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const keys[] = {"listen",    "cache.dir",   "render.queue", "cache.disk_bytes",
                                       "log.level", "worlds.open", "http.tls.key"};
    struct config config = {0};
    char error[CONFIG_ERROR_BYTES] = "";

    require(config_load(&config, NULL, error, sizeof error) == 0, "the defaults are refused");
    if (config_parse(&config, (const char *)data, bytes, "fuzz.json", error, sizeof error) != 0)
        require_line(error, sizeof error, "");
    require_whole(&config);
    require_round_trip(&config);
    if (config_check(&config, "fuzz.json", error, sizeof error) != 0)
        require_line(error, sizeof error, "");

    char *const word = copy(data, bytes, true);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (config_set(&config, keys[k], word, "--word", error, sizeof error) != 0)
            require_line(error, sizeof error, "");
    require_whole(&config);
    require_round_trip(&config);
    free(word);
    config_free(&config);
    return 0;
}
