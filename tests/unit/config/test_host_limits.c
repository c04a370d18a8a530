/*
 * Limits of the host: made-up trees of control groups, and what budgets become of them.
 */
#include "config_kit.h"

#include "../folder_kit.h"

#include "../../../server/service/host_limits.h"

#define MIB UINT64_C(1048576)

enum { CORES = 64, MAX_FILES = 8 };

static const uint64_t RAM = 64 * 1024 * MIB;

struct file {
    const char *path, *text;
};

struct tree {
    const char *name;
    unsigned cores;
    uint64_t memory_bytes;
    struct file file[MAX_FILES];
};

static char root[64];

/* Writes a file below root and the directories on its way. */
static void file_make(const char *path, const char *text)
{
    char at[4096 + 256];

    snprintf(at, sizeof at, "%s/%s", root, path);
    for (char *slash = at + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(at, 0700);
        *slash = '/';
    }
    file_write(at, text, strlen(text));
}

static struct host_limits read_tree(const struct file *files, size_t count)
{
    static unsigned turn;
    struct host_limits limits;

    snprintf(root, sizeof root, "%s/%u", folder, turn++);
    assert_int_equal(mkdir(root, 0700), 0);
    for (size_t i = 0; i < count && files[i].path; i++)
        file_make(files[i].path, files[i].text);
    host_limits_read_at(&limits, root, CORES, RAM);
    return limits;
}

#define CGROUP "sys/fs/cgroup/"
#define PROC   "proc/self/cgroup"

/* 63 and more digits that are no number of 64 bits. */
#define LONG_NUMBER "99999999999999999999999999999999999999999999999999999999999999999999"

