/*
 * terrane serve: starts the service, runs until a signal, shuts it down.
 *
 * Start: settings, memory, disk, shared tier, pool, self-test, listeners; then /readyz says so, and one line of JSON on
 * standard output. Shutdown, on SIGTERM or SIGINT: /readyz fails; GRACE_MS later the listener closes, after accepting
 * everything that had arrived; requests in progress finish, for at most DRAIN_MS; then every waiting request is answered 503,
 * and the queues of disk and shared tier are written. A second signal ends the process at once. SIGHUP reloads the
 * configuration.
 *
 * Threads: this one runs the libuv loop (signals, the pool's clock), and waits for no disk; those of http/ answer; the pool's
 * work; one each writes the disk tier, the shared tier and the access log, if there are any; one reads files for a reload, and
 * one looks at files of heights now and then.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

#include "../base/json_text.h"
#include "../config/config.h"
#include "../http/http.h"
#include "../render/spawn.h"
#include "../service/service.h"
#include "../service/tls.h"
#include "../tool/tool.h"
#include "selftest.h"
#include "supervisor.h"

enum {
    MAP_BYTES = 4 << 20,  /* blocks from this size on go back to the system when they are freed */
    KEEP_BYTES = 8 << 20, /* so much of smaller ones stays with a heap: new pages are slow for a tile */
    TICK_MS = 10,
    LOOK_MS = 1000,
    GRACE_MS = 250,  /* from unreadiness until the listener closes: for balancers to look */
    DRAIN_MS = 9000, /* requests under way have as long */
    QUIET_MS = 300,  /* connections without a request are cut after this long */
    SETTLE_MS = 500, /* for the answers of requests that are told to come back, and for a look at files */
    SPARE_DESCRIPTORS = 100,
    /* Measured: 15 for sockets, signals and the admin's threads; 14 for the cache, the log, and a few connections. */
    MIN_DESCRIPTORS = 29,
    THREAD_DESCRIPTORS = 3, /* of a thread that answers */
    INHERITED_MAX = 1024    /* descriptors that are looked at */
};

static const char usage[] =
    "usage: terrane serve [options]\n\n"
    "  --config FILE       settings over the built-in ones (config/README.md lists them)\n"
    "  --listen HOST:PORT  where to serve (default 127.0.0.1:8080; port 0 picks one)\n"
    "  --admin HOST:PORT   where /metrics is (default 127.0.0.1:8081; \"\" for nowhere)\n"
    "  --cache DIR         directory of the disk cache\n"
    "  --worlds DIR        directory of recipes beside the built-in ones (terrane recipe lists those)\n"
    "  --check-config      read all of the configuration, say what is wrong with it, and end\n"
    "  --print-config      write the configuration as it would be used, and end\n\n"
    "Prints one line of JSON when it is ready. SIGTERM or SIGINT finishes requests under way and ends it;\n"
    "SIGHUP reads the configuration anew.\n";

struct run {
    struct service service;
    struct http *public, *admin;
    int public_fd, admin_fd; /* from the service manager; -1: none */
    uv_loop_t loop;
    uv_timer_t tick;
    uv_signal_t terminate, interrupt, hang_up;
    uint64_t drain_since_ms, busy_ms; /* when the drain began, and when a request was last under way */
    uint64_t alive_ms;                /* when the service manager was last told */
    uint64_t looked_ms;               /* at files of heights */
    bool closed;                      /* the listener, while draining */

    /* A reload reads files of heights, which takes seconds: in a thread of its own, of which there is one at a time. */
    uv_thread_t reloader;
    bool reloading, again; /* again: SIGHUP has come since */
    bool refused;          /* reloader's, until it has done */
    atomic_bool reloaded;  /* it has */

    /* A look at files of heights waits for their disk, which may hang: likewise. */
    uv_thread_t looker;
    bool looking;
    atomic_bool looked;
};

/* ---- Configuration ------------------------------------------------------------------------------------- */

/* --print-config: the exit status. */
static int print_config(const struct settings *settings)
{
    char *text = config_text(&settings->config);
    if (config_has_secret(&settings->config))
        fputs("terrane serve: cache.shared holds a password, which is not shown: asterisks stand for it\n",
              stderr);
    if (text)
        fputs(text, stdout);
    else
        fputs("terrane serve: out of memory\n", stderr);
    free(text);
    return text ? 0 : 1; /* main sees to it that all is written */
}

static int fail(const char *error)
{
    fprintf(stderr, "terrane serve: %s\n", error);
    return 3;
}

