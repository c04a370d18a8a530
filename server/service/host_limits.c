/*
 * Limits of the host, from its control groups.
 *
 * /proc/self/cgroup names the group of each hierarchy. A limit holds for all groups below it: the lowest from the process's own
 * group up to the root counts. In a container without its own control group namespace the names are the host's, while the
 * root of /sys/fs/cgroup is the container's group: missing groups are skipped.
 *
 * An unreadable or invalid value is no limit. Nothing here fails.
 */
#include "host_limits.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../base/file_text.h"

enum { GROUPS_BYTES = 16384, VALUE_BYTES = 64, NAME_BYTES = 64 };

#define MIB UINT64_C(1048576)

/* ---- Files --------------------------------------------------------------------------------------------- */

/* Reads plain decimal up to a blank, a line feed or the end. A number beyond 64 bits becomes the largest. */
static bool number_read(const char **text, uint64_t *number)
{
    const char *at = *text;
    uint64_t value = 0;
    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        const unsigned digit = (unsigned)(*at - '0');
        value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
    }
    if (*at != '\0' && *at != '\n' && *at != ' ')
        return false;
    *text = *at == ' ' ? at + 1 : at;
    *number = value;
    return true;
}

/* Reads the number in a group's file; false if it is none, 0 or "max". */
static bool value_read(const char *group, const char *name, uint64_t *number)
{
    char path[PATH_MAX + NAME_BYTES], text[VALUE_BYTES];
    const char *at = text;
    snprintf(path, sizeof path, "%s/%s", group, name);
    return file_head(path, text, sizeof text) && number_read(&at, number) && *number > 0;
}

/* ---- Groups -------------------------------------------------------------------------------------------- */

static void cores_lower(struct host_limits *limits, uint64_t quota, uint64_t period)
{
    const uint64_t cores = quota / period + (quota % period != 0);
    if (cores < limits->cores) {
        limits->cores = (unsigned)cores;
        limits->quota = true;
    }
}

static void memory_lower(struct host_limits *limits, uint64_t bytes)
{
    if (bytes < limits->memory_bytes) {
        limits->memory_bytes = bytes;
        limits->bounded = true;
    }
}

/* Version 2: "QUOTA PERIOD" in microseconds. Above memory.high a group is throttled almost to a halt, so it counts, too. */
static void group_unified(struct host_limits *limits, const char *group)
{
    char path[PATH_MAX + NAME_BYTES], text[VALUE_BYTES];
    const char *at = text;
    uint64_t quota, period, bytes;
    snprintf(path, sizeof path, "%s/cpu.max", group);
    if (file_head(path, text, sizeof text) && number_read(&at, &quota) && number_read(&at, &period) &&
        quota > 0 && period > 0)
        cores_lower(limits, quota, period);
    if (value_read(group, "memory.max", &bytes))
        memory_lower(limits, bytes);
    if (value_read(group, "memory.high", &bytes))
        memory_lower(limits, bytes);
}

/* Version 1; a quota of -1 is none. */
static void group_cpu(struct host_limits *limits, const char *group)
{
    uint64_t quota, period;
    if (value_read(group, "cpu.cfs_quota_us", &quota) && value_read(group, "cpu.cfs_period_us", &period))
        cores_lower(limits, quota, period);
}

static void group_memory(struct host_limits *limits, const char *group)
{
    uint64_t bytes;
    if (value_read(group, "memory.limit_in_bytes", &bytes))
        memory_lower(limits, bytes);
}

/* Reads a group and all above it. name: as in /proc/self/cgroup; one that leads elsewhere counts as the root. */
static void groups_walk(struct host_limits *limits, const char *mount, const char *name,
                        void (*look)(struct host_limits *, const char *))
{
    char group[PATH_MAX];
    const size_t root = strlen(mount);
    const bool strange = *name != '/' || strstr(name, "/..");
    const int bytes = snprintf(group, sizeof group, "%s%s", mount, strange ? "" : name);
    if (bytes < 0 || (size_t)bytes >= sizeof group)
        return;
    for (char *end; strlen(group) > root; *end = '\0') {
        look(limits, group);
        end = strrchr(group, '/'); /* at or behind the mount's end: name begins with one */
    }
    look(limits, group);
}

/* True if a word is in a list separated by commas. */
static bool list_has(const char *list, const char *word)
{
    const size_t bytes = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, bytes) == 0 && (at[bytes] == '\0' || at[bytes] == ','))
            return true;
    }
    return false;
}