static const struct tree trees[] = {
#define TREE(name, cores, memory_bytes, ...) \
    {                                        \
        name, cores, memory_bytes,           \
        {                                    \
            __VA_ARGS__                      \
        }                                    \
    }
    TREE("nothing", CORES, RAM, {NULL, NULL}),
    TREE("v2: a container's own root", 2, 512 * MIB, {PROC, "0::/\n"}, {CGROUP "cpu.max", "200000 100000\n"},
         {CGROUP "memory.max", "536870912\n"}),
    TREE("v2: no limit", CORES, RAM, {PROC, "0::/a\n"}, {CGROUP "a/cpu.max", "max 100000\n"},
         {CGROUP "a/memory.max", "max\n"}),
    TREE("v2: part of a core is one", 1, RAM, {PROC, "0::/a\n"}, {CGROUP "a/cpu.max", "1000 100000\n"}),
    TREE("v2: and a half", 3, RAM, {PROC, "0::/a\n"}, {CGROUP "a/cpu.max", "250000 100000\n"}),
    TREE("v2: the least on the way up", 3, 256 * MIB, {PROC, "0::/a/b/c\n"},
         {CGROUP "a/cpu.max", "300000 100000\n"}, {CGROUP "a/b/cpu.max", "max 100000\n"},
         {CGROUP "a/b/c/cpu.max", "800000 100000\n"}, {CGROUP "a/memory.max", "1073741824\n"},
         {CGROUP "a/b/memory.max", "268435456\n"}, {CGROUP "a/b/c/memory.max", "max\n"}),
    TREE("v2: a sibling's counts for nothing", CORES, RAM, {PROC, "0::/a/b\n"},
         {CGROUP "a/c/memory.max", "1048576\n"}, {CGROUP "ab/cpu.max", "1 100000\n"}),
    TREE("v2: high below max", CORES, 768 * MIB, {PROC, "0::/a\n"}, {CGROUP "a/memory.max", "1073741824\n"},
         {CGROUP "a/memory.high", "805306368\n"}),
    TREE("v2: the host's name of a group that is the root here", 4, 512 * MIB,
         {PROC, "0::/kubepods/pod1/abc\n"}, {CGROUP "memory.max", "536870912\n"},
         {CGROUP "cpu.max", "400000 100000"}),
    TREE("v1: a container's", 2, 512 * MIB,
         {PROC, "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n"},
         {CGROUP "memory/memory.limit_in_bytes", "536870912\n"},
         {CGROUP "cpu,cpuacct/cpu.cfs_quota_us", "150000\n"},
         {CGROUP "cpu,cpuacct/cpu.cfs_period_us", "100000\n"}),
    TREE("v1: nested", 5, 1024 * MIB, {PROC, "4:memory:/a/b\n3:cpuacct,cpu:/a/b\n"},
         {CGROUP "memory/memory.limit_in_bytes", "9223372036854771712\n"},
         {CGROUP "memory/a/memory.limit_in_bytes", "1073741824\n"},
         {CGROUP "memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"},
         {CGROUP "cpu/a/cpu.cfs_quota_us", "500000\n"}, {CGROUP "cpu/a/cpu.cfs_period_us", "100000\n"},
         {CGROUP "cpu/a/b/cpu.cfs_quota_us", "-1\n"}),
    TREE("v1: no limit", CORES, RAM, {PROC, "2:memory:/\n1:cpu:/\n"},
         {CGROUP "memory/memory.limit_in_bytes", "9223372036854771712\n"},
         {CGROUP "cpu/cpu.cfs_quota_us", "-1\n"}, {CGROUP "cpu/cpu.cfs_period_us", "100000\n"}),
    TREE("both: v1 has memory, v2 has cpu", 1, 256 * MIB, {PROC, "4:memory:/a\n0::/b\n"},
         {CGROUP "memory/a/memory.limit_in_bytes", "268435456\n"},
         {CGROUP "unified/b/cpu.max", "100000 100000\n"}),
    TREE("more than there is", CORES, RAM, {PROC, "0::/\n"}, {CGROUP "cpu.max", "100000000 100000\n"},
         {CGROUP "memory.max", LONG_NUMBER "\n"}),
    TREE("nothing at all is no limit", CORES, RAM, {PROC, "0::/\n"}, {CGROUP "cpu.max", "0 100000\n"},
         {CGROUP "memory.max", "0\n"}),
    TREE("a period of nothing", CORES, RAM, {PROC, "0::/\n"}, {CGROUP "cpu.max", "100000 0\n"}),
    TREE("no period", CORES, RAM, {PROC, "0::/\n"}, {CGROUP "cpu.max", "100000\n"}),
    TREE("no numbers", CORES, RAM, {PROC, "0::/\n"}, {CGROUP "cpu.max", "-1 1x\n"},
         {CGROUP "memory.max", "512M\n"}, {CGROUP "memory.high", "\x01\xff"}),
    TREE("empty files", CORES, RAM, {PROC, "0::/\n"}, {CGROUP "cpu.max", ""}, {CGROUP "memory.max", ""}),
    TREE("lines that are none", CORES, MIB, {PROC, "\n\n:\n0:\n::\n0::\n0:::\nmemory\n:memory\n4:memory:\n"},
         {CGROUP "memory.max", "1048576\n"}),
    TREE("no line feed at the end", CORES, MIB, {PROC, "0::/a"}, {CGROUP "a/memory.max", "1048576"}),
    TREE("out of the tree", CORES, RAM, {PROC, "0::/../../secret\n"}, {"secret/memory.max", "1048576"},
         {"sys/secret/memory.max", "1048576"}, {CGROUP "cpu.max", "max 1"}),
    TREE("a controller of a like name", CORES, RAM, {PROC, "1:memoryx,xmemory:/a\n2:cpuset:/a\n"},
         {CGROUP "memory/a/memory.limit_in_bytes", "1048576"}, {CGROUP "cpu/a/cpu.cfs_quota_us", "1"},
         {CGROUP "cpu/a/cpu.cfs_period_us", "100000"}),
#undef TREE
};

TEST(trees_are_read)
{
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        const struct tree *const tree = &trees[i];
        const struct host_limits limits = read_tree(tree->file, MAX_FILES);
        if (limits.cores != tree->cores || limits.memory_bytes != tree->memory_bytes)
            fail_msg("%s: %u cores and %llu bytes", tree->name, limits.cores,
                     (unsigned long long)limits.memory_bytes);
        assert_int_equal(limits.quota, tree->cores != CORES);
        assert_int_equal(limits.bounded, tree->memory_bytes != RAM);
    }
}

