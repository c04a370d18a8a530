/*
 * What commands share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane.h"
#include "tool.h"

bool tool_is_file(const char *recipe)
{
    const size_t bytes = recipe ? strlen(recipe) : 0;
    return recipe && (strchr(recipe, '/') || (bytes > 5 && strcmp(recipe + bytes - 5, ".json") == 0));
}

int tool_init_kernels(void)
{
    const char *isa = getenv("TERRANE_ISA");
    const int error = terrane_init(isa && *isa ? isa : NULL);
    if (error == 0)
        return 0;
    fprintf(stderr, "terrane: %s%s%s; usable here:", error == TERRANE_EISA ? "TERRANE_ISA=" : "",
            error == TERRANE_EISA ? isa : terrane_error_text(error),
            error == TERRANE_EISA ? ": instruction set unknown, or not usable on this machine" : "");
    for (int k = 0; terrane_isa_usable(k); k++)
        fprintf(stderr, " %s", terrane_isa_usable(k));
    fprintf(stderr, "\n");
    return -1;
}
