/*
 * The folder of a set. A file is written beside its place, on the same disk, and renamed: whoever ends the run, and how, a name
 * has all of its file or none.
 */
#include "export_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/file_text.h"
#include "../base/json_text.h"
#include "../base/text.h"

static const char set_name[] = "set.json", unfinished[] = "unfinished";

enum { SET_BYTES_MAX = 1 << 16, WHY_BYTES = 80 };

struct export_folder {
    char *path;
    const json_t *facts; /* borrowed */
    int at, unfinished;  /* descriptors of folders; below 0: not open */
    bool ranged;
    float low_m, high_m;
};

static int fault(const struct export_folder *folder, const char *name, const char *why, char *error)
{
    text_print(error, EXPORT_ERROR_BYTES, "%.*s/%s: %s", text_cut(folder->path, 200), folder->path, name,
               why);
    return -1;
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

/* Whether a folder within a folder is one that has nothing but, perhaps, so called. */
static bool has_only(int at, const char *path, const char *name)
{
    const int folder = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *list = folder >= 0 ? fdopendir(folder) : NULL;
    bool only = list != NULL;
    for (const struct dirent *entry; list && (entry = readdir(list));)
        only &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                strcmp(entry->d_name, name) == 0;
    if (list)
        closedir(list);
    else if (folder >= 0)
        close(folder);
    return only;
}

/* Whether there is nothing in the folder but what a run has begun with, before it said what set it is. */
static bool is_empty(int at)
{
    return has_only(at, ".", unfinished) && (faccessat(at, unfinished, F_OK, AT_SYMLINK_NOFOLLOW) != 0 ||
                                             has_only(at, unfinished, "set.json.part"));
}

/* A fact for a message. */
static void show(const json_t *value, char text[static TEXT_SHOWN_BYTES])
{
    char *all = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    text_show(text, TEXT_SHOWN_BYTES, all ? all : "nothing");
    if (all && *all != '"' && strlen(all) < TEXT_SHOWN_BYTES)
        snprintf(text, TEXT_SHOWN_BYTES, "%s", all);
    else if (json_is_string(value))
        text_show(text, TEXT_SHOWN_BYTES, json_string_value(value));
    free(all);
}

/* The first fact that differs, as a line; 0: none does. */
static int compare(const struct export_folder *folder, const json_t *there, char *error)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)folder->facts, name, value)
    {
        const json_t *its = json_object_get(there, name);
        char ours[TEXT_SHOWN_BYTES], theirs[TEXT_SHOWN_BYTES];
        if (json_equal(its, value))
            continue;
        show(value, ours);
        show(its, theirs);
        text_print(error, EXPORT_ERROR_BYTES,
                   "%.*s: holds another set, whose %s is %s, not %s: write elsewhere, or remove it",
                   text_cut(folder->path, 120), folder->path, name, theirs, ours);
        return -1;
    }
    return 0;
}

static void read_range(struct export_folder *folder, const json_t *root)
{
    const json_t *range = json_object_get(root, "range_m");
    const double low = json_number_value(json_array_get(range, 0)),
                 high = json_number_value(json_array_get(range, 1));
    folder->ranged =
        json_is_array(range) && fabs(low) <= 1e9 && fabs(high) <= 1e9 && (float)low < (float)high;
    folder->low_m = (float)low;
    folder->high_m = (float)high;
}

/* What is there: 1, a set of these facts; 0, nothing; -1. */
static int read_set(struct export_folder *folder, char *error)
{
    char *path = NULL, why[WHY_BYTES];
    size_t bytes = 0;
    if (faccessat(folder->at, set_name, F_OK, 0) != 0) {
        if (is_empty(folder->at))
            return 0;
        text_print(error, EXPORT_ERROR_BYTES, "%.*s: is not empty, and holds no set (%s): write elsewhere",
                   text_cut(folder->path, 200), folder->path, set_name);
        return -1;
    }
    if (asprintf(&path, "%s/%s", folder->path, set_name) < 0)
        return fault(folder, set_name, "out of memory", error);
    char *text = file_text(path, SET_BYTES_MAX, &bytes, why, sizeof why);
    free(path);
    json_t *root = text ? json_loadb(text, bytes, 0, NULL) : NULL;
    int result = -1;
    if (!text)
        fault(folder, set_name, why, error);
    else if (!json_is_object(json_object_get(root, "set")))
        fault(folder, set_name, "is no description of a set", error);
    else if (compare(folder, json_object_get(root, "set"), error) == 0)
        result = 1;
    if (result > 0)
        read_range(folder, root);
    json_decref(root);
    free(text);
    return result;
}

/* The descriptor of the folder, made where it is missing; -1 with a line, or, of a look, where there is none. */
static int open_at(struct export_folder *folder, bool look, char *error)
{
    if (!look && directories_make(folder->path, 0777) != 0)
        return fault(folder, "", strerror(errno), error);
    folder->at = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->at < 0 && !(look && errno == ENOENT))
        return fault(folder, "", strerror(errno), error);
    if (folder->at >= 0 && faccessat(folder->at, ".", W_OK | X_OK, 0) != 0)
        return fault(folder, "", strerror(errno), error);
    if (folder->at < 0 || look) {
        folder->unfinished =
            folder->at < 0 ? -1
                           : openat(folder->at, unfinished, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        return folder->at < 0 ? 1 : 0;
    }
    if (flock(folder->at, LOCK_EX | LOCK_NB) != 0)
        return fault(folder, "", "another process writes this set", error);
    return 0;
}

