/*
 * Loops.
 *
 * libmicrohttpd runs without threads of its own: its epoll set is one descriptor in the loop's, and MHD_run is called
 * whenever that is readable, a worker has resumed a connection, or MHD_get_timeout says so. Its own thread pool is not used:
 * in 0.9.75 a thread that finds exactly 128 ready connections (or a multiple) waits for its timeout before it serves them.
 * Resuming does not wake its epoll set either when it has no thread: the loop's event does.
 *
 * Invariants: a connection is in the list of the loop whose thread MHD calls on; only that thread touches it.
 */
#include "loop.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/check.h"
#include "../base/text.h"
#include "../base/turn.h"
#include "../observe/log.h"
#include "../service/tls.h"
#include "feed.h"
#include "gate.h"
#include "request.h"

enum {
    SWEEP_MS = 250,         /* between looks for late connections */
    NO_DESCRIPTOR_MS = 100, /* pause after accept found none */
    WARN_MS = 60000,
    BACKLOG_TURNS = 64,
    ACCEPT_MAX = 64,        /* connections taken in one turn, so that those at hand are served too */
    UNSENT_BYTES = 1 << 20, /* most tiles whole: the kernel goes on sending what the server has done with */
    SOCKET_BYTES = 8 << 20, /* of an answer, that sockets take at once, however slow its client is */
    ADMIN_CONNECTIONS = 64,
    LOOKS = 16,  /* at connections, for one that has sent nothing */
    BEYOND = 16, /* one in so many, while other loops look for one to close */
};

#define NEVER UINT64_MAX
static const uint64_t MS = 1000000, S = 1000000000;

/* ---- Connections --------------------------------------------------------------------------------------- */

void connection_enter(struct connection *connection, enum connection_phase phase, uint64_t bytes)
{
    const struct config_http *config = &connection->loop->settings->config.http;
    const uint64_t now = uv_hrtime();
    connection->phase = phase;
    connection->left = false;
    holders_set_idle(&connection->loop->holders, connection, false);
    holders_set_idle(&connection->loop->holders, connection,
                     (phase == PHASE_IDLE || phase == PHASE_REQUEST) && !connection->cut);
    switch (phase) {
    case PHASE_IDLE:
        connection->deadline_ns = now + config->idle_timeout_s * S;
        break;
    case PHASE_REQUEST:
        connection->deadline_ns = now + config->request_timeout_s * S;
        break;
    case PHASE_SEND:
        connection->deadline_ns = now + (config->send_timeout_s + bytes / connection->send_rate) * S;
        break;
    case PHASE_WAIT:
        connection->deadline_ns = NEVER;
        break;
    }
}

void connection_extend(struct connection *connection, uint64_t bytes)
{
    const struct config_http *config = &connection->loop->settings->config.http;
    if (connection->phase != PHASE_SEND)
        return;
    const uint64_t max =
        uv_hrtime() + config->send_timeout_s * S + (SOCKET_BYTES + bytes) * S / connection->send_rate;
    connection->deadline_ns += bytes * S / connection->send_rate;
    if (connection->deadline_ns > max)
        connection->deadline_ns = max;
}