/* 0: go on; else the exit status, and one more. */
static int configure(struct service *service, int argc, char **argv)
{
    struct settings_source source = {.override = {{"listen", "--listen", NULL},
                                                  {"admin", "--admin", NULL},
                                                  {"cache.dir", "--cache", NULL},
                                                  {"worlds.dir", "--worlds", NULL}}};
    bool check = false, print = false;
    const struct option_spec specs[] = {{"config", 0, &source.file, NULL},
                                        {"listen", 0, &source.override[0].value, NULL},
                                        {"admin", 0, &source.override[1].value, NULL},
                                        {"cache", 0, &source.override[2].value, NULL},
                                        {"worlds", 0, &source.override[3].value, NULL},
                                        {"check-config", 0, NULL, &check},
                                        {"print-config", 0, NULL, &print},
                                        {0}};
    char error[CONFIG_ERROR_BYTES];
    const char *word;
    int words;
    const int ended = options_read("serve", usage, argc, argv, specs, &word, 0, &words);
    if (ended != OPTIONS_FINE)
        return ended + 1;
    source.looks = check || print;
    if (service_begin(service, &source, error, sizeof error) != 0)
        return fail(error);
    config_environment_warn();
    const struct config_tls *tls = &service->settings->config.http.tls;
    if (*tls->certificate && tls_load(tls, error, sizeof error) != 0)
        return fail(error);
    if (print)
        return print_config(service->settings) + 1;
    if (check) {
        puts("the configuration is good");
        return 1;
    }
    return 0;
}

/* ---- Up and down --------------------------------------------------------------------------------------- */

static unsigned threads_of(const struct settings *settings)
{
    return host_limits_threads(&settings->limits, &settings->config);
}

/* Logs how the host's limits changed the configuration, if they did. */
static void tell_limits(const struct settings *settings)
{
    if (settings->limits.quota)
        log_write(LOG_INFO, "serve", "the control group's processor time is that of %u core%s",
                  settings->limits.cores, settings->limits.cores > 1 ? "s" : "");
    if (*settings->note)
        log_write(settings->fits ? LOG_INFO : LOG_WARNING, "serve", "%s", settings->note);
    settings_tell_unpinned(settings);
}

/* Counts open descriptors: the standard ones, and those that the process was given. */
static unsigned count_descriptors(void)
{
    unsigned open = 0;
    for (int fd = 0; fd < INHERITED_MAX; fd++)
        open += fcntl(fd, F_GETFD) >= 0;
    return open;
}

/*
 * Raises the limit of descriptors as far as the system allows: connections need them. False, after a log line: too
 * few to start.
 */
static bool raise_descriptors(const struct config_http *http)
{
    const unsigned min = count_descriptors() + MIN_DESCRIPTORS + THREAD_DESCRIPTORS * http->threads;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return true;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < min) {
        fprintf(stderr,
                "terrane serve: %llu descriptors are allowed (ulimit -n), and at least %u are needed with "
                "http.threads=%u\n",
                (unsigned long long)limit.rlim_cur, min, http->threads);
        return false;
    }
    if (limit.rlim_cur < http->connections + SPARE_DESCRIPTORS)
        log_write(LOG_WARNING, "serve", "%llu descriptors are fewer than http.connections (%u) may need",
                  (unsigned long long)limit.rlim_cur, http->connections);
    return true;
}

/* A worker briefly needs tens of megabytes for a region: they must not stay with the thread's heap. A tile's memory does. */
static void return_large_blocks(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, MAP_BYTES);
#endif
#ifdef M_TRIM_THRESHOLD
    mallopt(M_TRIM_THRESHOLD, KEEP_BYTES);
#endif
}

/* Readers: the pool's disk thread, and the threads that answer, each with its own index. */
static bool open_disk(struct service *service)
{
    const struct config *config = &service->settings->config;
    const struct config_cache *cache = &config->cache;
    const char *why = "out of memory";
    if (cache->disk_bytes == 0)
        return true;
    char *dir = config_cache_dir(config);
    const struct disk_options options = {
        .dir = dir,
        .quota_bytes = cache->disk_bytes,
        .quota_rows = cache->disk_rows,
        .write_behind_bytes = cache->write_behind_bytes,
        .write_interval_ms = cache->write_interval_ms,
        .retry_interval_ms = cache->retry_interval_ms,
        .readers = (int)(POOL_LOOKERS + config->http.threads),
    };
    if (dir)
        service->disk = disk_open(&options, &why);
    if (!service->disk)
        fprintf(stderr, "terrane serve: cache directory %s: %s\n", dir ? dir : "", why);
    free(dir);
    return service->disk != NULL;
}

