/*
 * The defaults: config/terrane.json, byte for byte, in the program's read-only data.
 *
 * The assembler reads the file, by a path from the root of the repository, where the compiler therefore has
 * to run. gcc and clang, ELF, any machine. The symbols are hidden: nothing outside this program can bind to
 * them.
 */
#include "config.h"

#ifndef __ELF__
#error "terrane builds its default configuration in with ELF sections"
#endif

/* clang-format off */
__asm__(".pushsection .rodata.config_default, \"a\", %progbits\n"
        ".hidden config_default_begin\n"
        ".hidden config_default_end\n"
        ".globl config_default_begin\n"
        ".globl config_default_end\n"
        "config_default_begin:\n"
        ".incbin \"config/terrane.json\"\n"
        "config_default_end:\n"
        ".byte 0\n"
        ".popsection\n");
/* clang-format on */

extern const char config_default_begin[] __attribute__((visibility("hidden")));
extern const char config_default_end[] __attribute__((visibility("hidden")));

const char *config_default(size_t *bytes)
{
    *bytes = (size_t)((uintptr_t)config_default_end - (uintptr_t)config_default_begin);
    return config_default_begin;
}