static struct connection *connection_open(struct loop *loop, struct MHD_Connection *mhd)
{
    struct connection *connection = calloc(1, sizeof *connection);
    const struct sockaddr *peer =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    if (!connection)
        return NULL;
    connection->loop = loop;
    connection->socket = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    memcpy(&connection->peer, peer,
           peer->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
    connection->client = clients_of_address(loop->service->clients, peer);
    connection->counted = !loop->admin;
    if (!gate_open(connection)) {
        free(connection);
        return NULL;
    }
    connection->send_rate = SEND_RATE;
    connection->next = loop->connections;
    if (connection->next)
        connection->next->previous = connection;
    loop->connections = connection;
    if (!networks_have(loop->settings->proxies, peer))
        holders_add(&loop->holders, connection);
    connection_enter(connection, PHASE_IDLE, 0);
    return connection;
}

static void connection_close(struct connection *connection)
{
    struct loop *loop = connection->loop;
    gate_close(connection);
    *(connection->previous ? &connection->previous->next : &loop->connections) = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    holders_remove(&loop->holders, connection);
    if (connection->counted)
        clients_disconnect(loop->service->clients, &connection->client);
    free(connection);
}

/* Of a connection that there was no memory for. */
static void disown(const struct loop *loop, struct MHD_Connection *mhd)
{
    const struct client_id client =
        clients_of_address(loop->service->clients,
                           MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
    clients_disconnect(loop->service->clients, &client);
}

static void connection_changed(void *cls, struct MHD_Connection *mhd, void **context,
                               enum MHD_ConnectionNotificationCode code)
{
    struct loop *loop = cls;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        loop->started = true;
        *context = connection_open(loop, mhd); /* NULL: the first request finds none, and closes */
        return;
    }
    struct connection *connection = *context;
    if (connection && connection->request)
        handler_lost(loop, connection->request);
    metrics_move(&loop->service->metrics.connections, -1);
    if (!connection || !connection->given_up)
        atomic_fetch_sub(loop->open, 1);
    if (connection)
        connection_close(connection);
    else if (!loop->admin)
        disown(loop, mhd);
}

/* The end of stream makes libmicrohttpd close. */
static void end(struct connection *connection)
{
    connection->cut = true;
    holders_set_idle(&connection->loop->holders, connection, false);
    shutdown(connection->socket, SHUT_RDWR);
}

static void cut(struct connection *connection, enum metric_cut why)
{
    if (!connection->refused)
        metrics_add(&connection->loop->service->metrics.connections_cut[why], 1);
    end(connection);
}

/* ---- Room for others ----------------------------------------------------------------------------------- */

/*
 * At http.connections a new connection is let in for one that its client keeps waiting: the longest idle one of the client that holds
 * most, so that whoever opens many pays for it with their own. Idle means between two requests or in the midst of one that has not come
 * whole, as a slow attacker's never does; an answer that is made or sent is never cut for this, nor is a proxy's connection, which many
 * clients share. Each loop knows its own connections alone, so the loop where one client has most closes one; the others let in up to a
 * sixteenth beyond the limit meanwhile, and only then close one of theirs. Where nobody is idle, the new one is refused.
 */

static int64_t max_open(const struct loop *loop)
{
    return loop->admin ? ADMIN_CONNECTIONS : loop->settings->config.http.connections;
}

/* Closes one of those that are idle. One between two requests that has sent what has not been read is passed over; one in the
 * midst of a request is not: its client could send a byte whenever it likes. false: there is none, or none among the first. */
static bool give_up_one(struct loop *loop)
{
    struct connection *connection;
    for (int i = 0; i < LOOKS && (connection = holders_first(&loop->holders)); i++) {
        char byte;
        /* Not recv, which is the gate's, and would have its screen see the byte twice. */
        if (connection->phase == PHASE_IDLE &&
            recvfrom(connection->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL) > 0) {
            holders_set_idle(&loop->holders, connection, false); /* the last of them now */
            holders_set_idle(&loop->holders, connection, true);
            continue;
        }
        connection->given_up = true;
        cut(connection, CUT_ROOM);
        atomic_fetch_sub(loop->open, 1);
        return true;
    }
    return false;
}

/* Whether no client with an idle connection has more in any other loop than one has here. */
static bool holds_most(const struct loop *loop)
{
    const int top = holders_top(&loop->holders);
    for (unsigned i = 0; i < loop->loops_count; i++)
        if (holders_top(&loop->loops[i].holders) > top)
            return false;
    return true;
}

/* For what other loops have let in beyond the limit, and where a reload has lowered it. */
static void make_room(struct loop *loop)
{
    while (atomic_load(loop->open) > max_open(loop) && holds_most(loop) && give_up_one(loop))
        continue;
}

/* Counts one more connection in. false: there is no room, and none can be made. */
static bool find_room(struct loop *loop)
{
    const int64_t max = max_open(loop), before = atomic_fetch_add(loop->open, 1);
    if (before < max || (holds_most(loop) && give_up_one(loop)) || before <= max + max / BEYOND ||
        give_up_one(loop))
        return true;
    atomic_fetch_sub(loop->open, 1);
    return false;
}

/* ---- Deadlines ----------------------------------------------------------------------------------------- */

/*
 * Whether the client of a connection that waits for its bytes has closed it, and all that it sent has been read, now and when this was last
 * asked. An end that comes together with bytes is told once, and libmicrohttpd, which then reads the bytes alone, would wait for more.
 */
static bool has_left(struct connection *connection)
{
    const bool waits = connection->phase == PHASE_IDLE || connection->phase == PHASE_REQUEST,
               before = connection->left;
    char byte;
    connection->left =
        waits && recvfrom(connection->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL) == 0;
    return before && connection->left;
}

/* Cuts what is late, and ends what has been left. */
static void sweep(struct loop *loop, uint64_t now)
{
    static const enum metric_cut why[] = {
        [PHASE_IDLE] = CUT_IDLE, [PHASE_REQUEST] = CUT_REQUEST, [PHASE_SEND] = CUT_SEND};
    for (struct connection *at = loop->connections; at; at = at->next) {
        if (at->listener && !at->cut && listener_swept(at->listener, now))
            cut(at, CUT_BEHIND);
        if (at->deadline_ns <= now && !at->cut)
            cut(at, why[at->phase]);
        if (!at->cut && has_left(at))
            end(at);
    }
}

/* ---- Accepting ----------------------------------------------------------------------------------------- */

static void listen_for(struct loop *loop, bool on)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.fd = loop->listener};
    if (on == loop->listening)
        return;
    if (epoll_ctl(loop->epoll, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, loop->listener, &event) == 0)
        loop->listening = on;
}

