/*
 * Feeds files to a fuzz target, without a fuzzer: replay FILE|DIRECTORY... A directory's files go in by name.
 *
 * With it the committed corpora are ordinary tests, under any compiler and sanitizer. Each input is handed
 * over in a block of exactly its length. Exit status 0 when all of them were read and survived; there has to
 * be one at least.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static unsigned long inputs;

static int trouble(const char *path)
{
    perror(path);
    return -1;
}

static int replay_file(const char *path)
{
    FILE *const file = fopen(path, "rb");
    struct stat status;
    int result = -1;

    if (!file || fstat(fileno(file), &status) != 0)
        return trouble(path);
    const size_t bytes = (size_t)status.st_size;
    uint8_t *const exact = malloc(bytes > 0 ? bytes : 1);
    if (exact && fread(exact, 1, bytes, file) == bytes) {
        LLVMFuzzerTestOneInput(exact, bytes);
        inputs++;
        result = 0;
    } else {
        trouble(path);
    }
    fclose(file);
    free(exact);
    return result;
}

static int is_seen(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_directory(const char *path)
{
    struct dirent **entry;
    const int count = scandir(path, &entry, is_seen, alphasort);
    int result = 0;

    if (count < 0)
        return trouble(path);
    for (int i = 0; i < count; i++) {
        char name[4096];
        const int length = snprintf(name, sizeof name, "%s/%s", path, entry[i]->d_name);
        if (length < 0 || (size_t)length >= sizeof name || replay_file(name) != 0)
            result = -1;
        free(entry[i]);
    }
    free(entry);
    return result;
}

int main(int argc, char **argv)
{
    int result = 0;

    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status) != 0)
            result = trouble(argv[i]);
        else if ((S_ISDIR(status.st_mode) ? replay_directory : replay_file)(argv[i]) != 0)
            result = -1;
    }
    printf("%lu inputs\n", inputs);
    return result == 0 && inputs > 0 ? 0 : 1;
}
