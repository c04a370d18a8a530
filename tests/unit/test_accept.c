/*
 * Accept, Accept-Encoding and If-None-Match (server/tile/accept.c): what clients send, what they might, and garbage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../server/tile/target.h"

static void accept_chooses(void **state)
{
    static const struct {
        const char *accept;
        enum tile_format format;
    } table[] = {
        {NULL, FORMAT_PNG},
        {"", FORMAT_PNG},
        {"*/*", FORMAT_PNG},
        {"image/*", FORMAT_PNG},
        {"image/png", FORMAT_PNG},
        {"application/json", FORMAT_JSON},
        {"application/octet-stream", FORMAT_F32},
        {"application/x-npy", FORMAT_NPY},
        {"application/*", FORMAT_F32},
        {"APPLICATION/JSON", FORMAT_JSON},
        {" \tapplication/json\t ", FORMAT_JSON},
        /* what browsers, curl and libraries send */
        {"image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", FORMAT_PNG},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", FORMAT_PNG},
        {"application/json, text/plain, */*", FORMAT_JSON},
        {"application/json;q=0.9, */*;q=0.1", FORMAT_JSON},
        /* quality before specificity before order */
        {"application/json;q=0.5, image/png;q=0.6", FORMAT_PNG},
        {"image/png;q=0.5, application/json;q=0.6", FORMAT_JSON},
        {"application/json;q=0.501, image/png;q=0.5", FORMAT_JSON},
        {"application/json, image/*", FORMAT_JSON},
        {"image/*, application/json", FORMAT_JSON},
        {"application/json, image/png", FORMAT_PNG},
        {"application/x-npy, application/octet-stream", FORMAT_F32},
        {"application/json;q=0.9, application/*", FORMAT_F32},
        {"*/*, application/x-npy;q=0.9", FORMAT_PNG},
        {"application/x-npy;q=1.000, */*", FORMAT_NPY},
        /* the most specific range speaks for a type, wherever it stands */
        {"image/png;q=0, */*", FORMAT_F32},
        {"*/*, image/png;q=0.1, application/json", FORMAT_JSON},
        {"image/*;q=0, application/json;q=0.1", FORMAT_JSON},
        {"image/*;q=0.1, image/png, application/json", FORMAT_PNG},
        {"application/octet-stream;q=0, application/*", FORMAT_NPY},
        {"application/json;q=0, */*;q=0.5", FORMAT_PNG},
        {"image/png;q=0.2, application/json;q=0.5, */*;q=0.1", FORMAT_JSON},
        /* 0 is no */
        {"application/json;q=0", FORMAT_PNG},
        {"application/json;q=0.000, application/x-npy;q=0.001", FORMAT_NPY},
        {"application/json;q=0.0001", FORMAT_PNG},
        /* parameters, and q in any place */
        {"application/json;charset=utf-8", FORMAT_JSON},
        {"application/json;version=2;q=0.4, image/png;q=0.3", FORMAT_JSON},
        {"application/json ; q=0.4 , image/png;Q=0.3", FORMAT_JSON},
        {"application/json;q=0.2;x=1, image/png;q=0.3", FORMAT_PNG},
        {"application/json;q=7, image/png;q=0.9", FORMAT_JSON},
        {"application/json;quality=0, image/*;q=0.9", FORMAT_JSON},
        /* unreadable ones are passed over */
        {"application/json;q=, image/png;q=0.1", FORMAT_PNG},
        {"application/json;q=x, application/x-npy;q=0.1", FORMAT_NPY},
        {"application/json;q=-1, application/x-npy;q=0.1", FORMAT_NPY},
        {",,,application/json", FORMAT_JSON},
        {"application/json,", FORMAT_JSON},
        {"application/json;", FORMAT_JSON},
        {";q=1,application/json", FORMAT_JSON},
        {"garbage, application/json;q=0.1", FORMAT_JSON},
        {"json", FORMAT_PNG},
        {"application/jsonx", FORMAT_PNG},
        {"application/jso", FORMAT_PNG},
        {"application /json", FORMAT_PNG},
        {"*", FORMAT_PNG},
        {"*/json", FORMAT_PNG},
        {"image/jpeg", FORMAT_PNG},
        {"/", FORMAT_PNG},
        {",", FORMAT_PNG},
        {";", FORMAT_PNG},
        {" ", FORMAT_PNG},
        {";;q=;q", FORMAT_PNG},
        {"application/json;q", FORMAT_JSON},
        {"application/json;q=99999999999999999999", FORMAT_JSON},
        {"\xff\xfe, application/json", FORMAT_JSON},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const enum tile_format format = accept_choose(table[i].accept);
        if (format != table[i].format)
            fail_msg("%s: %s instead of %s", table[i].accept, tile_format_name[format],
                     tile_format_name[table[i].format]);
    }
}

