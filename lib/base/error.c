/*
 * The sentences of the error codes, from the one list in terrane_error.h.
 */
#include "../terrane.h"

const char *terrane_error_text(int error)
{
    switch (error) {
    case 0:
        return "no error";
#define X(name, value, text) \
    case value:              \
        return text;
        TERRANE_ERRORS(X)
#undef X
    default:
        return "unknown error";
    }
}
