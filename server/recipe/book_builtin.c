/*
 * The recipes that ship: config/worlds/NAME.json, byte for byte, in the program's read-only data.
 *
 * The assembler reads the files, by a path from the root of the repository, where the compiler therefore has to run. gcc
 * and clang, ELF, any machine. The symbols are hidden: nothing outside this program can bind to them. A unit test asserts that
 * the list below is the folder's.
 */
#include <stdint.h>

#include "worlds.h"

#ifndef __ELF__
#error "terrane builds its recipes in with ELF sections"
#endif

#define BUILTINS(X) \
    X(alpine)       \
    X(archipelago)  \
    X(badlands)     \
    X(continents)   \
    X(desert)       \
    X(wayfarer)

/* clang-format off */
#define INCLUDE(name)                                                                                       \
    __asm__(".pushsection .rodata.recipe_" #name ", \"a\", %progbits\n"                                     \
            ".hidden recipe_" #name "_begin\n"                                                              \
            ".hidden recipe_" #name "_end\n"                                                                \
            ".globl recipe_" #name "_begin\n"                                                               \
            ".globl recipe_" #name "_end\n"                                                                 \
            "recipe_" #name "_begin:\n"                                                                     \
            ".incbin \"config/worlds/" #name ".json\"\n"                                                    \
            "recipe_" #name "_end:\n"                                                                       \
            ".byte 0\n"                                                                                     \
            ".popsection\n");                                                                               \
    extern const char recipe_##name##_begin[] __attribute__((visibility("hidden")));                        \
    extern const char recipe_##name##_end[] __attribute__((visibility("hidden")));
/* clang-format on */

BUILTINS(INCLUDE)

static const struct {
    const char *name, *begin, *end;
} builtin[] = {
#define ROW(name) {#name, recipe_##name##_begin, recipe_##name##_end},
    BUILTINS(ROW)
#undef ROW
};

enum { BUILTIN_COUNT = sizeof builtin / sizeof *builtin };

const char *book_builtin_name(size_t k)
{
    return k < BUILTIN_COUNT ? builtin[k].name : NULL;
}

const char *book_builtin_text(size_t k, size_t *bytes)
{
    *bytes = (size_t)((uintptr_t)builtin[k].end - (uintptr_t)builtin[k].begin);
    return builtin[k].begin;
}
