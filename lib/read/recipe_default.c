/*
 * The recipe that ships: config/worlds/continents.json, byte for byte, in read-only data.
 *
 * With ELF the assembler reads the file, by a path from the root of the repository, where the compiler therefore has to
 * run; elsewhere the compiler reads it as numbers, from build/recipe_default.inc (`make build/recipe_default.inc`). A unit
 * test holds that it is taken, and that the memory here is enough for it.
 */
#include <string.h>

#include "../terrane.h"

#ifdef __ELF__
/* clang-format off */
__asm__(".pushsection .rodata.recipe_default, \"a\", %progbits\n"
        ".hidden recipe_default_begin\n"
        ".hidden recipe_default_end\n"
        ".globl recipe_default_begin\n"
        ".globl recipe_default_end\n"
        "recipe_default_begin:\n"
        ".incbin \"config/worlds/continents.json\"\n"
        "recipe_default_end:\n"
        ".byte 0\n"
        ".popsection\n");
/* clang-format on */

extern const char recipe_default_begin[] __attribute__((visibility("hidden")));
extern const char recipe_default_end[] __attribute__((visibility("hidden")));
#define DEFAULT_BYTES ((size_t)((uintptr_t)recipe_default_end - (uintptr_t)recipe_default_begin))
#else
static const char recipe_default_begin[] = {
#include "recipe_default.inc"
};
#define DEFAULT_BYTES sizeof recipe_default_begin
#endif

enum { MEMORY_BYTES = 192 << 10 };

/* user points to the one block: NULL while it is taken. */
static void *take(void *user, size_t bytes)
{
    void **block = user, *taken = *block;
    if (bytes > MEMORY_BYTES)
        return NULL;
    *block = NULL;
    return taken;
}

static void give(void *user, void *block)
{
    *(void **)user = block;
}

void terrane_recipe_default(struct terrane_recipe *recipe)
{
    _Alignas(TERRANE_SCRATCH_ALIGN) char block[MEMORY_BYTES];
    void *there = block;
    const struct terrane_memory memory = {.alloc = take, .free = give, .user = &there};
    char error[TERRANE_REFUSAL_BYTES];
    memset(recipe, 0, sizeof *recipe);
    if (terrane_recipe_parse(recipe_default_begin, DEFAULT_BYTES, NULL, &memory, recipe, NULL, error,
                             sizeof error) != 0)
        memset(recipe, 0, sizeof *recipe);
}
