/*
 * Trusted proxies: which items are networks, who is in them, who stands behind them; and hosts.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "../../../server/access/networks.h"
#include "../words_kit.h"

static char error[CONFIG_ERROR_BYTES];

/* Networks from words, up to NULL. */
static struct networks *networks_of(const char *const *item)
{
    struct config_list list = {(char **)(uintptr_t)item, 0};

    while (item[list.count])
        list.count++;
    error[0] = '\0';
    return networks_create(&list, "http.trusted_proxies", error, sizeof error);
}

static struct sockaddr_storage socket_address(const char *text, const char *port)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct sockaddr_storage address = {0};
    struct addrinfo *found;

    assert_int_equal(getaddrinfo(text, port, &hints, &found), 0);
    memcpy(&address, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return address;
}

static bool have(const struct networks *networks, const char *text)
{
    const struct sockaddr_storage address = socket_address(text, "1234");
    return networks_have(networks, (const struct sockaddr *)&address);
}

/* An address of a socket as text. */
static const char *shown(const struct sockaddr_storage *address)
{
    static char text[INET6_ADDRSTRLEN];

    assert_int_equal(getnameinfo((const struct sockaddr *)address, sizeof *address, text, sizeof text, NULL,
                                 0, NI_NUMERICHOST),
                     0);
    return text;
}

