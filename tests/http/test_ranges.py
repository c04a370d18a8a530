"""Range requests for raw tiles: 206, 416, If-Range; with codings, HEAD and every cache tier."""

import pytest
from http_server import base_tile

TARGET = base_tile(42, 4, 5, 5, "f32", size=64)
BYTES = 64 * 64 * 4
LAST = BYTES - 1


def ranged(value, *more):
    return [("Range", value), *more]


@pytest.fixture(scope="module")
def whole(server):
    return server.get(TARGET)


def check_part(answer, whole, first, last):
    assert answer.status == 206 and answer["Content-Range"] == f"bytes {first}-{last}/{len(whole.body)}"
    assert answer.body == whole.body[first:last + 1] and int(answer["Content-Length"]) == last - first + 1
    for name in ("ETag", "Content-Type", "Cache-Control", "Accept-Ranges", "Vary", "Terrane-Min", "Terrane-Width"):
        assert answer.all(name) == whole.all(name), name
    assert answer["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("value,first,last", [
    ("bytes=0-0", 0, 0), ("bytes=0-", 0, LAST), (f"bytes=0-{LAST}", 0, LAST), (f"bytes=0-{BYTES}", 0, LAST),
    ("bytes=100-199", 100, 199), (f"bytes={LAST}-", LAST, LAST), ("bytes=-1", LAST, LAST), ("bytes=-100", BYTES - 100, LAST),
    (f"bytes=-{BYTES * 2}", 0, LAST), ("Bytes=4-7", 4, 7), ("bytes= 4-7 ", 4, 7), ("bytes=00004-07", 4, 7),
    ("bytes=5-99999999999999999999999999", 5, LAST), ("bytes=0-18446744073709551615", 0, LAST),
    ("bytes=0-18446744073709551616", 0, LAST), ("bytes=-18446744073709551617", 0, LAST), (f"bytes=-{BYTES}", 0, LAST),
    (f"bytes={LAST}-{LAST}", LAST, LAST), (f"bytes={LAST - 1}-{BYTES * 5}", LAST - 1, LAST), (" \tbytes= 0-1 \t", 0, 1)])
def test_one_range(server, whole, value, first, last):
    check_part(server.ask(TARGET, headers=ranged(value)), whole, first, last)


@pytest.mark.parametrize("value", [
    "bytes=5-4", "bytes=", "bytes=-", "bytes", "bytes=a-b", "bytes=1-2x", "bytes=--1", "bytes=+1-2", "bytes=0x1-2",
    "bytes=1 -2", "lines=1-2", "0-1", "", "bytes 0-1", "bytes=1.0-2", "bytes=0-1,2-3", "bytes=0-0,-1", "bytes=-1,bytes=0-1",
    "bytes=" + "0-1," * 200, "bytes =0-1", "bytes=0- 1", "bytes=0-1 2", "byte", "bytes:0-1", "bytes=0-1,", "bytes=,0-1",
    "bytes=99999-,0-1", "bytes=5", "bytes=99999-99998", "bytes=0--5", "bytes=0-5-", "bytes=18446744073709551616-5", "bytes=\u00b2-5"])
def test_what_is_no_single_range_gives_the_whole(server, whole, value):
    answer = server.ask(TARGET, headers=ranged(value))
    assert answer.status == 200 and answer.body == whole.body and "Content-Range" not in answer


@pytest.mark.parametrize("value", [f"bytes={BYTES}-", f"bytes={BYTES}-{BYTES + 5}", "bytes=-0", "bytes=" + "9" * 40 + "-",
                                   "bytes=18446744073709551616-", "bytes=18446744073709551626-18446744073709551627"])
def test_416(server, whole, value):
    answer = server.ask(TARGET, headers=ranged(value))
    assert answer.status == 416 and answer["Content-Range"] == f"bytes */{BYTES}" and "ETag" not in answer
    assert answer["Cache-Control"] == "no-store" and answer["Access-Control-Allow-Origin"] == "*"
    assert server.ask(TARGET, headers=ranged(value, ("If-Range", '"another"'))).status == 200


def test_if_range(server, whole):
    tag = whole["ETag"]
    for given, status in ((tag, 206), (f" {tag} ", 206), (f"W/{tag}", 200), ('"another"', 200), (tag.strip('"'), 200),
                          (f'"x", {tag}', 200), (f'{tag}, "x"', 200), (f"{tag}x", 200), (tag[:-1], 200), (tag.swapcase(), 200), ("*", 200), ("Sat, 21 Nov 2026 10:00:00 GMT", 200), ("", 200)):
        answer = server.ask(TARGET, headers=ranged("bytes=8-15", ("If-Range", given)))
        assert answer.status == status, given
        assert answer.body == (whole.body[8:16] if status == 206 else whole.body)


