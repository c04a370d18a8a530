/*
 * The viewer: its page at /, its files and the page of a walk under /viewer/, and /viewer/worlds.json, which tells it what it may show.
 *
 * The page runs nothing but its own files, WebAssembly among them, and asks nobody but this server. server/web/build.mjs makes the files, and the program
 * carries them in its read-only data. The build writes their list, build/web/list.inc, a line each:
 *
 *     WEB_FILE(k, name, type, lasting, bytes, tag, bytes of the gzip form, its tag)
 *
 * and the files themselves beside it, each also as NAME.gz. The assembler reads them, by paths from the root of the
 * repository, where the compiler therefore has to run. gcc and clang, ELF, any machine; the symbols are hidden.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../base/json_text.h"
#include "reply_parts.h"

/* ---- Files ----------------------------------------------------------------------------------------------- */

/* Bytes with a strong tag of their own, quotes included. */
struct web_form {
    const unsigned char *data;
    size_t bytes;
    const char *etag;
};

struct web_file {
    const char *name, *type;
    bool lasting; /* its name has its digest in it: what has it may keep it for ever */
    struct web_form plain, gzip;
};

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

/* The file of that name; "" is the page itself. NULL: there is none. */
static const struct web_file *web_file_find(const char *name)
{
    const char *wanted = name[0] ? name : "index.html";
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (strcmp(files[k].name, wanted) == 0)
            return &files[k];
    return NULL;
}

static const struct {
    const char *name, *value;
} headers[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
     "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; "
     "frame-ancestors 'none'; form-action 'none'"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
    {"Referrer-Policy", "no-referrer"},
    {"Vary", "Accept-Encoding"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
};

static bool add_headers(struct MHD_Response *response, const struct request *request,
                        const struct web_file *file, const char *etag)
{
    bool ok =
        add(response, "ETag", etag) &&
        add(response, "Cache-Control", file->lasting ? "public, max-age=31536000, immutable" : "no-cache");
    for (size_t i = 0; ok && i < sizeof headers / sizeof *headers; i++)
        ok = add(response, headers[i].name, headers[i].value);
    if (ok && atomic_load(&request->service->draining))
        ok = add(response, "Connection", "close");
    return ok && (!request->id[0] || add(response, "X-Request-Id", request->id));
}

/* Whether Accept-Encoding prefers gzip to nothing. zstd, which these files have no form in, is written over first. */
static bool takes_gzip(const char *accept_encoding)
{
    char header[256];
    const size_t bytes = accept_encoding ? strlen(accept_encoding) : 0;
    if (bytes == 0 || bytes >= sizeof header)
        return false;
    memcpy(header, accept_encoding, bytes + 1);
    for (size_t i = 0; i + 4 <= bytes; i++)
        if (strncasecmp(header + i, "zstd", 4) == 0)
            memset(header + i, '-', 4);
    return accept_coding(header) == CODING_GZIP;
}

static enum MHD_Result send_file(struct request *request, const struct web_file *file)
{
    char text[REQUEST_LIST_BYTES];
    const bool coded =
        request->service->compression && takes_gzip(request_list(request, "Accept-Encoding", text));
    const struct web_form *form = coded ? &file->gzip : &file->plain;
    const bool same = request_knows(request, form->etag);
    const size_t bytes = same ? 0 : form->bytes;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(bytes, (void *)(uintptr_t)form->data, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    const bool ok = add_headers(response, request, file, form->etag) &&
                    (same || (add(response, "Content-Type", file->type) &&
                              (!coded || add(response, "Content-Encoding", "gzip"))));
    const unsigned status = same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK;
    const enum MHD_Result result = ok ? MHD_queue_response(request->connection, status, response) : MHD_NO;
    MHD_destroy_response(response);
    if (result == MHD_YES) {
        request->status = status;
        request->body_bytes = bytes;
    }
    return result;
}

/* ---- What there is to show ----------------------------------------------------------------------------------- */

/* Recipes by name, the worlds that the configuration names, and whether there are others. Seeds are left to /world. */
static json_t *describe_worlds(const struct settings *settings)
{
    const struct worlds *worlds = &settings->worlds;
    const struct config_worlds *config = &settings->config.worlds;
    json_t *recipes = json_array(), *named = json_array();
    const struct recipe *recipe;
    for (size_t k = 0; (recipe = book_at(worlds->book, k)) != NULL; k++)
        json_append(&recipes,
                    json_pack("{s:s, s:s}", "name", recipe->name, "description", recipe->description));
    for (size_t k = 0; k < config->named.count && !settings->config.access.required; k++) {
        const struct config_world *world = &config->named.world[k];
        json_append(&named, json_pack("{s:s, s:s}", "name", world->name, "recipe",
                                      world->recipe[0] ? world->recipe : worlds->standard->name));
    }
    const struct shared_world *shared;
    for (size_t k = 0; (shared = shared_at(settings->shared, k)) && !settings->config.access.required; k++)
        json_append(&named, json_pack("{s:s, s:s}", "name", shared->name, "recipe", shared->recipe.name));
    return json_pack("{s:i, s:s, s:b, s:b, s:o, s:o}", "generator", TERRANE_GENERATOR_VERSION, "default",
                     worlds->standard->name, "open", config->open, "key", settings->config.access.required,
                     "recipes", recipes, "named", named);
}

static enum MHD_Result send_worlds(struct request *request)
{
    size_t bytes;
    char *text = json_text(describe_worlds(request->settings), JSON_COMPACT, &bytes);
    return text ? reply_json_known(request, text, bytes) : MHD_NO;
}

enum MHD_Result route_viewer(struct request *request)
{
    const char *name = request->target.file;
    if (strcmp(name, "worlds.json") == 0)
        return send_worlds(request);
    const struct web_file *file = web_file_find(name);
    if (!file || strcmp(name, "index.html") == 0)
        return reply_problem(request, MHD_HTTP_NOT_FOUND, "path", "The viewer has no file of that name.", 0);
    return send_file(request, file);
}
