/*
 * URLs of stores: every form, what is refused and that messages keep secrets, what logs are shown, masks.
 */
#include "../unit.h"

#include "../../../server/base/remote_url.h"

TEST(good_ones_say_where)
{
    static const struct {
        const char *text, *shown, *user, *password;
    } good[] = {
        {"redis://store", "redis://store:6379/0", "", ""},
        {"valkey://store:7000", "redis://store:7000/0", "", ""},
        {"REDIS://Store.example.org:1/", "redis://Store.example.org:1/0", "", ""},
        {"redis://10.0.0.7:65535/65535", "redis://10.0.0.7:65535/65535", "", ""},
        {"rediss://a_b-c.d/3", "rediss://a_b-c.d:6379/3", "", ""},
        {"valkeys://[::1]", "rediss://[::1]:6379/0", "", ""},
        {"redis://[2001:db8::7]:6380/2", "redis://[2001:db8::7]:6380/2", "", ""},
        {"redis://:secret@store", "redis://store:6379/0", "", "secret"},
        {"redis://me:secret@store:1/1", "redis://store:1/1", "me", "secret"},
        {"redis://me:@store", "redis://store:6379/0", "me", ""},
        {"redis://:a%3Ab%40c%2fd%25@store", "redis://store:6379/0", "", "a:b@c/d%"},
        {"redis://:a@b@store", "redis://store:6379/0", "", "a@b"},
        {"redis://:gr%C3%BCn@store", "redis://store:6379/0", "", "gr\303\274n"},
        {"unix:///run/valkey.sock", "unix:///run/valkey.sock?db=0", "", ""},
        {"redis+unix:///run/a%20b", "unix:///run/a b?db=0", "", ""},
        {"redis+socket:///run/x?db=12", "unix:///run/x?db=12", "", ""},
        {"unix://:secret@/run/x", "unix:///run/x?db=0", "", "secret"},
        {"unix:///run/a@b:c", "unix:///run/a@b:c?db=0", "", ""},
    };
    char error[256], shown[REMOTE_HOST_BYTES + 64];
    struct remote_url url;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (remote_url_read(&url, good[i].text, error, sizeof error) < 0)
            fail_msg("%s: %s", good[i].text, error);
        remote_url_show(&url, shown, sizeof shown);
        assert_string_equal(shown, good[i].shown);
        assert_string_equal(url.user, good[i].user);
        assert_string_equal(url.password, good[i].password);
        assert_int_equal(url.local, shown[0] == 'u');
        assert_int_equal(url.tls, strncmp(shown, "rediss", 6) == 0);
    }
}

#define TEN      "0123456789"
#define HUNDRED  TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

TEST(bad_ones_are_refused_without_their_secrets)
{
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"", "begins with redis://"},
        {"store:6379", "begins with redis://"},
        {"http://store", "begins with redis://"},
        {"://store", "begins with redis://"},
        {"redis://", "there is no host"},
        {"redis://:6379", "there is no host"},
        {"redis://SECRET@store", "there is no colon"},
        {"redis://:SECRET@", "there is no host"},
        {"redis://:SEC/RET@store", "%2F"},
        {"redis://:SECRET%@store", "two hex digits"},
        {"redis://:SECRET%zz@store", "two hex digits"},
        {"redis://:SECRET%00@store", "control character"},
        {"redis://:SECRET\n@store", "control character"},
        {"redis://:SECRET@store:0", "the port is a number"},
        {"redis://:SECRET@store:65536", "the port is a number"},
        {"redis://:SECRET@store:6379x", "the port is a number"},
        {"redis://:SECRET@store:99999999999999999999", "the port is a number"},
        {"redis://store/65536", "the database is a number"},
        {"redis://store/-1", "the database is a number"},
        {"redis://store/1/2", "the database is a number"},
        {"redis://store?db=1", "no ? or #"},
        {"redis://store/1#x", "no ? or #"},
        {"redis://sto re", "no name or address"},
        {"redis://2001:db8::7", "the port is a number"},
        {"redis://[2001:db8::7", "without a ]"},
        {"redis://[store]", "no IPv6 address"},
        {"redis://[::1]6379", "the port is a number"},
        {"redis://store%0a", "control character"},
        {"unix://run/x", "begins with /"},
        {"unix://", "begins with /"},
        {"unix:///run/x?password=SECRET", "?db=database alone"},
        {"unix:///run/x?db=", "the database is a number"},
        {"unix:///run/x%0a", "control character"},
        {"unix:///" HUNDRED TEN, "longer than 107 bytes"},
        {"redis://:" HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED "@store",
         "the password is longer than 511 bytes"},
        {"redis://" HUNDRED HUNDRED HUNDRED, "the host is longer than 255 bytes"},
        {"redis://" THOUSAND THOUSAND THOUSAND, "longer than 2047 bytes"},
    };
    char error[256];
    struct remote_url url;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error[0] = '\0';
        if (remote_url_read(&url, bad[i].text, error, sizeof error) == 0)
            fail_msg("%s is taken", bad[i].text);
        if (!strstr(error, bad[i].said) || strstr(error, "SECRET") || strchr(error, '\n'))
            fail_msg("%s: %s", bad[i].text, error);
    }
}

TEST(masks_hide_passwords_alone)
{
    static const char *const masks[][2] = {
        {"redis://store:1/2", "redis://store:1/2"},
        {"redis://:secret@store", "redis://:***@store"},
        {"redis://me:secret@store/1", "redis://me:***@store/1"},
        {"redis://me:s@store", "redis://me:*@store"},
        {"redis://me:@store", "redis://me:@store"},
        {"redis://:a@b@store", "redis://:***@store"},
        {"redis://secret@store", "redis://***@store"},
        {"redis://:sec/ret?#@store", "redis://:***@store"},
        {"secret@store", "***@store"},
        {":secret@store", ":***@store"},
        {"unix://:secret@/run/x", "unix://:***@/run/x"},
        {"", ""},
        {"@", "@"},
    };
    char text[64];

    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        snprintf(text, sizeof text, "%s", masks[i][0]);
        remote_url_mask(text);
        assert_string_equal(text, masks[i][1]);
    }
}

GROUP(remote_url);