static int open_unfinished(struct export_folder *folder, char *error)
{
    if (mkdirat(folder->at, unfinished, 0700) != 0 && errno != EEXIST)
        return fault(folder, unfinished, strerror(errno), error);
    folder->unfinished = openat(folder->at, unfinished, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return folder->unfinished >= 0 ? 0 : fault(folder, unfinished, strerror(errno), error);
}

int export_folder_open(struct export_folder **opened, const char *path, const json_t *facts, bool look,
                       char error[static EXPORT_ERROR_BYTES])
{
    struct export_folder *folder = calloc(1, sizeof *folder);
    *opened = NULL;
    snprintf(error, EXPORT_ERROR_BYTES, "out of memory");
    if (!folder)
        return -1;
    folder->at = folder->unfinished = -1;
    folder->facts = facts;
    folder->path = strdup(path);
    const int result = folder->path ? open_at(folder, look, error) : -1;
    int there = result == 0 ? read_set(folder, error) : result > 0 ? 0 : -1;
    if (there >= 0 && !look &&
        (open_unfinished(folder, error) != 0 ||
         (there == 0 && export_folder_note(folder, json_object(), error) != 0)))
        there = -1;
    if (there < 0 || result > 0)
        export_folder_close(folder);
    else
        *opened = folder;
    return there < 0 ? -1 : 0;
}

void export_folder_close(struct export_folder *folder)
{
    if (!folder)
        return;
    if (folder->unfinished >= 0)
        close(folder->unfinished);
    if (folder->at >= 0)
        close(folder->at);
    free(folder->path);
    free(folder);
}

/* ---- Facts --------------------------------------------------------------------------------------------- */

bool export_folder_range(const struct export_folder *folder, float *low_m, float *high_m)
{
    if (folder->ranged) {
        *low_m = folder->low_m;
        *high_m = folder->high_m;
    }
    return folder->ranged;
}

int export_folder_note(struct export_folder *folder, json_t *more, char error[static EXPORT_ERROR_BYTES])
{
    size_t bytes = 0;
    json_t *root = json_object(), *facts = json_deep_copy(folder->facts);
    const bool good = root && facts && json_object_set_new(root, "set", facts) == 0 && more &&
                      json_object_update(root, more) == 0;
    json_decref(more);
    if (!good) {
        json_decref(root);
        return fault(folder, set_name, "out of memory", error);
    }
    char *text = json_text(root, JSON_INDENT(2), &bytes);
    if (!text)
        return fault(folder, set_name, "out of memory", error);
    const int result = export_folder_put(folder, set_name, false, text, bytes, error);
    free(text);
    return result;
}

/* ---- Files --------------------------------------------------------------------------------------------- */

int64_t export_folder_size(const struct export_folder *folder, const char *name, bool kept)
{
    struct stat status;
    const int at = kept ? folder->unfinished : folder->at;
    if (at < 0 || fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
        return -1;
    return status.st_size;
}

bool export_folder_has_png(const struct export_folder *folder, const char *name)
{
    static const unsigned char end[8] = {'I', 'E', 'N', 'D', 0xAE, 0x42, 0x60, 0x82};
    unsigned char last[sizeof end];
    const int64_t size = export_folder_size(folder, name, false);
    const int file = size > (int64_t)sizeof end ? openat(folder->at, name, O_RDONLY | O_CLOEXEC) : -1;
    const bool has = file >= 0 &&
                     pread(file, last, sizeof last, size - (int64_t)sizeof last) == sizeof last &&
                     memcmp(last, end, sizeof end) == 0;
    if (file >= 0)
        close(file);
    return has;
}

static bool write_all(int file, const unsigned char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t count = write(file, data, bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        data += count;
        bytes -= (size_t)count;
    }
    return true;
}

int export_folder_put(const struct export_folder *folder, const char *name, bool kept, const void *data,
                      size_t bytes, char error[static EXPORT_ERROR_BYTES])
{
    char part[EXPORT_NAME_BYTES + 8];
    snprintf(part, sizeof part, "%s.part", name);
    const int file =
        openat(folder->unfinished, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    /* On the disk before it has its name, whenever the power is cut; of what waits the length tells. */
    bool good = file >= 0 && write_all(file, data, bytes) && (kept || fsync(file) == 0);
    int why = errno;
    if (file >= 0 && close(file) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && renameat(folder->unfinished, part, kept ? folder->unfinished : folder->at, name) == 0)
        return 0;
    why = good ? errno : why;
    if (file >= 0)
        unlinkat(folder->unfinished, part, 0);
    return fault(folder, name, strerror(why), error);
}

int export_folder_take(const struct export_folder *folder, const char *name, void *data, size_t bytes,
                       char error[static EXPORT_ERROR_BYTES])
{
    size_t filled = 0;
    const int file = openat(folder->unfinished, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const char *why = file < 0 ? strerror(errno) : NULL;
    while (!why && filled < bytes) {
        const ssize_t count = read(file, (char *)data + filled, bytes - filled);
        if (count > 0)
            filled += (size_t)count;
        else if (count == 0)
            why = "is cut off";
        else if (errno != EINTR)
            why = strerror(errno);
    }
    if (file >= 0)
        close(file);
    return why ? fault(folder, name, why, error) : 0;
}

void export_folder_drop(const struct export_folder *folder, const char *name)
{
    unlinkat(folder->unfinished, name, 0);
}

void export_folder_finish(struct export_folder *folder)
{
    DIR *list = folder->unfinished >= 0 ? fdopendir(folder->unfinished) : NULL;
    for (const struct dirent *entry; list && (entry = readdir(list));)
        if (*entry->d_name != '.')
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
    folder->unfinished = -1;
    unlinkat(folder->at, unfinished, AT_REMOVEDIR);
}
