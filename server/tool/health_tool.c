/*
 * terrane health: asks a server for /readyz and tells by the exit status what it said. For the health checks of container
 * engines and for scripts: an image needs no other program for it.
 *
 * One deadline holds for everything, names to resolve included: a timer's signal ends the process, whatever it waits for.
 * What comes is a stranger's: the first ANSWER_BYTES of it are read, and printable ASCII is shown.
 */
#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "../base/text.h"
#include "../config/config.h"
#include "tool.h"

enum { ANSWER_BYTES = 4096, SECONDS = 2, SECONDS_MAX = 60, PATH_BYTES = 256 };

static const char usage[] =
    "usage: terrane health [HOST:PORT | http://HOST:PORT[/PATH]] [options]\n\n"
    "Asks a running server for /readyz. Without an address it is the server that the configuration "
    "describes:\n"
    "its admin listener, else the public one; 0.0.0.0 and [::] are asked on the loopback.\n\n"
    "  --config FILE    the configuration that the server was started with\n"
    "  --timeout S      seconds for all of it, 1 .. 60 (default 2)\n\n"
    "Exit status 0: ready. 1: not ready, or not to be reached; one line says why. 2: asked wrongly.\n";

struct place {
    char host[TEXT_HOST_BYTES];
    char path[PATH_BYTES];
    uint16_t port;
    bool bracketed; /* IPv6 */
};

/* ---- Whom to ask --------------------------------------------------------------------------------------- */

/* Fills a place with an address that text_split_address takes, on the loopback where it is all interfaces. */
static bool place_split(struct place *place, const char *address)
{
    if (!text_split_address(address, place->host, sizeof place->host, &place->port))
        return false;
    place->bracketed = strchr(place->host, ':') != NULL;
    if (strcmp(place->host, "0.0.0.0") == 0)
        snprintf(place->host, sizeof place->host, "127.0.0.1");
    else if (strcmp(place->host, "::") == 0)
        snprintf(place->host, sizeof place->host, "::1");
    return true;
}

/* The word of the command line. Returns 0, or 2 with a line on standard error. */
static int place_read(struct place *place, const char *word)
{
    static const char scheme[] = "http://";
    char address[TEXT_HOST_BYTES + 10], shown[TEXT_SHOWN_BYTES];
    const char *at = word;
    text_show(shown, sizeof shown, word);
    if (strncasecmp(word, "https://", 8) == 0) {
        fprintf(stderr,
                "terrane health: %s: TLS is not spoken here: allowed http://, as the admin listener is\n",
                shown);
        return 2;
    }
    if (strncasecmp(word, scheme, sizeof scheme - 1) == 0)
        at += sizeof scheme - 1;
    const size_t bytes = strcspn(at, "/?#"), path = strlen(at + bytes);
    const char *byte = at + bytes;
    while (*byte > ' ' && *byte < 0x7f && *byte != '#')
        byte++;
    snprintf(address, sizeof address, "%.*s", (int)(bytes < sizeof address ? bytes : 0), at);
    if (!place_split(place, address) || place->port == 0 || path >= sizeof place->path || *byte != '\0' ||
        at[bytes] == '?') {
        fprintf(stderr,
                "terrane health: %s is no address: allowed HOST:PORT, http://HOST:PORT and "
                "http://HOST:PORT/PATH, port 1 .. 65535\n",
                shown);
        return 2;
    }
    if (path > 1)
        snprintf(place->path, sizeof place->path, "%s", at + bytes);
    return 0;
}

/* The server of the configuration. Returns 0, or 2 with a line on standard error. */
static int place_configured(struct place *place, const char *file)
{
    char error[CONFIG_ERROR_BYTES];
    struct config config = {0};
    if (config_environment_load(&config, file, error, sizeof error) != 0) {
        fprintf(stderr, "terrane health: %s\n", error);
        return 2;
    }
    const bool tls = *config.http.tls.certificate != '\0';
    const bool found = (*config.admin && place_split(place, config.admin) && place->port) ||
                       (!tls && place_split(place, config.listen) && place->port);
    config_free(&config);
    if (found)
        return 0;
    fputs("terrane health: the configuration has no admin listener, and none without TLS, on a port that is "
          "known: name the address to ask\n",
          stderr);
    return 2;
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

/* What is said when time is up; complete before the timer starts. */
static char late[TEXT_HOST_BYTES + PATH_BYTES + 100];

static void time_is_up(int number)
{
    (void)number;
    const ssize_t written = write(STDERR_FILENO, late, strlen(late));
    (void)written; /* the status tells it, too */
    _exit(1);
}

static void timer_start(const char *url, unsigned seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};
    const struct sigaction action = {.sa_handler = time_is_up};
    snprintf(late, sizeof late, "terrane health: %s: no answer within %u s\n", url, seconds);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* A connection to the first of a host's addresses that takes one; -1: why says what is wrong. */
static int place_connect(const struct place *place, const char **why)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    char port[8];
    int fd = -1;
    snprintf(port, sizeof port, "%u", place->port);
    const int result = getaddrinfo(place->host, port, &hints, &list);
    *why = result == 0 ? "there is no such address" : gai_strerror(result);
    for (const struct addrinfo *at = list; at && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
        if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) == 0)
            break;
        *why = strerror(errno);
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    if (list)
        freeaddrinfo(list);
    return fd;
}

