"""An interrupted download continues where it stopped."""

from __future__ import annotations

import pytest

from web.requests.file_ranges import send_file

ETAG = '"abc"'


@pytest.fixture
def ask(rf, tmp_path):
    """Ask for a file with the bytes 0123456789."""
    path = tmp_path / "ten.zip"
    path.write_bytes(b"0123456789")

    def send(method="GET", **headers):
        request = rf.generic(method, "/api/ten.zip", headers=headers)
        kind = "application/zip"
        return send_file(request, path.open("rb"), name="ten.zip", content_type=kind, etag=ETAG)

    return send


@pytest.mark.parametrize(
    ("asked", "content", "place"),
    [
        ("bytes=4-", b"456789", "4-9"),
        ("bytes=2-3", b"23", "2-3"),
        ("bytes=0-0", b"0", "0-0"),
        ("bytes=9-9", b"9", "9-9"),
        ("bytes=7-99", b"789", "7-9"),
        ("bytes=-3", b"789", "7-9"),
        ("bytes=-99", b"0123456789", "0-9"),
    ],
)
def test_a_range_gets_these_bytes(ask, asked, content, place):
    response = ask(Range=asked, **{"If-Range": ETAG})

    assert (response.status_code, response.getvalue()) == (206, content)
    assert response["Content-Range"] == f"bytes {place}/10"
    assert response["Content-Length"] == str(len(content))
    assert (response["Accept-Ranges"], response["ETag"]) == ("bytes", ETAG)
    assert response["Content-Disposition"] == 'attachment; filename="ten.zip"'


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Range": "bytes=4-", "If-Range": '"other"'},  # the file has changed since
        {"Range": "bytes=4-", "If-Range": f"W/{ETAG}"},
        {"Range": "bytes=0-1,4-5"},
        {"Range": "bytes=5-4"},
        {"Range": "bytes=-"},
        {"Range": "bytes=x-"},
        {"Range": "lines=4-"},
        {"Range": f"bytes={'9' * 5000}-"},
    ],
)
def test_other_requests_get_the_whole_file(ask, headers):
    response = ask(**headers)

    assert (response.status_code, response.getvalue()) == (200, b"0123456789")
    assert (response["Content-Length"], response["Accept-Ranges"]) == ("10", "bytes")
    assert "Content-Range" not in response


@pytest.mark.parametrize("asked", ["bytes=10-", "bytes=99-100", "bytes=-0"])
def test_a_range_without_bytes_is_refused_with_the_size(ask, asked):
    response = ask(Range=asked)

    assert (response.status_code, response["Content-Range"]) == (416, "bytes */10")
    assert b"The file has 10 bytes" in response.content


def test_head_tells_the_size_and_ignores_the_range(ask):
    response = ask("HEAD", Range="bytes=4-")

    assert (response.status_code, response.content) == (200, b"")
    assert (response["Content-Length"], response["Accept-Ranges"]) == ("10", "bytes")
    assert response["Content-Disposition"] == 'attachment; filename="ten.zip"'
