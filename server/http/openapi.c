/*
 * The description of the HTTP interface: openapi.json beside this file, with the layers that there are where it says $layers,
 * in the program's read-only data.
 *
 * The assembler reads the file that the Makefile writes, from a directory that it is told. gcc and clang, ELF, any machine. The symbols are hidden: nothing outside this program can bind to
 * them.
 */
#include "openapi.h"

#include <stdint.h>

#ifndef __ELF__
#error "terrane builds the description of its interface in with ELF sections"
#endif

/* clang-format off */
__asm__(".pushsection .rodata.openapi, \"a\", %progbits\n"
        ".hidden openapi_begin\n"
        ".hidden openapi_end\n"
        ".globl openapi_begin\n"
        ".globl openapi_end\n"
        "openapi_begin:\n"
        ".incbin \"openapi.json\"\n"
        "openapi_end:\n"
        ".byte 0\n"
        ".popsection\n");
/* clang-format on */

extern const char openapi_begin[] __attribute__((visibility("hidden")));
extern const char openapi_end[] __attribute__((visibility("hidden")));

const char *openapi_text(size_t *bytes)
{
    *bytes = (size_t)((uintptr_t)openapi_end - (uintptr_t)openapi_begin);
    return openapi_begin;
}