/* Sends all of a text. */
static bool text_send(int fd, const char *text, size_t bytes)
{
    for (ssize_t sent; bytes > 0; text += sent, bytes -= (size_t)sent) {
        sent = send(fd, text, bytes, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
    }
    return true;
}

/* Reads to the end, or until there is no more room; zero-terminated. Zeros that came are blanks. Returns the bytes. */
static size_t answer_read(int fd, char *answer, size_t room)
{
    size_t filled = 0;
    ssize_t count;
    while (filled < room - 1 && (count = recv(fd, answer + filled, room - 1 - filled, 0)) > 0)
        filled += (size_t)count;
    for (size_t i = 0; i < filled; i++)
        answer[i] = answer[i] == '\0' ? ' ' : answer[i];
    answer[filled] = '\0';
    return filled;
}

/* The status of "HTTP/1.x NNN"; 0: that is no answer of HTTP. */
static int answer_status(const char *answer)
{
    static const char version[] = "HTTP/1.";
    const char *const digit = answer + sizeof version + 1; /* behind "HTTP/1.", a digit and a blank */
    if (strncmp(answer, version, sizeof version - 1) != 0 || strlen(answer) < sizeof version + 4 ||
        strchr("01", digit[-2]) == NULL || digit[-1] != ' ')
        return 0;
    for (int i = 0; i < 3; i++)
        if (digit[i] < (i == 0 ? '1' : '0') || digit[i] > '9')
            return 0;
    if (digit[3] != ' ' && digit[3] != '\r' && digit[3] != '\n')
        return 0;
    return (digit[0] - '0') * 100 + (digit[1] - '0') * 10 + digit[2] - '0';
}

/* The first line of an answer's body, in quotes. */
static void answer_show(const char *answer, char *shown, size_t bytes)
{
    char line[TEXT_SHOWN_BYTES];
    const char *const end = strstr(answer, "\r\n\r\n");
    snprintf(line, sizeof line, "%s", end ? end + 4 : "");
    line[strcspn(line, "\r\n")] = '\0';
    text_show(shown, bytes, line);
}

/* Asks, and returns the exit status. */
static int ask(const struct place *place, const char *url)
{
    char request[TEXT_HOST_BYTES + PATH_BYTES + 100], answer[ANSWER_BYTES], shown[TEXT_SHOWN_BYTES];
    const char *why;
    const int bytes = snprintf(
        request, sizeof request,
        "GET %s HTTP/1.1\r\nHost: %s%s%s:%u\r\nConnection: close\r\nUser-Agent: terrane-health\r\n\r\n",
        place->path, place->bracketed ? "[" : "", place->host, place->bracketed ? "]" : "", place->port);
    const int fd = place_connect(place, &why);
    if (fd < 0) {
        fprintf(stderr, "terrane health: %s: %s\n", url, why);
        return 1;
    }
    const bool answered = text_send(fd, request, (size_t)bytes) && answer_read(fd, answer, sizeof answer) > 0;
    close(fd);
    const int status = answered ? answer_status(answer) : 0;
    if (status == 200) {
        printf("%s: ready\n", url);
        return 0;
    }
    if (status == 0) {
        fprintf(stderr, "terrane health: %s: %s\n", url,
                answered ? "what answers does not speak HTTP" : "it hung up without an answer");
        return 1;
    }
    answer_show(answer, shown, sizeof shown);
    fprintf(stderr, "terrane health: %s: %s: status %d, %s\n", url,
            status == 503 ? "not ready" : "not as terrane answers", status, shown);
    return 1;
}

int health_command(int argc, char **argv)
{
    const char *file = NULL, *timeout = NULL, *word = NULL;
    const struct option_spec specs[] = {{"config", 0, &file, NULL}, {"timeout", 0, &timeout, NULL}, {0}};
    struct place place = {.path = "/readyz"};
    char url[TEXT_HOST_BYTES + PATH_BYTES + 20], shown[TEXT_SHOWN_BYTES];
    int64_t seconds = SECONDS;
    int words;

    const int ended = options_read("health", usage, argc, argv, specs, &word, 1, &words);
    if (ended != OPTIONS_FINE)
        return ended;
    if (timeout && (!text_integer(timeout, &seconds) || seconds < 1 || seconds > SECONDS_MAX)) {
        text_show(shown, sizeof shown, timeout);
        fprintf(stderr, "terrane health: --timeout: %s is no number of seconds: allowed 1 .. %d\n", shown,
                SECONDS_MAX);
        return 2;
    }
    const int wrong = words > 0 ? place_read(&place, word) : place_configured(&place, file);
    if (wrong)
        return wrong;
    snprintf(url, sizeof url, "http://%s%s%s:%u%s", place.bracketed ? "[" : "", place.host,
             place.bracketed ? "]" : "", place.port, place.path);
    timer_start(url, (unsigned)seconds);
    return ask(&place, url);
}