/* Does not wait for the store, which may appear later, or never. */
static bool open_shared(struct service *service)
{
    const struct config_cache *cache = &service->settings->config.cache;
    char error[REMOTE_ERROR_BYTES];
    if (!*cache->shared)
        return true;
    const struct remote_options options = {
        .url = service->settings->shared_url,
        .ca = cache->shared_ca,
        .timeout_ms = cache->shared_timeout_ms,
        .lease_ms = cache->shared_lease_ms,
        .retry_ms = cache->shared_retry_ms,
        .expire_s = cache->shared_expire_s,
        .write_behind_bytes = cache->write_behind_bytes,
        .readers = POOL_ASKERS,
    };
    service->remote = remote_open(&options, error, sizeof error);
    if (!service->remote)
        fprintf(stderr, "terrane serve: cache.shared: %s\n", error);
    return service->remote != NULL;
}

static bool start_pool(struct service *service)
{
    const struct config *config = &service->settings->config;
    const struct pool_options options = {
        .threads = threads_of(service->settings),
        .queue = config->render.queue,
        .deadline_ms = config->render.deadline_ms,
        .memory = service->memory,
        .disk = service->disk,
        .remote = service->remote,
        .remote_regions = config->cache.shared_regions,
        .remote_wait_ms = config->cache.shared_lease_ms,
        .remote_turn_ms = 2 * config->cache.shared_timeout_ms,
        .metrics = &service->metrics,
    };
    service->pool = pool_start(&options);
    if (!service->pool)
        fprintf(stderr, "terrane serve: cannot start %u render threads\n", options.threads);
    return service->pool != NULL;
}

static int start_listeners(struct run *run, char *error, size_t error_bytes)
{
    struct service *service = &run->service;
    const struct config *config = &service->settings->config;
    if (supervisor_sockets(&run->public_fd, &run->admin_fd, error, error_bytes) != 0)
        return -1;
    run->public = http_start(service, config->listen, run->public_fd, false, error, error_bytes);
    if (!run->public)
        return -1;
    atomic_store(&service->front, run->public);
    if (!*config->admin && run->admin_fd < 0)
        return 0;
    run->admin = http_start(service, *config->admin ? config->admin : "localhost:0", run->admin_fd, true,
                            error, error_bytes);
    return run->admin ? 0 : -1;
}

static bool start(struct run *run)
{
    struct service *service = &run->service;
    const struct config *config = &service->settings->config;
    char error[CONFIG_ERROR_BYTES];
    blob_set_view_free(http_view_free);
    service->memory = memory_create(config->cache.memory_bytes);
    service->clients = clients_create();
    service->spawns = spawns_create();
    if (!service->memory || !service->clients || !service->spawns || !open_disk(service) ||
        !open_shared(service) || !start_pool(service))
        return false;
    if (!service_open_worlds(service, error, sizeof error)) {
        fail(error);
        return false;
    }
    if (*config->log.access)
        atomic_store(&service->log,
                     access_log_open(config->log.access, &service->metrics, error, sizeof error));
    if ((*config->log.access && !atomic_load(&service->log)) ||
        (config->render.selftest && selftest_run(error, sizeof error) != 0)) {
        fail(error);
        return false;
    }
    /* Set before the first request: a node that restarts under load refuses nobody. */
    atomic_store(&service->tested, true);
    if (start_listeners(run, error, sizeof error) != 0) {
        fail(error);
        return false;
    }
    if (service->follow && !follow_start(service->follow)) {
        fail("worlds.follow: no thread is to be had");
        return false;
    }
    http_open(run->public);
    if (run->admin)
        http_open(run->admin);
    return true;
}

static void reload_end(struct run *run);
static bool look_end(struct run *run);

/* A thread that looks for tiles waits for it, or one that answers. */
static bool disk_hangs(const struct run *run)
{
    return pool_disk_hangs(run->service.pool) || !http_alive(run->public);
}

