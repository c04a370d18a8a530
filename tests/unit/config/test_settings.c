/*
 * Settings: what they are without a file, and what they refuse.
 */
#include "config_kit.h"

#include "../../../server/service/settings.h"

TEST(defaults)
{
    const struct settings_source nothing = {0};
    struct settings *const settings = settings_load(&nothing, error, sizeof error);

    assert_non_null(settings);
    assert_string_equal(settings->config.listen, "127.0.0.1:8080");
    assert_non_null(settings->worlds.standard);
    assert_ptr_equal(settings->worlds.config, &settings->config);
    assert_non_null(settings->proxies);
    assert_null(settings->keys);
    assert_null(settings->admin_token);
    assert_true(settings_allow_world(settings, &(struct tile_key){.seed = 1}, settings->worlds.standard));
    refcount_hold(&settings->references);
    refcount_release(&settings->references);
    assert_string_equal(settings->config.listen, "127.0.0.1:8080");
    refcount_release(&settings->references);
}

/* Of other files, tests/config/test_environment.py and tests/http/test_access.py. */
TEST(what_is_wrong_is_refused)
{
    const struct settings_source source = {
        .override = {{"http.trusted_proxies", "--it", NULL}, {"listen", "--listen", "nowhere"}}};
    assert_null(settings_load(&source, error, sizeof error));
    assert_non_null(strstr(error, "--listen: \"nowhere\" is no address"));
    assert_int_equal(setenv("TERRANE_HTTP_TRUSTED_PROXIES", "10.0.0.0/33", 1), 0);
    const struct settings_source nothing = {0};
    assert_null(settings_load(&nothing, error, sizeof error));
    assert_int_equal(unsetenv("TERRANE_HTTP_TRUSTED_PROXIES"), 0);
    assert_non_null(strstr(error, "http.trusted_proxies"));
}

GROUP(settings);
