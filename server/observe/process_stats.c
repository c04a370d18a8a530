/*
 * The process as the system sees it. Files of /proc are read whole into the stack, and what does not look as it should is
 * taken for not told.
 */
#include "process_stats.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The beginning of a small file, zero-terminated; false: it cannot be read. */
static bool read_start(const char *path, char *text, size_t bytes)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0)
        return false;
    do
        n = read(fd, text, bytes - 1);
    while (n < 0 && errno == EINTR);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* The number behind so many blanks. */
static bool field(const char *text, int blanks, uint64_t *value)
{
    char *end;

    for (; blanks > 0 && text; blanks--) {
        text = strchr(text, ' ');
        text = text ? text + 1 : NULL;
    }
    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0;
}

/*
 * When the machine was started, in whole seconds since the epoch: a line of /proc/stat that stands behind one a processor
 * and a very long one of interrupts, so the file is read by lines.
 */
static bool boot_time(uint64_t *seconds)
{
    FILE *const file = fopen("/proc/stat", "re");
    char *line = NULL;
    size_t size = 0;
    bool found = false;

    if (!file)
        return false;
    while (!found && getline(&line, &size, file) > 0)
        found = strncmp(line, "btime ", 6) == 0 && field(line, 1, seconds);
    free(line);
    fclose(file);
    return found;
}

static bool start_time(double *seconds)
{
    char text[2048];
    uint64_t boot_s, ticks;
    const long per_second = sysconf(_SC_CLK_TCK);

    if (per_second <= 0 || !read_start("/proc/self/stat", text, sizeof text))
        return false;
    const char *const name_end = strrchr(text, ')'); /* the name may hold blanks and parentheses */
    if (!name_end || !field(name_end, 20, &ticks) || !boot_time(&boot_s))
        return false;
    *seconds = (double)boot_s + (double)ticks / (double)per_second;
    return true;
}

static bool count_descriptors(uint64_t *count, bool has_most, uint64_t most)
{
    struct stat info;

    if (stat("/proc/self/fd", &info) != 0)
        return false;
    if (info.st_size > 0) { /* from Linux 6.2 on it is their number, and asking takes no descriptor */
        *count = (uint64_t)info.st_size;
        return true;
    }
    DIR *const directory = opendir("/proc/self/fd");
    if (!directory) {
        *count = most; /* there is none left to count with */
        return errno == EMFILE && has_most;
    }
    *count = 0;
    for (const struct dirent *entry; (entry = readdir(directory));)
        *count += entry->d_name[0] != '.';
    *count -= *count > 0; /* the directory's own */
    closedir(directory);
    return true;
}

void process_stats_read(struct process_stats *out)
{
    struct rlimit descriptors;
    struct rusage usage;
    char text[256];
    uint64_t pages;
    const long page_bytes = sysconf(_SC_PAGESIZE);

    *out = (struct process_stats){0};
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        out->cpu_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                     ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e-6;
    if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0 && descriptors.rlim_cur != RLIM_INFINITY) {
        out->has_descriptors_most = true;
        out->descriptors_most = descriptors.rlim_cur;
    }
    out->has_descriptors =
        count_descriptors(&out->descriptors, out->has_descriptors_most, out->descriptors_most);
    if (page_bytes > 0 && read_start("/proc/self/statm", text, sizeof text) && field(text, 1, &pages)) {
        out->has_resident = true;
        out->resident_bytes = pages * (uint64_t)page_bytes;
    }
    out->has_start = start_time(&out->start_s);
}
