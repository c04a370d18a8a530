/*
 * The recipes that ship: config/worlds/NAME.json, byte for byte, in the program's read-only data; and config/worlds/N/NAME.json,
 * which is what generator N and those before it had under that name.
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

/* The newest texts, in the order of names; then older ones, from the newest generator to the oldest. */
#define BUILTINS(X) \
    X(alpine)       \
    X(archipelago)  \
    X(badlands)     \
    X(continents)   \
    X(desert)       \
    X(wayfarer)
#define OLDER(X)       \
    X(16, badlands)    \
    X(16, desert)      \
    X(14, alpine)      \
    X(14, archipelago) \
    X(14, badlands)    \
    X(14, desert)      \
    X(14, wayfarer)    \
    X(13, alpine)      \
    X(13, badlands)    \
    X(13, desert)      \
    X(12, alpine)      \
    X(12, archipelago) \
    X(12, badlands)    \
    X(12, desert)      \
    X(12, wayfarer)    \
    X(11, badlands)    \
    X(11, desert)      \
    X(11, wayfarer)    \
    X(8, alpine)       \
    X(8, archipelago)  \
    X(8, badlands)     \
    X(8, continents)   \
    X(8, desert)       \
    X(8, wayfarer)     \
    X(7, alpine)       \
    X(7, archipelago)  \
    X(7, badlands)     \
    X(7, continents)   \
    X(7, desert)       \
    X(7, wayfarer)

/* clang-format off */
#define INCLUDE(name, symbol, file)                                                                         \
    __asm__(".pushsection .rodata." symbol ", \"a\", %progbits\n"                                           \
            ".hidden " symbol "_begin\n"                                                                    \
            ".hidden " symbol "_end\n"                                                                      \
            ".globl " symbol "_begin\n"                                                                     \
            ".globl " symbol "_end\n"                                                                       \
            symbol "_begin:\n"                                                                              \
            ".incbin \"config/worlds/" file ".json\"\n"                                                     \
            symbol "_end:\n"                                                                                \
            ".byte 0\n"                                                                                     \
            ".popsection\n");                                                                               \
    extern const char recipe_##name##_begin[] __attribute__((visibility("hidden")));                        \
    extern const char recipe_##name##_end[] __attribute__((visibility("hidden")));
/* clang-format on */

#define INCLUDE_NEWEST(name)   INCLUDE(name, "recipe_" #name, #name)
#define INCLUDE_OLDER(n, name) INCLUDE(n##_##name, "recipe_" #n "_" #name, #n "/" #name)
BUILTINS(INCLUDE_NEWEST)
OLDER(INCLUDE_OLDER)

static const struct {
    const char *name;
    int last; /* the newest generator that has this text */
    const char *begin, *end;
} builtin[] = {
#define NEWEST(name) {#name, TERRANE_GENERATOR_VERSION, recipe_##name##_begin, recipe_##name##_end},
#define ROW(n, name) {#name, n, recipe_##n##_##name##_begin, recipe_##n##_##name##_end},
    BUILTINS(NEWEST) OLDER(ROW)
#undef NEWEST
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

int book_builtin_last(size_t k)
{
    return builtin[k].last;
}
