/*
 * Files of an import. Nothing that is there is written over.
 */
#include "import_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/file_text.h"

static char *path_of(const char *directory, const char *name, const struct import_file *file)
{
    char *path;
    return asprintf(&path, "%s/%s.%s", directory, name, file->ending) < 0 ? NULL : path;
}

static int fail(const char *path, const char *why)
{
    fprintf(stderr, "terrane import: %s: %s\n", path, why);
    return 1;
}

static int fill(FILE *out, const struct import_file *file)
{
    static char buffer[1 << 16];
    FILE *const in = file->from ? fopen(file->from, "re") : NULL;
    if (file->from && !in)
        return fail(file->from, strerror(errno));
    if (!in)
        fwrite(file->data, 1, file->bytes, out);
    for (size_t bytes; in && (bytes = fread(buffer, 1, sizeof buffer, in)) > 0;)
        fwrite(buffer, 1, bytes, out);
    const int failed = in && ferror(in) ? fail(file->from, "cannot be read") : 0;
    if (in)
        fclose(in);
    return failed;
}

/* One that is not there yet; nothing is left of one that fails. */
static int write_one(const char *path, const struct import_file *file)
{
    FILE *const out = fopen(path, "wxe");
    if (!out)
        return fail(path, strerror(errno));
    int status = fill(out, file);
    const int failed = ferror(out);
    if ((fclose(out) != 0 || failed) && status == 0)
        status = fail(path, "cannot be written");
    if (status != 0)
        unlink(path);
    return status;
}

int import_files_write(const char *directory, const char *name, const struct import_file *files, size_t count)
{
    char *const folder = strdup(directory);
    int status = !folder || directories_make(folder, 0777) != 0 ? fail(directory, strerror(errno)) : 0;
    free(folder);
    for (size_t k = 0; status == 0 && k < count; k++) {
        char *const path = path_of(directory, name, files + k);
        status = path ? write_one(path, files + k) : fail(directory, "out of memory");
        free(path);
        if (status != 0)
            import_files_remove(directory, name, files, k);
    }
    return status;
}

void import_files_remove(const char *directory, const char *name, const struct import_file *files,
                         size_t count)
{
    for (size_t k = 0; k < count; k++) {
        char *const path = path_of(directory, name, files + k);
        if (path)
            unlink(path);
        free(path);
    }
}