/* ---- Extensions ---------------------------------------------------------------------------------------- */

static void extensions_are_asked_for(void **state)
{
    static const char *const asking[] = {
        "application/vnd.quantized-mesh;extensions=metadata",
        ("application/vnd.quantized-mesh;extensions=octvertexnormals-watermask-metadata,"
         "application/octet-stream;q=0.9,*/*;q=0.01"),
        "application/vnd.quantized-mesh;extensions=metadata-watermask",
        "application/vnd.quantized-mesh,application/octet-stream;q=0.9;extensions=octvertexnormals-metadata",
        "application/vnd.quantized-mesh ; Extensions=METADATA ; q=0.5",
        "application/vnd.quantized-mesh;extensions=\"watermask-metadata\"",
        "application/vnd.quantized-mesh;extensions=watermask;extensions=metadata",
        ",;, a/b;extensions=metadata",
        "x;extensions=--metadata-",
    };
    static const char *const silent[] = {
        "",
        "*/*",
        "application/vnd.quantized-mesh,application/octet-stream;q=0.9,*/*;q=0.01",
        "application/vnd.quantized-mesh;extensions=octvertexnormals-watermask",
        "application/vnd.quantized-mesh;extensions=",
        "application/vnd.quantized-mesh;extensions",
        "application/vnd.quantized-mesh;extensions=-",
        "application/vnd.quantized-mesh;extensions=\"",
        "application/vnd.quantized-mesh;extensions=metadat",
        "application/vnd.quantized-mesh;extensions=metadata2",
        "application/vnd.quantized-mesh;extensions=watermask metadata",
        "application/vnd.quantized-mesh;extensions=watermask,metadata",
        "application/vnd.quantized-mesh;extensions=watermask;metadata",
        "application/vnd.quantized-mesh;extensions =metadata",
        "application/vnd.quantized-mesh;xextensions=metadata",
        "application/vnd.quantized-mesh;extensions=metadata;q=0",
        "extensions=metadata",
        "metadata",
        ";;;===,,,\"\"",
        "\xff;\xfe=\xfd",
    };
    (void)state;
    assert_false(accept_extension(NULL, "metadata"));
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        if (!accept_extension(asking[i], "metadata"))
            fail_msg("%s asks", asking[i]);
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (accept_extension(silent[i], "metadata"))
            fail_msg("%s does not ask", silent[i]);
}

/* ---- Codings ------------------------------------------------------------------------------------------- */

