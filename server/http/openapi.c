/*
 * The description of the HTTP interface: openapi.json beside this file, an OpenAPI 3.1 document, with the layers and formats
 * that there are where it says $layers and $formats, in the program's read-only data.
 *
 * The assembler reads the file that the Makefile writes, from a directory that it is told. gcc and clang, ELF, any machine. The
 * symbols are hidden: nothing outside this program can bind to them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <uv.h>

#include "request.h"

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

static struct static_text openapi;

static void make(void)
{
    static_text_init(&openapi, openapi_begin, (size_t)((uintptr_t)openapi_end - (uintptr_t)openapi_begin));
}

/* Behind a proxy's prefix the servers that are this one have it. */
static enum MHD_Result reply_prefixed(struct request *request, const char *prefix)
{
    const struct static_form *plain = &openapi.form[CODING_IDENTITY];
    size_t bytes;
    char *text = prefix_links((const char *)plain->data, plain->bytes, 0, "{\"url\": \"/", prefix, &bytes);
    return text ? reply_json_known(request, text, bytes) : MHD_NO;
}

enum MHD_Result route_openapi(struct request *request)
{
    static uv_once_t once = UV_ONCE_INIT;
    const char *prefix = base_path_of(request);
    uv_once(&once, make);
    if (*prefix)
        return reply_prefixed(request, prefix);
    return request_knows(request, openapi.etag) ? reply_not_modified(request, openapi.etag)
                                                : reply_static_json(request, &openapi);
}