/* A group's name as long as can be, and a file of groups that does not end. */
TEST(hostile_sizes)
{
    char *const text = malloc(100001);

    assert_non_null(text);
    memset(text, 'a', 100000);
    text[100000] = '\0';
    memcpy(text, "0::/", 4);
    for (size_t i = 5; i < 100000; i += 2)
        text[i] = '/';
    const struct file files[] = {{PROC, text}, {CGROUP "memory.max", "1048576\n"}};
    assert_int_equal(read_tree(files, 2).memory_bytes, RAM);
    text[3000] = '\0';
    assert_int_equal(read_tree(files, 2).memory_bytes, MIB);
    free(text);
}

static const char *const budgets[] = {"cache.memory_bytes", "limits.stream_bytes",
                                      "cache.write_behind_bytes"};

static uint64_t sum_of(const struct config *config)
{
    return config->cache.memory_bytes + config->limits.stream_bytes + config->cache.write_behind_bytes;
}

TEST(a_large_host_changes_nothing)
{
    const struct host_limits limits = {.cores = 4, .memory_bytes = 4096 * MIB};
    struct config config, plain;
    char note[HOST_LIMITS_NOTE_BYTES];

    load_defaults(&config);
    load_defaults(&plain);
    assert_true(host_limits_fit(&limits, &config, note));
    assert_string_equal(note, "");
    assert_int_equal(sum_of(&config), sum_of(&plain));
    config_free(&config);
    config_free(&plain);
}

TEST(defaults_shrink)
{
    char note[HOST_LIMITS_NOTE_BYTES];
    uint64_t before = 0;

    for (uint64_t mib = 16; mib <= 1024; mib *= 2) {
        const struct host_limits limits = {.cores = 2, .memory_bytes = mib * MIB, .bounded = true};
        struct config config;
        load_defaults(&config);
        const bool fits = host_limits_fit(&limits, &config, note);
        if (!strstr(note, "lowered") || !strstr(note, "the control group's memory is"))
            fail_msg("%u MiB: \"%s\"", (unsigned)mib, note);
        assert_int_equal(fits, mib >= 512); /* below, what streams need at least is too much */
        assert_true(!fits || sum_of(&config) < mib * MIB);
        assert_true(config.cache.memory_bytes >= MIB && config.cache.write_behind_bytes >= MIB);
        assert_true(config.limits.stream_bytes >= 64 * MIB);
        assert_true(sum_of(&config) >= before);
        before = sum_of(&config);
        config_free(&config);
    }
}

TEST(what_is_set_stays)
{
    const struct host_limits limits = {.cores = 2, .memory_bytes = 512 * MIB};
    char note[HOST_LIMITS_NOTE_BYTES];

    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        struct config config;
        load_defaults(&config);
        assert_false(config_is_given(&config, budgets[i]));
        assert_int_equal(config_set(&config, budgets[i], "536870912", NULL, error, sizeof error), 0);
        assert_true(config_is_given(&config, budgets[i]));
        assert_false(host_limits_fit(&limits, &config, note));
        assert_non_null(
            strstr(note, "the host's memory is 512 MiB, and all budgets with 2 render threads may need"));
        assert_null(strstr(note, budgets[i]));
        assert_true(sum_of(&config) > 512 * MIB);
        config_free(&config);
    }
}

TEST(no_bound_on_streams_stays_none)
{
    const struct host_limits limits = {.cores = 1, .memory_bytes = 256 * MIB};
    char note[HOST_LIMITS_NOTE_BYTES];
    struct config config;

    load_defaults(&config);
    assert_int_equal(parse(&config, "{\"limits\": {\"stream_bytes\": 0}}"), 0);
    assert_true(host_limits_fit(&limits, &config, note));
    assert_int_equal(config.limits.stream_bytes, 0);
    config_free(&config);
}

TEST(threads)
{
    const struct host_limits limits = {.cores = 3, .memory_bytes = RAM};
    struct config config;

    load_defaults(&config);
    assert_int_equal(host_limits_threads(&limits, &config), 3);
    assert_int_equal(config_set(&config, "render.threads", "7", NULL, error, sizeof error), 0);
    assert_int_equal(host_limits_threads(&limits, &config), 7);
    config_free(&config);
}

GROUP(host_limits, folder_make, folder_remove);