static void no_descriptors(struct loop *loop, uint64_t now)
{
    loop->accept_from_ns = now + NO_DESCRIPTOR_MS * MS;
    metrics_add(&loop->service->metrics.connections_refused[REFUSED_DESCRIPTORS], 1);
    listen_for(loop, false);
    if (now - loop->warned_ns < WARN_MS * MS && loop->warned_ns)
        return;
    loop->warned_ns = now;
    log_write(LOG_WARNING, "http", "cannot accept connections: %m; they wait until there is room");
}

/* Connections that an address may have; 0: all. A proxy's are of many clients, and a quarter is for anybody else. */
static unsigned share_of(const struct loop *loop, const struct sockaddr *peer)
{
    const struct config_http *config = &loop->settings->config.http;
    if (networks_have(loop->settings->proxies, peer))
        return 0;
    return config->connections_per_address ? config->connections_per_address : config->connections / 4;
}

/* One more connection, whose socket it takes. */
static void admit(struct loop *loop, int fd, const struct sockaddr_storage *peer, socklen_t length)
{
    struct service *service = loop->service;
    const struct client_id client = clients_of_address(service->clients, (const struct sockaddr *)peer);
    enum metric_refusal why = REFUSED_ADDRESS;
    if (!loop->admin &&
        !clients_connect(service->clients, &client, share_of(loop, (const struct sockaddr *)peer)))
        goto refuse;
    why = REFUSED_LIMIT;
    if (!find_room(loop))
        goto disconnect;
    metrics_move(&service->metrics.connections, 1);
    /* A client that asks and does not read is not to pin what the kernel would buffer for it, which is megabytes. */
    const int max_unsent = UNSENT_BYTES;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &max_unsent, sizeof max_unsent);
    loop->started = false;
    if (MHD_add_connection(loop->daemon, fd, (const struct sockaddr *)peer, length) == MHD_YES)
        return;
    /* Memory is short, or the kernel watches no more sockets: this one is closed already. Of one that was taken before, connection_changed
     * has heard its end as well. */
    if (loop->started)
        return;
    metrics_move(&service->metrics.connections, -1);
    atomic_fetch_sub(loop->open, 1);
    if (!loop->admin)
        clients_disconnect(service->clients, &client);
    return;
disconnect:
    if (!loop->admin)
        clients_disconnect(service->clients, &client);
refuse:
    metrics_add(&service->metrics.connections_refused[why], 1);
    close(fd);
}

/* true: there may be more. */
static bool accept_some(struct loop *loop, uint64_t now)
{
    for (int i = 0; i < ACCEPT_MAX; i++) {
        struct sockaddr_storage peer = {0};
        socklen_t length = sizeof peer;
        const int fd =
            accept4(loop->listener, (struct sockaddr *)&peer, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            admit(loop, fd, &peer, length);
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED)
            continue;
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            no_descriptors(loop, now);
        return false;
    }
    return true;
}

/* Serves what has arrived; what comes now is refused and can go elsewhere, or waits for the process that gave us the socket. */
static void stop_accepting(struct loop *loop, uint64_t now)
{
    if (loop->closed)
        return;
    loop->closed = true;
    for (int i = 0; i < BACKLOG_TURNS && accept_some(loop, now); i++)
        continue;
    listen_for(loop, false);
    if (!loop->inherited)
        shutdown(loop->listener, SHUT_RDWR);
}

/* ---- The thread ---------------------------------------------------------------------------------------- */

static void follow_settings(struct loop *loop)
{
    if (loop->settings && atomic_load_explicit(&loop->service->settings_version, memory_order_relaxed) ==
                              loop->settings_version)
        return;
    if (loop->settings)
        refcount_release(&loop->settings->references);
    loop->settings = service_settings(loop->service, &loop->settings_version);
}

/* How long nothing has to be done unless something happens. */
static int patience_ms(const struct loop *loop, uint64_t now)
{
    MHD_UNSIGNED_LONG_LONG mhd_ms;
    uint64_t ms = now >= loop->sweep_ns ? 0 : (loop->sweep_ns - now + MS - 1) / MS;
    if (MHD_get_timeout(loop->daemon, &mhd_ms) == MHD_YES && mhd_ms < ms)
        ms = mhd_ms;
    return (int)ms;
}