TEST(test_members)
{
    static const struct {
        const char *item, *in, *out;
    } row[] = {
        {"10.0.0.1", "10.0.0.1", "10.0.0.2"},
        {"10.0.0.1/32", "10.0.0.1", "10.0.0.0"},
        {"10.0.0.0/8", "10.255.255.255", "11.0.0.0"},
        {"10.0.0.0/8", "10.0.0.0", "9.255.255.255"},
        {"172.16.0.0/12", "172.31.9.9", "172.32.0.0"},
        {"192.168.4.128/25", "192.168.4.129", "192.168.4.127"},
        {"0.0.0.0/0", "255.255.255.255", "::1"},
        {"0.0.0.0/1", "127.0.0.1", "128.0.0.1"},
        {"10.0.0.0/8", "::ffff:10.1.2.3", "::10.1.2.3"},
        {"::ffff:10.0.0.0/104", "10.1.2.3", "11.1.2.3"},
        {"::ffff:10.0.0.1", "10.0.0.1", "10.0.0.2"},
        {"::ffff:0:0/96", "1.2.3.4", "::fffe:1.2.3.4"},
        {"fd00::1", "fd00::1", "fd00::2"},
        {"fd00::/8", "fdff:ffff::1", "fe00::"},
        {"fd00::/9", "fd7f::", "fd80::"},
        {"2001:db8::/127", "2001:db8::1", "2001:db8::2"},
        {"::/0", "2001:db8::2", "1.2.3.4"},
        {"::/0", "::1", "::ffff:1.2.3.4"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct networks *const networks = networks_of((const char *[]){"203.0.113.7", row[i].item, NULL});
        if (!networks)
            fail_msg("%s: %s", row[i].item, error);
        if (!have(networks, row[i].in) || have(networks, row[i].out))
            fail_msg("%s has not %s, or has %s", row[i].item, row[i].in, row[i].out);
        networks_free(networks);
    }
}

TEST(test_an_empty_list_has_nobody)
{
    struct networks *const networks = networks_of((const char *[]){NULL});
    const struct sockaddr_un local = {.sun_family = AF_UNIX};
    assert_non_null(networks);
    assert_false(have(networks, "127.0.0.1"));
    assert_false(have(networks, "::"));
    assert_false(networks_have(networks, (const struct sockaddr *)&local));
    networks_free(networks);
    networks_free(NULL);
}

TEST(test_wrong_items)
{
    static const char wrong[] =
        "|/|/8|10.0.0|10.0.0.0/|10.0.0.0/33|10.0.0.0/-1|10.0.0.0/08|10.0.0.0/+8|10.0.0.0/8 | 10.0.0.0/8|"
        "10.0.0.0/8/8|10.0.0.1/8|010.0.0.1|10.0.0.256|10.0.0.1:80|[fd00::1]|fd00::1/8|fd00::/129|"
        "fd00::/0x8|fd00::1%eth0|fe80::%1/10|fd00:::1|localhost|::ffff:10.0.0.1/90|"
        "10.0.0.0/99999999999999999999|1.1.1.1,2.2.2.2|10.0.0.1/31|::1/127";
    for (const char *at = wrong, *word; (word = word_next(&at));) {
        assert_null(networks_of((const char *[]){"127.0.0.1", word, NULL}));
        assert_memory_equal(error, "http.trusted_proxies[1]: \"", 26);
    }
    assert_null(networks_of((const char *[]){"10.0.0.1/8", NULL}));
    assert_string_equal(error,
                        "http.trusted_proxies[0]: \"10.0.0.1/8\" has bits behind its prefix: allowed are "
                        "networks whose bits are 0 there");
    assert_null(networks_of((const char *[]){"\n", NULL}));
    assert_string_equal(error,
                        "http.trusted_proxies[0]: \"\\x0a\" is neither an address nor a network: allowed "
                        "10.0.0.1, 10.0.0.0/8, fd00::1, fd00::/8");
}

static void assert_client(const struct networks *networks, const char *peer, const char *forwarded_for,
                          const char *expected)
{
    const struct sockaddr_storage from = socket_address(peer, "999");
    struct sockaddr_storage client;

    memset(&client, 0xa5, sizeof client);
    networks_client(networks, (const struct sockaddr *)&from, forwarded_for, &client);
    if (strcmp(shown(&client), expected) != 0)
        fail_msg("%s, \"%s\": %s instead of %s", peer, forwarded_for, shown(&client), expected);
}

TEST(test_clients_behind_proxies)
{
    static const struct {
        const char *peer, *forwarded_for, *client;
    } row[] = {
        {"8.8.8.8", NULL, "8.8.8.8"},
        {"8.8.8.8", "1.2.3.4", "8.8.8.8"}, /* nobody who is believed says so */
        {"10.0.0.1", NULL, "10.0.0.1"},
        {"10.0.0.1", "1.2.3.4", "1.2.3.4"},
        {"::ffff:10.0.0.1", "1.2.3.4", "1.2.3.4"},
        {"::ffff:8.8.8.8", "1.2.3.4", "8.8.8.8"},
        {"10.0.0.1", "6.6.6.6, 1.2.3.4", "1.2.3.4"}, /* what the client wrote itself is not read */
        {"10.0.0.1", "6.6.6.6,1.2.3.4,10.0.0.2", "1.2.3.4"},
        {"10.0.0.1", "6.6.6.6 ,\t1.2.3.4 , 10.0.0.2\t, fd00::2 ", "1.2.3.4"},
        {"10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"}, /* a proxy asks for itself */
        {"10.0.0.1", "1.2.3.4:80", "1.2.3.4"},
        {"10.0.0.1", "2001:db8::1", "2001:db8::1"},
        {"10.0.0.1", "[2001:db8::1]", "2001:db8::1"},
        {"10.0.0.1", "[2001:db8::1]:65535", "2001:db8::1"},
        {"10.0.0.1", "::ffff:1.2.3.4", "1.2.3.4"},
        {"10.0.0.1", "[::ffff:1.2.3.4]:5", "1.2.3.4"},
        {"10.0.0.1", "1.2.3.4, [fd00::9]:1, 10.0.0.2:2", "1.2.3.4"},
        {"fd00::1", "2001:db8::80", "2001:db8::80"},
        {"10.0.0.1", "1.2.3.4, unknown, 10.0.0.2", "10.0.0.2"},
        {"10.0.0.1", "1.2.3.4, , 10.0.0.2", "10.0.0.2"},
        {"10.0.0.1", ",,,,1.2.3.4", "1.2.3.4"},
    };
    /* What is no address ends the reading: the last one who was believed is the client. */
    static const char no_address[] =
        "|unknown|1.2.3.4, _hidden|1.2.3.4,|,| \t |1.2.3.4:|1.2.3.4:x|1.2.3.4:123456|:80|1.2.3|1.2.3.4.5|"
        "01.2.3.4|1.2.3.4 5.6.7.8|1.2.3.4;5.6.7.8|[1.2.3.4]|[2001:db8::1|2001:db8::1]|[2001:db8::1]80|[]|"
        "[|fe80::1%eth0|\"1.2.3.4\"|for=1.2.3.4|"
        "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc:dddd";
    struct networks *const networks = networks_of((const char *[]){"10.0.0.0/8", "fd00::/8", NULL});
    assert_non_null(networks);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_client(networks, row[i].peer, row[i].forwarded_for, row[i].client);
    for (const char *at = no_address, *word; (word = word_next(&at));)
        assert_client(networks, "10.0.0.1", word, "10.0.0.1");
    networks_free(networks);
}

TEST(test_peers_as_they_are)
{
    struct networks *const networks = networks_of((const char *[]){"10.0.0.0/8", NULL});
    const struct sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "/a"};
    struct sockaddr_storage peer = socket_address("fe80::1%7", "999"), client;
    struct sockaddr_in v4;

    networks_client(networks, (const struct sockaddr *)&peer, "1.2.3.4", &client);
    assert_memory_equal(&client, &peer, sizeof(struct sockaddr_in6)); /* with port and scope */
    peer = socket_address("::ffff:8.8.8.8", "999");
    networks_client(networks, (const struct sockaddr *)&peer, "1.2.3.4", &client);
    memcpy(&v4, &client, sizeof v4);
    assert_int_equal(v4.sin_family, AF_INET);
    assert_int_equal(ntohs(v4.sin_port), 999);
    peer = socket_address("10.0.0.1", "999");
    networks_client(networks, (const struct sockaddr *)&peer, "1.2.3.4:80", &client);
    memcpy(&v4, &client, sizeof v4);
    assert_int_equal(v4.sin_port, 0);
    networks_client(networks, (const struct sockaddr *)&local, "1.2.3.4", &client);
    assert_int_equal(client.ss_family, AF_UNIX);
    networks_free(networks);
}

