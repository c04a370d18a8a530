/*
 * terrane serve: builds the service up, runs until a signal, takes it down.
 *
 * Up: memory, disk, pool, listeners; then one line of JSON on standard output. Down, on SIGTERM or SIGINT:
 * /readyz fails and the listener closes; requests under way are finished, at most DRAIN_MS; then everybody
 * still waiting is told to come back, and what is queued for the disk is written. A second signal ends the
 * process at once.
 *
 * Threads: this one runs the libuv loop (signals, the pool's clock); libmicrohttpd's answer; the pool's work;
 * the disk's writer writes.
 */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

#include "check.h"
#include "http/http.h"
#include "json_text.h"
#include "service.h"
#include "tool/options.h"
#include "tool/tool.h"

enum {
    MAP_BYTES = 1 << 20, /* blocks from this size on go back to the system when they are freed */
    TICK_MS = 10,
    DRAIN_MS = 9000, /* requests under way have as long */
    QUIET_MS = 300,  /* connections without a request are cut after this long */
    SETTLE_MS = 500  /* for the answers of those who are told to come back */
};

static const char usage[] =
    "usage: terrane serve [options]\n\n"
    "  --config FILE       settings over the built-in ones (config/README.md lists them)\n"
    "  --listen HOST:PORT  where to serve (default 127.0.0.1:8080; port 0 picks one)\n"
    "  --admin HOST:PORT   where /metrics is (default 127.0.0.1:8081; \"\" for nowhere)\n"
    "  --cache DIR         directory of the disk cache\n"
    "  --worlds DIR        directory of recipes beside the built-in ones (terrane recipe lists those)\n\n"
    "Prints one line of JSON when it is ready. SIGTERM or SIGINT finishes requests under way and ends it.\n";

struct run {
    struct service service;
    struct http *public, *admin;
    uv_loop_t loop;
    uv_timer_t tick;
    uv_signal_t terminate, interrupt;
    uint64_t drain_since_ms, busy_ms; /* when the drain began, and when a request was last under way */
};

/* ---- Configuration ------------------------------------------------------------------------------------- */

/* 0: go on; else the exit status, and one more. */
static int configure(struct service *service, int argc, char **argv)
{
    struct config *config = &service->config;
    enum { KEYS = 4 };
    const char *file = NULL, *value[KEYS] = {NULL};
    static const char *const key[KEYS] = {"listen", "admin", "cache.dir", "worlds.dir"};
    static const char *const label[KEYS] = {"--listen", "--admin", "--cache", "--worlds"};
    bool help = false;
    const struct option_spec specs[] = {{"config", 0, &file, NULL},
                                        {"listen", 0, &value[0], NULL},
                                        {"admin", 0, &value[1], NULL},
                                        {"cache", 0, &value[2], NULL},
                                        {"worlds", 0, &value[3], NULL},
                                        {"help", 'h', NULL, &help},
                                        {0}};
    char error[CONFIG_ERROR_BYTES];
    const char *word;
    int words;
    if (options_read("serve", argc, argv, specs, &word, 0, &words) != 0)
        return 3;
    if (help) {
        fputs(usage, stdout);
        return 1;
    }
    int failed = config_load(config, file, error, sizeof error);
    for (int i = 0; i < KEYS && !failed; i++)
        if (value[i])
            failed = config_set(config, key[i], value[i], label[i], error, sizeof error);
    if (!failed)
        failed = worlds_open(&service->worlds, config, error, sizeof error);
    if (failed) {
        fprintf(stderr, "terrane serve: %s\n", error);
        return 3;
    }
    return 0;
}

/* ---- Up and down --------------------------------------------------------------------------------------- */

static unsigned threads_of(const struct config *config)
{
    return config->render.threads ? config->render.threads : uv_available_parallelism();
}

/* As many descriptors as the system grants: connections need them. */
static void raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* A worker's memory for a region is tens of megabytes for a moment: it must not stay with the thread's heap. */
static void return_large_blocks(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, MAP_BYTES);
#endif
}

static bool open_disk(struct service *service)
{
    const struct config_cache *cache = &service->config.cache;
    const char *why = "out of memory";
    if (cache->disk_bytes == 0)
        return true;
    char *dir = config_cache_dir(&service->config);
    const struct disk_options options = {
        .dir = dir,
        .quota_bytes = cache->disk_bytes,
        .quota_rows = cache->disk_rows,
        .write_behind_bytes = cache->write_behind_bytes,
        .write_interval_ms = cache->write_interval_ms,
        .retry_interval_ms = cache->retry_interval_ms,
        .readers = (int)threads_of(&service->config),
    };
    if (dir)
        service->disk = disk_open(&options, &why);
    if (!service->disk)
        fprintf(stderr, "terrane serve: cache directory %s: %s\n", dir ? dir : "", why);
    free(dir);
    return service->disk != NULL;
}