/* A disk of the cache that hangs would keep the end waiting for ever: what does not need it ends, and the rest with the process. */
static void leave_hung_disk(struct run *run)
{
    struct service *service = &run->service;
    if (!service->pool)
        return;
    pool_refuse(service->pool);
    for (int ms = 0; ms < SETTLE_MS && disk_hangs(run); ms += TICK_MS)
        uv_sleep(TICK_MS);
    if (!disk_hangs(run))
        return;
    log_write(LOG_WARNING, "serve", "the cache's disk does not answer: the end does not wait for it");
    follow_stop(service->follow);
    shared_quiesce(service->shared);
    for (int ms = 0; ms < SETTLE_MS && atomic_load(&service->active) > 0; ms += TICK_MS)
        uv_sleep(TICK_MS);
    if (service->remote)
        remote_flush(service->remote);
    uv_sleep(SETTLE_MS); /* lines of the access log are written within a tenth of a second */
    _exit(EXIT_FAILURE);
}

static void stop(struct run *run)
{
    struct service *service = &run->service;
    atomic_store(&service->draining, true); /* if it never served: streams of events end by that */
    leave_hung_disk(run);
    pool_join(service->pool); /* nobody waits for it from here on, nor can */
    follow_stop(service->follow);
    shared_quiesce(service->shared);
    for (int ms = 0; ms < SETTLE_MS && atomic_load(&service->active) > 0; ms += TICK_MS)
        uv_sleep(TICK_MS); /* for the answers of requests that have just been refused */
    if (run->reloading)
        reload_end(run);
    http_stop(run->admin); /* looks at the other */
    atomic_store(&service->front, NULL);
    http_stop(run->public);
    pool_free(service->pool);
    remote_close(service->remote);
    memory_free(service->memory);
    access_log_close(atomic_load(&service->log));
    clients_free(service->clients);
    spawns_free(service->spawns);
    tls_unload();
    service_close_worlds(service);
    disk_close(service->disk); /* what is queued is written: last, as its disk may hang */
    if (look_end(run))
        service_end(service); /* else the process's end is the look's, which has the settings until then */
}

/* ---- The loop ------------------------------------------------------------------------------------------ */

/* Tells the service manager that all watched threads are alive. */
static void keep_watch(struct run *run, uint64_t now)
{
    const uint64_t every_ms = supervisor_watchdog_ms();
    if (!every_ms || now - run->alive_ms < every_ms || !http_alive(run->public))
        return;
    run->alive_ms = now;
    supervisor_alive();
}

static void quit(int number)
{
    (void)number;
    _exit(1);
}

static void reload(void *argument)
{
    struct run *run = argument;
    char restart[400], error[CONFIG_ERROR_BYTES];
    run->refused = service_reload(&run->service, true, restart, sizeof restart, error, sizeof error) != 0;
    atomic_store(&run->reloaded, true);
}

static void reload_end(struct run *run)
{
    uv_thread_join(&run->reloader);
    run->reloading = false;
    if (!atomic_load(&run->service.draining))
        supervisor_ready(run->refused ? "serving; the last reload was refused" : "serving, reloaded");
}

static void reload_begin(struct run *run)
{
    run->again = run->reloading;
    if (run->reloading)
        return;
    supervisor_reloading();
    atomic_store(&run->reloaded, false);
    run->reloading = uv_thread_create(&run->reloader, reload, run) == 0;
    if (run->reloading)
        return;
    log_write(LOG_ERROR, "reload", "the configuration stays as it was: no thread is to be had");
    supervisor_ready("serving; the last reload was refused");
}

static void look(void *argument)
{
    struct run *run = argument;
    service_look_at_files(&run->service);
    atomic_store(&run->looked, true);
}

/* False: a look is under way. */
static bool look_ended(struct run *run)
{
    if (run->looking && !atomic_load(&run->looked))
        return false;
    if (run->looking)
        uv_thread_join(&run->looker);
    run->looking = false;
    return true;
}

static void look_begin(struct run *run, uint64_t now)
{
    if (now - run->looked_ms < LOOK_MS || !look_ended(run))
        return;
    run->looked_ms = now;
    atomic_store(&run->looked, false);
    run->looking = uv_thread_create(&run->looker, look, run) == 0;
}

/* Waits for a look, but not for one that hangs: then false. */
static bool look_end(struct run *run)
{
    for (int ms = 0; ms < SETTLE_MS && !look_ended(run); ms += TICK_MS)
        uv_sleep(TICK_MS);
    return look_ended(run);
}

