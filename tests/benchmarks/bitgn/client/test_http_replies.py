"""What a reply says to a call: its code, whether the call may have happened, and how long to wait."""

from __future__ import annotations

import gzip
import json
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from agent.retry import LONGEST_RETRY_S
from benchmarks.bitgn.client.connect_protocol import MESSAGE_CHARS, REPLY_BYTES
from tests.benchmarks.bitgn.byte_server import Behaviour, reply
from tests.benchmarks.bitgn.single_call import failure

REFUSALS = [
    # status, body, headers -> code, may have happened, transient, retry after
    ("404 Not Found", b'{"code": "not_found", "message": "no such file"}', "", ("not_found", False, False, None)),
    ("503 X", b'{"code": "unavailable"}', "", ("unavailable", False, True, None)),
    ("429 X", b'{"code": "resource_exhausted"}', "Retry-After: 7\r\n", ("resource_exhausted", False, True, 7.0)),
    ("429 X", b"slow down", "Retry-After: 0.5\r\n", ("resource_exhausted", False, True, 0.5)),
    ("429 X", b"", "Retry-After: soon\r\n", ("resource_exhausted", False, True, None)),
    ("503 X", b"<h1>Down</h1>", "", ("unavailable", True, True, None)),
    ("503 X", b"<h1>Down</h1>", "Retry-After: 3\r\n", ("unavailable", False, True, 3.0)),
    ("502 X", b"", "", ("unavailable", True, True, None)),
    ("504 X", b"", "", ("unavailable", True, True, None)),
    ("500 X", b"", "", ("internal", True, True, None)),
    ("500 X", b'{"code": "internal", "message": "x"}', "", ("internal", True, True, None)),
    ("500 X", b'{"code": "unknown", "message": "x"}', "", ("unknown", True, False, None)),
    ("499 X", b'{"code": "canceled"}', "", ("canceled", True, True, None)),
    ("500 X", b'{"code": "data_loss"}', "", ("data_loss", True, False, None)),
    ("504 X", b'{"code": "deadline_exceeded"}', "", ("deadline_exceeded", True, True, None)),
    ("500 X", b"[" * 200_000, "", ("internal", True, True, None)),
    ("401 X", b'{"code": "unauthenticated"}', "", ("unauthenticated", False, False, None)),
    ("400 X", b"bad request", "", ("invalid_argument", False, False, None)),
    ("413 X", b"<h1>Too large</h1>", "", ("invalid_argument", False, False, None)),
    # What follows is not what the platform says.
    ("401 X", b"", "", ("unavailable", False, True, None)),
    ("403 X", b"no", "", ("unavailable", False, True, None)),
    ("404 X", b"<html>nothing here</html>", "", ("unavailable", False, True, None)),
    ("301 X", b"", "Location: http://127.0.0.1:1/\r\n", ("unavailable", True, True, None)),
    ("418 X", b'["code"]', "", ("unavailable", True, True, None)),
]


@pytest.mark.parametrize(("status", "body", "headers", "expected"), REFUSALS)
def test_a_refusal_says_its_code_and_whether_the_call_may_have_happened(status, body, headers, expected):
    error = failure(reply(body, status=status, headers=headers))
    assert (error.code, error.in_doubt, error.transient, error.retry_after_s) == expected
    assert error.message


def in_half_a_minute(since: datetime) -> str:
    return format_datetime(since + timedelta(seconds=30), usegmt=True)


YEARS_AGO = datetime(2019, 5, 1, tzinfo=UTC)
WAITS = [
    ("30", 30),
    ("SOON", 30),
    # The server's clock stands elsewhere, and says so.
    (f"{in_half_a_minute(YEARS_AGO)}\r\nDate: {format_datetime(YEARS_AGO, usegmt=True)}", 30),
    (in_half_a_minute(YEARS_AGO), 0),
    ("9" * 400, LONGEST_RETRY_S),
    ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_RETRY_S),
    ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", None),
    ("-5", None),
    ("nan", None),
    ("\u0663".encode().decode("latin-1"), None),
    ("", None),
]


@pytest.mark.parametrize(("said", "seconds"), WAITS, ids=range(len(WAITS)))
def test_retry_after_is_a_number_or_a_date_and_never_more_than_a_timer_can_count(said, seconds):
    said = said.replace("SOON", in_half_a_minute(datetime.now(UTC)))
    error = failure(reply(b"", status="429 X", headers=f"Retry-After: {said}\r\n"))
    assert error.retry_after_s == (None if seconds is None else pytest.approx(seconds, abs=20 if seconds == 30 else 0))


@pytest.mark.parametrize(
    ("body", "kind", "code", "is_foreign"),
    [
        (b"<html>sign in</html>", "text/html", "unavailable", True),
        (b'{"a": 1}', "text/plain", "unavailable", True),
        (b"[1]", "application/json", "unavailable", True),
        (b"null", "application/json", "internal", False),
        (b'{"a": ', "application/json", "internal", False),
        (b"[" * 200_000, "application/json", "internal", False),
        (b"\xff\xfe{}", "application/json", "internal", False),
        (b"", "application/json", "internal", False),
    ],
)
def test_a_reply_that_is_no_json_object_may_have_happened_and_may_pass(body, kind, code, is_foreign):
    error = failure(reply(body, kind=kind))
    assert (error.code, error.is_foreign, error.in_doubt, error.transient) == (code, is_foreign, True, True)


def packed(body: bytes, coding: str = "gzip") -> Behaviour:
    return reply(body, headers=f"Content-Encoding: {coding}\r\n")


BROKEN = [
    (packed(b"{}"), "cannot be decoded"),
    (packed(gzip.compress(b'{"a": "' + b"x" * 5000 + b'"}')[:-20]), "it was cut off"),
    (packed(gzip.compress(b"x" * 5000)[:10]), "it was cut off"),
    (packed(gzip.compress(b" " * (REPLY_BYTES + 1))), "is longer than"),
    (packed(b"{}", "br"), "content-encoding is 'br'"),
    (packed(gzip.compress(gzip.compress(b"{}")), "gzip, gzip"), "content-encoding is 'gzip, gzip'"),
]


@pytest.mark.parametrize(("behave", "says"), BROKEN, ids=[says for _, says in BROKEN])
def test_a_body_that_cannot_be_decompressed_is_a_lost_reply(behave, says):
    error = failure(behave)
    assert says in error.message
    assert (error.in_doubt, error.transient) == (True, True)


def test_a_reply_without_an_end_is_not_read_on_for_ever():
    def pour(client: socket.socket, _: bytes) -> None:
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        while True:
            client.sendall(b" " * 1_000_000)

    error = failure(pour, deadline_s=30)
    assert "is longer than" in error.message


def test_what_a_refusal_says_is_kept_in_part_alone():
    said = json.dumps({"code": "not_found", "message": "x" * 1_000_000}).encode()
    assert len(failure(reply(said, status="404 X")).message) == MESSAGE_CHARS