/* Nobody makes the server read a header of thousands of trusted addresses to its end. */
TEST(test_long_chains)
{
    enum { MANY = 5000 };
    char *const text = malloc(MANY * 12 + 20);
    struct networks *const networks = networks_of((const char *[]){"10.0.0.0/8", NULL});
    const struct sockaddr_storage peer = socket_address("10.9.9.9", "1");
    struct sockaddr_storage client;

    assert_non_null(text);
    for (int trusted = 63; trusted <= MANY; trusted += trusted < 66 ? 1 : MANY - 66) {
        int used = snprintf(text, 20, "1.2.3.4");
        for (int i = trusted; i >= 1; i--)
            used += snprintf(text + used, 20, ",10.0.%d.%d", i / 250, i % 250);
        networks_client(networks, (const struct sockaddr *)&peer, text, &client);
        assert_string_equal(shown(&client), trusted == 63 ? "1.2.3.4" : "10.0.0.64");
    }
    free(text);
    networks_free(networks);
}

TEST(test_hosts)
{
    static char one[] = "example.org", below[] = "*.tiles.Example.net", v6[] = "[::1]", v4[] = "127.0.0.1",
                port[] = "with.port:8080", dot[] = "dotted.org.";
    char *item[] = {one, below, v6, v4, port, dot};
    const struct config_list hosts = {item, sizeof item / sizeof *item}, none = {NULL, 0};
    static const char allowed[] =
        "example.org|EXAMPLE.org:8080|example.org.|example.org.:80|example.org:|a.tiles.example.net|"
        "a.b.TILES.example.net.:1|[::1]|[::1]:8080|127.0.0.1:80|with.port|with.port:9|dotted.org|"
        "dotted.org.|a-_9.tiles.example.net";
    static const char refused[] =
        "|.|:80|example.or|xexample.org|example.orgx|a.example.org|example.org..|example.org:80a|"
        "example.org:80:80|example.org@evil| example.org|tiles.example.net|.tiles.example.net|"
        "..tiles.example.net|a..tiles.example.net|*.tiles.example.net|a/b.tiles.example.net|"
        "a .tiles.example.net|xtiles.example.net|.a.tiles.example.net|[::1|[::1]x|[::1]:x|[::2]|"
        "[example.org]|[]|127.0.0.1.evil|evil:[::1]|a:b.tiles.example.net";
    char long_host[400];

    for (const char *at = allowed, *word; (word = word_next(&at));)
        if (!host_allowed(&hosts, word))
            fail_msg("\"%s\" is refused", word);
    for (const char *at = refused, *word; (word = word_next(&at));)
        if (host_allowed(&hosts, word))
            fail_msg("\"%s\" is allowed", word);
    assert_false(host_allowed(&hosts, NULL));
    assert_true(host_allowed(&none, NULL));
    assert_true(host_allowed(&none, "anything at all"));

    memset(long_host, 'a', sizeof long_host);
    snprintf(long_host + 235, sizeof long_host - 235, ".tiles.example.net"); /* 253 bytes */
    assert_true(host_allowed(&hosts, long_host));
    snprintf(long_host + 236, sizeof long_host - 236, ".tiles.example.net");
    assert_false(host_allowed(&hosts, long_host));
}

GROUP(networks);