static void turn(struct loop *loop, const struct epoll_event *events, int count)
{
    const uint64_t now = uv_hrtime();
    bool arrived = false;
    atomic_store_explicit(&loop->beat_ns, now, memory_order_relaxed);
    follow_settings(loop);
    for (int i = 0; i < count; i++) {
        uint64_t drained;
        arrived = arrived || events[i].data.fd == loop->listener;
        if (events[i].data.fd == loop->event && read(loop->event, &drained, sizeof drained) > 0)
            atomic_store(&loop->woken, false);
    }
    if (atomic_load(&loop->closing)) {
        stop_accepting(loop, now);
    } else if (arrived) {
        accept_some(loop, now);
    } else if (!loop->listening && now >= loop->accept_from_ns && atomic_load(&loop->service->open)) {
        listen_for(loop, true);
    }
    MHD_run(loop->daemon);
    gate_refuse(loop);
    if (now >= loop->sweep_ns) {
        sweep(loop, now);
        make_room(loop);
        loop->sweep_ns = now + SWEEP_MS * MS;
    }
}

static void run(void *argument)
{
    struct loop *loop = argument;
    struct epoll_event events[4];
    turn_first();
    gate_thread(loop);
    while (!atomic_load(&loop->stopping)) {
        const int count =
            epoll_wait(loop->epoll, events, sizeof events / sizeof *events, patience_ms(loop, uv_hrtime()));
        turn(loop, events, count > 0 ? count : 0);
    }
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

static void mhd_log(void *cls, const char *format, va_list arguments)
{
    char text[400];
    (void)cls;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    text_print_list(text, sizeof text, format, arguments);
#pragma GCC diagnostic pop
    log_write(LOG_DEBUG, "http", "%s", text);
}

static struct MHD_Daemon *daemon_start(struct loop *loop)
{
    const struct config_http *config = &loop->settings->config.http;
    unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    const struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
    const struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, tls_certificate_callback()},
                                         {MHD_OPTION_HTTPS_PRIORITIES, 0, tls_priorities()},
                                         {MHD_OPTION_END, 0, NULL}};
    if (loop->encrypted)
        flags |= MHD_USE_TLS;
    return MHD_start_daemon(flags, 0, NULL, NULL, handler_call, loop, MHD_OPTION_EXTERNAL_LOGGER, mhd_log,
                            NULL, MHD_OPTION_CONNECTION_LIMIT, 1u << 17, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                            (size_t)config->connection_memory_bytes, MHD_OPTION_URI_LOG_CALLBACK,
                            handler_target, loop, MHD_OPTION_STRICT_FOR_CLIENT, 0,
                            MHD_OPTION_NOTIFY_COMPLETED, handler_completed, loop,
                            MHD_OPTION_NOTIFY_CONNECTION, connection_changed, loop, MHD_OPTION_ARRAY,
                            loop->encrypted ? tls : plain, MHD_OPTION_END);
}

static int epoll_add(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static void release(struct loop *loop)
{
    if (loop->daemon)
        MHD_stop_daemon(loop->daemon);
    CHECK(!loop->connections);
    if (loop->epoll >= 0)
        close(loop->epoll);
    if (loop->event >= 0)
        close(loop->event);
    if (loop->settings)
        refcount_release(&loop->settings->references);
    gate_free(loop);
    free(loop->spare);
    loop->spare = NULL;
    loop->daemon = NULL;
    loop->settings = NULL;
}

int loop_start(struct loop *loop)
{
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    follow_settings(loop);
    loop->daemon = loop->epoll >= 0 && loop->event >= 0 ? daemon_start(loop) : NULL;
    atomic_store(&loop->beat_ns, uv_hrtime());
    if (loop->daemon) {
        const int inner = MHD_get_daemon_info(loop->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
        if (epoll_add(loop->epoll, inner) == 0 && epoll_add(loop->epoll, loop->event) == 0 &&
            uv_thread_create(&loop->thread, run, loop) == 0)
            return 0;
    }
    release(loop);
    return -1;
}

static void wake(struct loop *loop)
{
    const uint64_t one = 1;
    if (!atomic_exchange(&loop->woken, true))
        CHECK(write(loop->event, &one, sizeof one) == sizeof one);
}

void loop_open(struct loop *loop)
{
    wake(loop);
}

void loop_close(struct loop *loop)
{
    atomic_store(&loop->closing, true);
    wake(loop);
}

void loop_resume(struct loop *loop, struct MHD_Connection *connection)
{
    MHD_resume_connection(connection);
    wake(loop);
}

void loop_stop(struct loop *loop)
{
    atomic_store(&loop->stopping, true);
    wake(loop);
    uv_thread_join(&loop->thread);
    release(loop);
}