static void codings_are_chosen(void **state)
{
    static const enum tile_coding identity = CODING_IDENTITY, gzip = CODING_GZIP, zstd = CODING_ZSTD;
    static const struct {
        const char *header;
        enum tile_coding coding;
    } table[] = {
        {NULL, identity},
        {"", identity},
        {" ", identity},
        {"identity", identity},
        {"gzip", gzip},
        {"zstd", zstd},
        {"GZip", gzip},
        {"x-gzip", gzip},
        {"\tgzip ", gzip},
        /* what browsers, curl and libraries send */
        {"gzip, deflate", gzip},
        {"gzip, deflate, br", gzip},
        {"gzip, deflate, br, zstd", zstd},
        {"deflate, gzip, br, zstd", zstd},
        {"gzip;q=1.0, identity; q=0.5, *;q=0", gzip},
        {"compress, gzip", gzip},
        {"compress;q=0.5, gzip;q=1.0", gzip},
        {"gzip;q=1.0,deflate;q=0.6,identity;q=0.3", gzip},
        /* none of ours */
        {"deflate", identity},
        {"br", identity},
        {"deflate, br, compress", identity},
        {"gzipx", identity},
        {"gzi", identity},
        {"x-zstd", identity},
        /* quality, then zstd, gzip, none */
        {"gzip, zstd", zstd},
        {"zstd, gzip", zstd},
        {"gzip;q=0.9, zstd;q=0.8", gzip},
        {"gzip;q=0.8, zstd;q=0.801", zstd},
        {"gzip;q=0.5, zstd;q=0.500", zstd},
        {"identity, gzip", gzip},
        {"gzip, identity", gzip},
        {"identity, gzip;q=0.9", identity},
        {"identity;q=0.5, gzip;q=0.4, zstd;q=0.3", identity},
        {"identity;q=0.5, gzip;q=0.5", gzip},
        {"gzip;q=0.001", gzip},
        {"gzip;q=0.5, x-gzip;q=0.9, zstd;q=0.8", gzip},
        {"gzip, x-gzip;q=0.1, identity;q=0.5", gzip},
        {"gzip, gzip;q=x", gzip},
        /* 0 is no */
        {"gzip;q=0", identity},
        {"gzip;q=0.000", identity},
        {"zstd;q=0, gzip", gzip},
        {"gzip;q=0, zstd;q=0.1", zstd},
        {"gzip;q=0, zstd;q=0", identity},
        /* anything */
        {"*", zstd},
        {"*;q=0.1", zstd},
        {"*, zstd;q=0", gzip},
        {"*, zstd;q=0, gzip;q=0", identity},
        {"gzip, *;q=0.5", gzip},
        {"zstd;q=0.4, *;q=0.5", gzip},
        {"identity, *;q=0.5", identity},
        {"*;q=0, gzip;q=0.3", gzip},
        /* where plain bytes are refused */
        {"identity;q=0", gzip},
        {"identity;q=0, br", gzip},
        {"identity;q=0.0, deflate", gzip},
        {"identity;q=0, zstd;q=0", gzip},
        {"identity;q=0, zstd;q=0.2", zstd},
        {"identity;q=0, *;q=0.2", zstd},
        {"identity;q=0, gzip;q=0", identity}, /* nothing is left */
        {"*;q=0", identity},
        {"identity;q=0, *;q=0", identity},
        /* parameters: nothing but q */
        {"gzip ; q=0.5 , zstd;Q=0.4", gzip},
        {"gzip;q=1, zstd;q=1.", zstd},
        {"gzip;q=0., zstd;q=0", identity},
        {"gzip;q=0.9999, zstd;q=0.1", zstd},
        {"gzip;q=1.001", identity},
        {"gzip;q=2", identity},
        {"gzip;q=10", identity},
        {"gzip;q=-1", identity},
        {"gzip;q=", identity},
        {"gzip;q", identity},
        {"gzip;", identity},
        {"gzip;;q=1", identity},
        {"gzip;q=.5", identity},
        {"gzip;q=0.5x", identity},
        {"gzip;q=0 .5", identity},
        {"gzip;q= 0.5", identity},
        {"gzip;level=9", identity},
        {"gzip;q=0.5;level=9", identity},
        {"gzip deflate", identity},
        {"gzip;q=,1", identity},
        {"gzip; ,q=1", identity},
        {"gzip;q=99999999999999999999", identity},
        /* unreadable ones are passed over */
        {"gzip;q=x, zstd", zstd},
        {"gzip=1, zstd;q=0.1", zstd},
        {",,,gzip", gzip},
        {"gzip,", gzip},
        {",", identity},
        {";", identity},
        {";q=1", identity},
        {"\xff\xfe, gzip", gzip},
        {"**", identity},
        {"\"gzip\"", identity},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const enum tile_coding coding = accept_coding(table[i].header);
        if (coding != table[i].coding)
            fail_msg("%s: %s instead of %s", table[i].header, tile_coding_name[coding],
                     tile_coding_name[table[i].coding]);
    }
}

/* ---- Entity tags --------------------------------------------------------------------------------------- */

static void etags_match_as_a_list(void **state)
{
    static const char *const matching[] = {
        "*",
        " *",
        "\"abc\"",
        " \"abc\" ",
        "\t\"abc\"\t",
        "W/\"abc\"",
        "\"x\", \"abc\"",
        "\"x\",\"abc\"",
        "\"abc\", \"x\"",
        "W/\"x\" , W/\"abc\"",
        ",,\"abc\"",
        "\"a,b\",\"abc\"",
        "\"\",\"abc\"",
        "\"x\" \"abc\"",
        "\"\\\", \"abc\"",
        "garbage, \"abc\"",
        "W/, \"abc\"",
        "\"x\", *",
    };
    static const char *const other[] = {
        "",
        " ",
        ",",
        "\"",
        "\"\"",
        "W/",
        "W/\"",
        "abc",
        "\"abc",
        "abc\"",
        "\"abcd\"",
        "\"abd\"",
        "\"ab\"",
        "\"xabc\"",
        "\"ABC\"",
        "\"abc\"x",
        "\"abc\"\"",
        "x\"abc\"",
        "w/\"abc\"",
        "W/W/\"abc\"",
        "W/ \"abc\"",
        "\"x,\"abc\"",
        "\"a*c\"",
        "\"x, \"abc\"",
        "\"x\"abc\"\"",
        "'abc'",
        "\"*\"",
        "\"x\";\"abc\"",
        "\"abc\";q=1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof matching / sizeof *matching; i++)
        if (!etag_matches(matching[i], "\"abc\""))
            fail_msg("%s does not match", matching[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (etag_matches(other[i], "\"abc\""))
            fail_msg("%s matches", other[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accept_chooses),
        cmocka_unit_test(extensions_are_asked_for),
        cmocka_unit_test(codings_are_chosen),
        cmocka_unit_test(etags_match_as_a_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
