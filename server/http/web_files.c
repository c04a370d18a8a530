/*
 * The viewer's files. The build writes their list, build/web/list.inc, a line each:
 *
 *     WEB_FILE(k, name, type, lasting, bytes, tag, bytes of the gzip form, its tag)
 *
 * and the files themselves beside it, each also as NAME.gz. The assembler reads them, by paths from the root of the
 * repository, where the compiler therefore has to run. gcc and clang, ELF, any machine; the symbols are hidden.
 */
#include "web_files.h"

#include <string.h>

#ifndef __ELF__
#error "terrane builds its viewer in with ELF sections"
#endif

/* clang-format off */
#define BLOB(symbol, path)                                 \
    __asm__(".pushsection .rodata.web, \"a\", %progbits\n" \
            ".hidden " symbol "\n"                         \
            ".globl " symbol "\n"                          \
            symbol ":\n"                                   \
            ".incbin \"" path "\"\n"                       \
            ".byte 0\n"                                    \
            ".popsection\n")

#define WEB_FILE(k, name, type, lasting, bytes, tag, gzip_bytes, gzip_tag) \
    BLOB("web_plain_" #k, "build/web/" name);                              \
    BLOB("web_gzip_" #k, "build/web/" name ".gz");
#include "../../build/web/list.inc"
#undef WEB_FILE

#define HIDDEN __attribute__((visibility("hidden")))
#define WEB_FILE(k, name, type, lasting, bytes, tag, gzip_bytes, gzip_tag) \
    extern const unsigned char web_plain_##k[] HIDDEN;                     \
    extern const unsigned char web_gzip_##k[] HIDDEN;
#include "../../build/web/list.inc"
#undef WEB_FILE

static const struct web_file files[] = {
#define WEB_FILE(k, name, type, lasting, bytes, tag, gzip_bytes, gzip_tag) \
    {name, type, lasting, {web_plain_##k, bytes, tag}, {web_gzip_##k, gzip_bytes, gzip_tag}},
#include "../../build/web/list.inc"
#undef WEB_FILE
};
/* clang-format on */

const struct web_file *web_file_at(size_t k)
{
    return k < sizeof files / sizeof *files ? &files[k] : NULL;
}

const struct web_file *web_file_find(const char *name)
{
    const char *wanted = name[0] ? name : "index.html";
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (strcmp(files[k].name, wanted) == 0)
            return &files[k];
    return NULL;
}