static void ticked(uv_timer_t *timer)
{
    struct run *run = timer->data;
    const uint64_t now = uv_now(&run->loop);
    pool_tick(run->service.pool);
    keep_watch(run, now);
    if (run->reloading && atomic_load(&run->reloaded)) {
        reload_end(run);
        if (run->again && !atomic_load(&run->service.draining))
            reload_begin(run);
    }
    if (!atomic_load(&run->service.draining)) {
        look_begin(run, now);
        return;
    }
    if (!run->closed && now - run->drain_since_ms >= GRACE_MS) {
        run->closed = true;
        http_quiesce(run->public);
    }
    if (atomic_load(&run->service.active) > 0)
        run->busy_ms = now;
    const bool quiet = now - run->busy_ms >= QUIET_MS || atomic_load(&run->service.metrics.connections) == 0;
    if ((run->closed && quiet) || now - run->drain_since_ms >= DRAIN_MS)
        uv_stop(&run->loop);
}

static void signalled(uv_signal_t *handle, int number)
{
    struct run *run = handle->data;
    if (atomic_load(&run->service.draining)) {
        log_write(LOG_WARNING, "serve", "second signal: ending at once");
        _exit(1);
    }
    run->drain_since_ms = run->busy_ms = uv_now(&run->loop);
    atomic_store(&run->service.ready, false);
    atomic_store(&run->service.draining, true);
    log_write(LOG_INFO, "serve", "%s: finishing requests under way", /* when it is so */
              number == SIGINT ? "interrupted" : "terminating");
    supervisor_stopping();
}

static void hung_up(uv_signal_t *handle, int number)
{
    struct run *run = handle->data;
    (void)number;
    if (!atomic_load(&run->service.draining))
        reload_begin(run);
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
        if (fflush(stdout) != 0) { /* it serves all the same */
            log_write(LOG_WARNING, "serve", "standard output: %s", strerror(errno));
            __fpurge(stdout);
            clearerr(stdout);
        }
    }
    free(text);
}

/* False, after a line, where memory or descriptors are short; what was made of it is left to the process's end. */
static bool loop_open(struct run *run)
{
    uv_signal_t *const signals[] = {&run->terminate, &run->interrupt, &run->hang_up};
    int error = uv_loop_init(&run->loop);
    if (error == 0)
        error = uv_timer_init(&run->loop, &run->tick);
    run->tick.data = run;
    for (int i = 0; i < 3 && error == 0; i++) {
        error = uv_signal_init(&run->loop, signals[i]);
        signals[i]->data = run;
    }
    if (error != 0)
        fprintf(stderr, "terrane serve: cannot begin: %s\n", uv_strerror(error));
    return error == 0;
}

static void loop_run(struct run *run)
{
    uv_signal_t *const signals[] = {&run->terminate, &run->interrupt, &run->hang_up};
    uv_timer_start(&run->tick, ticked, TICK_MS, TICK_MS);
    uv_signal_start(&run->terminate, signalled, SIGTERM);
    uv_signal_start(&run->interrupt, signalled, SIGINT);
    uv_signal_start(&run->hang_up, hung_up, SIGHUP);

    atomic_store(&run->service.ready, true);
    announce(run);
    supervisor_ready("serving");
    log_write(LOG_INFO, "serve", "serving on %s with %s kernels and %u render threads", http_url(run->public),
              terrane_isa(), threads_of(run->service.begun));
    uv_run(&run->loop, UV_RUN_DEFAULT);
    uv_close((uv_handle_t *)&run->tick, NULL);
    for (int i = 0; i < 2; i++)
        uv_close((uv_handle_t *)signals[i], NULL);
    uv_unref((uv_handle_t *)&run
                 ->hang_up); /* not closed: SIGHUP would end the process, which has things to write yet */
    uv_run(&run->loop, UV_RUN_DEFAULT);
    signal(SIGTERM, quit); /* a second one while a reload is waited for */
    signal(SIGINT, quit);
}

int serve_command(int argc, char **argv)
{
    static struct run run; /* holds all counters: too large for a stack, and there is one server */
    run.public_fd = run.admin_fd = -1;
    if (getpid() == 1) { /* of a container: until it can be served, a signal that has no handler is lost */
        signal(SIGTERM, quit);
        signal(SIGINT, quit);
    }
    const int done = configure(&run.service, argc, argv);
    if (done) {
        tls_unload();
        service_end(&run.service);
        return done - 1;
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN); /* until it can be served */
    log_set_level(run.service.settings->config.log.level);
    tell_limits(run.service.settings);
    return_large_blocks();
    const bool started =
        raise_descriptors(&run.service.settings->config.http) && loop_open(&run) && start(&run);
    if (started)
        loop_run(&run);
    stop(&run);
    return started ? 0 : 1;
}