def test_if_match_guards_what_is_read(server, whole):
    for target in (TARGET, "/region/42.f32?x0=0&y0=0&w=9&h=9", "/point/42?x=1&y=2", "/river/42?x0=0&y0=0&w=9&h=9&recipe=whole"):
        tag = server.ask(target, "HEAD")["ETag"]
        same = 412 if tag.startswith("W/") else 200  # it is compared strongly
        for given, status in ((tag, same), ("*", 200), (f'"x", {tag}', same), ('"x"', 412), (f"W/{tag}", 412)):
            for more in ((), (("If-None-Match", tag),)):
                answer = server.ask(target, "HEAD", headers=[("If-Match", given), *more])
                assert answer.status == (304 if more and status == 200 else status), (target, given)


def test_if_none_match_comes_first(server, whole):
    for value in ("bytes=0-7", f"bytes={BYTES}-"):
        answer = server.ask(TARGET, headers=ranged(value, ("If-None-Match", whole["ETag"])))
        assert answer.status == 304 and answer.body == b"" and "Content-Range" not in answer


def test_head_has_no_ranges(server, whole):
    """A range is of GET alone: HEAD says what the whole is."""
    for value in ("bytes=0-7", f"bytes={BYTES}-"):
        for target in (TARGET, base_tile(42, 4, 900, 5, "f32", size=64)):
            head = server.ask(target, "HEAD", ranged(value))
            assert head.status == 200 and head["Accept-Ranges"] == "bytes" and "Content-Range" not in head
            assert int(head["Content-Length"]) == BYTES


@pytest.mark.parametrize("fmt", ["f32", "r16", "npy"])
@pytest.mark.parametrize("encoding", ["identity", "gzip", "zstd"])
def test_ranges_of_what_is_compressed(server, fmt, encoding):
    """Of the representation's bytes: parts of a coded tile are parts of its coded bytes, under its own tag."""
    target, headers = base_tile(42, 4, 7, 7, fmt), [("Accept-Encoding", encoding)]
    whole = server.get(target, headers)
    half = len(whole.body) // 2
    parts = [server.ask(target, headers=ranged(value, ("If-Range", whole["ETag"]), *headers))
             for value in (f"bytes=0-{half - 1}", f"bytes={half}-")]
    check_part(parts[0], whole, 0, half - 1)
    check_part(parts[1], whole, half, len(whole.body) - 1)
    for part in parts:
        assert part.all("Content-Encoding") == whole.all("Content-Encoding") == ([] if encoding == "identity" else [encoding])


def test_another_coding_s_tag_gives_the_whole(server):
    target = base_tile(42, 4, 7, 7, "f32")
    plain = server.get(target)
    answer = server.ask(target, headers=ranged("bytes=0-7", ("If-Range", plain["ETag"]), ("Accept-Encoding", "gzip")))
    assert answer.status == 200 and answer["Content-Encoding"] == "gzip"


def test_ranges_from_every_tier(launch, tmp_path):
    first = launch(cache=tmp_path / "cache", config={"cache": {"write_interval_ms": 1}})
    target, value = base_tile(42, 4, 11, 5, "npy"), ranged("bytes=1000-1999")
    made, hot = first.ask(target, headers=value), first.ask(target, headers=value)
    whole = first.get(target)
    first.wait_stored(1)
    assert first.stop() == 0
    kept = launch(cache=tmp_path / "cache").ask(target, headers=value)
    assert [answer["X-Cache"] for answer in (made, hot, kept)] == ["render", "memory", "disk"]
    for answer in (made, hot, kept):
        check_part(answer, whole, 1000, 1999)


@pytest.mark.parametrize("fmt", ["png", "json"])
def test_other_formats_offer_none(server, fmt):
    """They may be asked for a part all the same; what comes is right either way."""
    target = base_tile(42, 4, 5, 5, fmt)
    whole = server.get(target)
    assert "Accept-Ranges" not in whole
    part = server.ask(target, headers=ranged("bytes=10-19"))
    assert part.body == (whole.body[10:20] if part.status == 206 else whole.body) and part.status in (200, 206)


def test_the_connection_goes_on(server, whole):
    with server.connect() as connection:
        for value in ("bytes=0-7", f"bytes={BYTES}-", "bytes=0-1,4-5", "bytes=-8"):
            connection.ask(TARGET, headers=ranged(value))
        check_part(connection.ask(TARGET, headers=ranged("bytes=3-3")), whole, 3, 3)
