/*
 * Feeds files to a fuzz target, without a fuzzer: replay FILE...
 *
 * With it the committed corpora are ordinary tests, under any compiler and sanitizer. Each input is handed
 * over in a block of exactly its length. Exit status 0 when all of them were read and survived; there has to
 * be one at least.
 */
#include <sys/stat.h>

#include "fuzz_kit.h"

static bool replay(const char *path)
{
    FILE *const file = fopen(path, "rb");
    struct stat status;

    if (!file || fstat(fileno(file), &status) != 0)
        return false;
    const size_t bytes = (size_t)status.st_size;
    uint8_t *const exact = room(bytes);
    const bool whole = fread(exact, 1, bytes, file) == bytes;
    if (whole)
        LLVMFuzzerTestOneInput(exact, bytes);
    fclose(file);
    free(exact);
    return whole;
}

int main(int argc, char **argv)
{
    bool all = argc > 1;

    for (int i = 1; i < argc; i++)
        if (!replay(argv[i])) {
            perror(argv[i]);
            all = false;
        }
    printf("%d inputs\n", argc - 1);
    return all ? 0 : 1;
}