static bool start(struct run *run)
{
    struct service *service = &run->service;
    char error[400];
    blob_set_view_free(http_view_free);
    service->memory = memory_create(service->config.cache.memory_bytes);
    if (!service->memory || !open_disk(service))
        return false;
    const struct pool_options options = {
        .threads = threads_of(&service->config),
        .queue = service->config.render.queue,
        .deadline_ms = service->config.render.deadline_ms,
        .memory = service->memory,
        .disk = service->disk,
        .metrics = &service->metrics,
    };
    service->pool = pool_start(&options);
    if (!service->pool) {
        fprintf(stderr, "terrane serve: cannot start %u render threads\n", options.threads);
        return false;
    }
    run->public = http_start(service, service->config.listen, false, error, sizeof error);
    if (run->public && *service->config.admin)
        run->admin = http_start(service, service->config.admin, true, error, sizeof error);
    if (!run->public || (*service->config.admin && !run->admin)) {
        fprintf(stderr, "terrane serve: %s\n", error);
        return false;
    }
    return true;
}

static void stop(struct run *run)
{
    struct service *service = &run->service;
    pool_join(service->pool); /* nobody waits for it from here on, nor can */
    for (int ms = 0; ms < SETTLE_MS && atomic_load(&service->active) > 0; ms += TICK_MS)
        uv_sleep(TICK_MS); /* for the answers of those who have just been refused */
    http_stop(run->public);
    http_stop(run->admin);
    pool_free(service->pool);
    disk_close(service->disk);
    memory_free(service->memory);
    worlds_close(&service->worlds);
    config_free(&service->config);
}

/* ---- The loop ------------------------------------------------------------------------------------------ */

static void ticked(uv_timer_t *timer)
{
    struct run *run = timer->data;
    const uint64_t now = uv_now(&run->loop);
    pool_expire(run->service.pool);
    if (!atomic_load(&run->service.draining))
        return;
    if (atomic_load(&run->service.active) > 0)
        run->busy_ms = now;
    const bool idle = now - run->busy_ms >= QUIET_MS || atomic_load(&run->service.metrics.connections) == 0;
    if (idle || now - run->drain_since_ms >= DRAIN_MS)
        uv_stop(&run->loop);
}

static void signalled(uv_signal_t *handle, int number)
{
    struct run *run = handle->data;
    if (atomic_load(&run->service.draining)) {
        log_write(LOG_WARNING, "serve", "second signal: ending at once");
        _exit(1);
    }
    log_write(LOG_INFO, "serve", "%s: finishing requests under way",
              number == SIGINT ? "interrupted" : "terminating");
    run->drain_since_ms = run->busy_ms = uv_now(&run->loop);
    atomic_store(&run->service.ready, false);
    atomic_store(&run->service.draining, true);
    http_quiesce(run->public);
}

static void announce(const struct run *run)
{
    json_t *line = json_pack("{s:s, s:s, s:s*, s:i, s:s, s:s}", "event", "ready", "listen",
                             http_url(run->public), "admin", run->admin ? http_url(run->admin) : NULL, "pid",
                             (int)getpid(), "version", TERRANE_VERSION, "isa", terrane_isa());
    size_t bytes;
    char *text = json_text(line, JSON_COMPACT, &bytes);
    if (text) {
        fputs(text, stdout);
        fflush(stdout);
    }
    free(text);
}

static void loop_run(struct run *run)
{
    CHECK(uv_loop_init(&run->loop) == 0);
    CHECK(uv_timer_init(&run->loop, &run->tick) == 0 && uv_signal_init(&run->loop, &run->terminate) == 0 &&
          uv_signal_init(&run->loop, &run->interrupt) == 0);
    run->tick.data = run->terminate.data = run->interrupt.data = run;
    uv_timer_start(&run->tick, ticked, TICK_MS, TICK_MS);
    uv_signal_start(&run->terminate, signalled, SIGTERM);
    uv_signal_start(&run->interrupt, signalled, SIGINT);

    atomic_store(&run->service.ready, true);
    announce(run);
    log_write(LOG_INFO, "serve", "serving on %s with %s kernels and %u render threads", http_url(run->public),
              terrane_isa(), threads_of(&run->service.config));
    uv_run(&run->loop, UV_RUN_DEFAULT);

    uv_close((uv_handle_t *)&run->tick, NULL);
    uv_close((uv_handle_t *)&run->terminate, NULL);
    uv_close((uv_handle_t *)&run->interrupt, NULL);
    uv_run(&run->loop, UV_RUN_DEFAULT);
    uv_loop_close(&run->loop);
}

int serve_command(int argc, char **argv)
{
    static struct run run; /* holds all counters: too large for a stack, and there is one server */
    const int done = configure(&run.service, argc, argv);
    if (done)
        return done - 1;
    signal(SIGPIPE, SIG_IGN);
    log_set_level(run.service.config.log.level);
    raise_descriptors();
    return_large_blocks();
    const bool started = start(&run);
    if (started)
        loop_run(&run);
    stop(&run);
    return started ? 0 : 1;
}
