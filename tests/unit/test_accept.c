/*
 * Accept and If-None-Match (server/http/accept.c): what clients send, what they might, and garbage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../server/http/target.h"

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
        cmocka_unit_test(etags_match_as_a_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