/* A line of /proc/self/cgroup: "NUMBER:CONTROLLERS:GROUP"; of version 2 "0::GROUP". */
static void line_walk(struct host_limits *limits, const char *root, char *line)
{
    char mount[PATH_MAX];
    char *const controllers = strchr(line, ':');
    char *const name = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!name)
        return;
    *controllers = *name = '\0';
    const struct {
        const char *controller, *at;
        void (*look)(struct host_limits *, const char *);
    } hierarchy[] = {{"", "", group_unified},
                     {"", "/unified", group_unified},
                     {"cpu", "/cpu", group_cpu},
                     {"cpu", "/cpu,cpuacct", group_cpu},
                     {"memory", "/memory", group_memory}};
    for (size_t i = 0; i < sizeof hierarchy / sizeof hierarchy[0]; i++) {
        const bool unified = *hierarchy[i].controller == '\0';
        if (unified ? controllers[1] != '\0' : !list_has(controllers + 1, hierarchy[i].controller))
            continue;
        snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, hierarchy[i].at);
        groups_walk(limits, mount, name + 1, hierarchy[i].look);
    }
}

void host_limits_read_at(struct host_limits *limits, const char *root, unsigned cores, uint64_t memory_bytes)
{
    char path[PATH_MAX];
    *limits = (struct host_limits){.cores = cores, .memory_bytes = memory_bytes};
    char *const text = malloc(GROUPS_BYTES);
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (text && file_head(path, text, GROUPS_BYTES)) {
        for (char *line = text, *end; *line; line = end) {
            end = line + strcspn(line, "\n");
            end += *end != '\0' ? (*end = '\0', 1) : 0;
            line_walk(limits, root, line);
        }
    }
    free(text);
}

void host_limits_read(struct host_limits *limits)
{
    const uint64_t memory_bytes = uv_get_total_memory();
    host_limits_read_at(limits, "", uv_available_parallelism(), memory_bytes ? memory_bytes : UINT64_MAX);
}

unsigned host_limits_threads(const struct host_limits *limits, const struct config *config)
{
    return config->render.threads ? config->render.threads : limits->cores;
}

/* ---- Budgets ------------------------------------------------------------------------------------------- */

/* Measured, with a margin: memory of a server outside the budgets, and of a thread that makes tiles of every level and format. */
static const uint64_t BASE_BYTES = 76 * MIB, THREAD_BYTES = 72 * MIB;

/* A budget, its share of the rest in percent, and the key's min. */
struct share {
    const char *key;
    unsigned percent;
    uint64_t min;
};

static const struct share shares[] = {{"cache.memory_bytes", 50, MIB},
                                      {"limits.stream_bytes", 25, 64 * MIB},
                                      {"cache.write_behind_bytes", 10, MIB}};

static uint64_t *budget(struct config *config, size_t i)
{
    uint64_t *const at[] = {&config->cache.memory_bytes, &config->limits.stream_bytes,
                            &config->cache.write_behind_bytes};
    return at[i];
}

bool host_limits_fit(const struct host_limits *limits, struct config *config, char *note)
{
    const unsigned threads = host_limits_threads(limits, config);
    const uint64_t fixed = BASE_BYTES + threads * THREAD_BYTES, memory = limits->memory_bytes;
    /* If threads alone take nearly all memory, budgets are small, but not 0. */
    const uint64_t room = memory > fixed + memory / 4 ? memory - fixed : memory / 4;
    const char *const whose = limits->bounded ? "the control group's" : "the host's";
    char lowered[200];
    size_t used = 0;
    uint64_t sum = fixed;

    lowered[0] = '\0';
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        uint64_t *const bytes = budget(config, i);
        uint64_t max = room / 100 * shares[i].percent;
        max = max < shares[i].min ? shares[i].min : max;
        if (*bytes > max && !config_is_given(config, shares[i].key)) {
            *bytes = max;
            used += (size_t)snprintf(lowered + used, sizeof lowered - used, "%s%s to %" PRIu64,
                                     used ? ", " : "", shares[i].key, max);
        }
        sum = sum > UINT64_MAX - *bytes ? UINT64_MAX : sum + *bytes;
    }
    note[0] = '\0';
    if (used)
        snprintf(note, HOST_LIMITS_NOTE_BYTES, "%s memory is %" PRIu64 " MiB: lowered %s", whose,
                 memory / MIB, lowered);
    if (sum <= memory)
        return true;
    const size_t bytes = strlen(note);
    snprintf(note + bytes, HOST_LIMITS_NOTE_BYTES - bytes,
             "%s%s memory is %" PRIu64 " MiB, and all budgets with %u render threads may need %" PRIu64
             " MiB",
             used ? "; " : "", whose, memory / MIB, threads, sum / MIB);
    return false;
}
