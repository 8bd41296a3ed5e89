"""What the client of the platform (BitGN) makes of calls that are lost, refused or fail.

Of each call it is known that it did not happen, that it is in doubt, or that it is final. A call is
repeated as its policy allows, and one in doubt is not repeated if it must not happen twice. Pauses
that the server asks for are kept. A run has a trial for each task. A server without a trusted
certificate is refused before anything is sent.
"""

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controlplane import BenchmarkError, RunRequest, TaskSelection, start_selected_run
from controlplane.benchmarks.bitgn.client.connection import (
    Message,
    PlatformClient,
    WireError,
)
from tests.benchmarks.bitgn.client.stub_platform import (
    SUCCESS,
    RepliesInTurn,
    call_platform,
    error_of_call,
    http_reply,
    lose_connection,
    new_call,
    refusal,
)
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark, connected_to
from tests.support.phonebook_model import Behaviour
from tests.support.relay import FaultyServer

# A server for HTTPS with a certificate that nobody trusts.
#
#     with https_server(new_certificate(tmp_path)) as url:
#         ...   # a client calls "https://127.0.0.1:41235"
#
# The client refuses the certificate, as it does not know the authority that has signed it.

NEW_KEY = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"


def new_certificate(folder: Path) -> Path:
    """Return the path of the certificate: `server.crt`. Its key is beside it, in `server.pem`.

    It is signed by an authority that is made for it. The test is skipped without openssl.
    """
    (folder / "names").write_text("subjectAltName=DNS:elsewhere.example")
    make_authority = f"req -x509 {NEW_KEY} -keyout authority.pem -out authority.crt -subj /CN=authority"
    request_certificate = (
        f"req {NEW_KEY} -keyout server.pem -out server.csr -subj /CN=elsewhere.example"
    )
    sign_certificate = (
        "x509 -req -CA authority.crt -CAkey authority.pem -CAcreateserial "
        "-in server.csr -extfile names -out server.crt"
    )
    for arguments in (make_authority, request_certificate, sign_certificate):
        command = ["openssl", *arguments.split()]
        finished = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        if finished.returncode != 0:
            pytest.skip("openssl cannot make a certificate here")
    return folder / "server.crt"


@contextlib.contextmanager
def https_server(certificate: Path) -> Iterator[str]:
    """Accept one connection with this certificate. Yield the URL."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".pem"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(
            target=_accept_one_connection, args=(listener, context)
        )
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def _accept_one_connection(listener: socket.socket, context: ssl.SSLContext) -> None:
    connection, _ = listener.accept()
    with connection, contextlib.suppress(OSError):
        context.wrap_socket(connection, server_side=True)


# Calls of the platform (BitGN) whose reply is lost: nobody knows whether they have happened.
#
# The platform is a server that offers tasks to agents. Such a call is *in doubt*. Reading a file may
# be repeated in any case, and placing an order may not: `max_repeats_in_doubt` says how often a call
# in doubt may be repeated.


def test_a_lost_call_that_must_not_be_repeated_is_in_doubt() -> None:
    replies = RepliesInTurn(lose_connection)

    error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=0)

    assert replies.calls == 1
    assert error.code == "unavailable"
    assert error.in_doubt


def test_a_lost_call_is_repeated_as_often_as_its_policy_allows() -> None:
    replies = RepliesInTurn(lose_connection)

    error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=1)

    assert replies.calls == 2
    assert error.code == "unavailable"
    assert error.in_doubt


def test_a_page_of_a_proxy_is_like_a_lost_reply() -> None:
    """The proxy may have passed the call on."""
    page = http_reply(b"<h1>Down</h1>", status="503 X", content_type="text/html")
    replies = RepliesInTurn(page)

    error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=1)

    assert replies.calls == 2
    assert error.code == "unavailable"
    assert error.in_doubt


# A call that the server refuses has not happened. The client repeats the call if that may help.
#
# `refusal(503, "unavailable", "later")` may help to repeat, and the client does so for `retry_s`
# seconds. After `not_found`, no repeat can help. A call is *in doubt* if its reply is lost: a refused
# call is not.


def test_a_call_that_is_refused_for_good_is_not_repeated() -> None:
    replies = RepliesInTurn(refusal(404, "not_found", "none"))

    error = error_of_call(replies, retry_s=5.0)

    assert replies.calls == 1
    assert error.code == "not_found"
    assert not error.in_doubt


def test_a_call_that_is_refused_for_now_is_repeated() -> None:
    """The call must not be repeated in doubt. A refusal leaves no doubt."""
    replies = RepliesInTurn(refusal(503, "unavailable", "later"), SUCCESS)

    result = call_platform(replies, retry_s=5.0, max_repeats_in_doubt=0)

    assert result == {"done": True}
    assert replies.calls == 2


def test_a_first_call_that_is_refused_as_already_done_is_an_error() -> None:
    """With `accepts_already_done`, such a refusal of a *repeat* is a success: the call was done.

    Here, the first call itself is refused, so it was another one that did it.
    """
    replies = RepliesInTurn(refusal(409, "already_exists", "already answered"))

    error = error_of_call(replies, retry_s=5.0, accepts_already_done=True)

    assert replies.calls == 1
    assert error.code == "already_exists"
    assert not error.in_doubt


# Calls of the platform (BitGN) of which one attempt is lost, and another is refused, or the reverse.
#
# The platform is a server that offers tasks to agents. A lost call is *in doubt*: it may have
# happened. A refusal of the second attempt says nothing about the first, and "already answered" says
# that the first has happened.


def test_a_call_that_is_lost_after_a_refusal_is_in_doubt() -> None:
    """The third reply would be a success, but the call must not be repeated any more."""
    replies = RepliesInTurn(
        refusal(503, "unavailable", "later"), lose_connection, SUCCESS
    )

    error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=0)

    assert replies.calls == 2
    assert error.code == "unavailable"
    assert error.in_doubt


def test_a_call_that_is_refused_after_it_was_lost_stays_in_doubt() -> None:
    """The refusal says nothing about the first attempt."""
    replies = RepliesInTurn(lose_connection, refusal(404, "not_found", "none"))

    error = error_of_call(replies, retry_s=5.0)

    assert replies.calls == 2
    assert error.code == "not_found"
    assert error.in_doubt


def test_already_done_counts_as_success_after_a_lost_reply() -> None:
    """The first attempt did the work, and only its reply was lost."""
    replies = RepliesInTurn(
        lose_connection, refusal(409, "already_exists", "already answered")
    )

    result = call_platform(replies, retry_s=5.0, accepts_already_done=True)

    assert result == {}
    assert replies.calls == 2


def test_a_call_is_not_repeated_if_it_turns_out_to_have_happened() -> None:
    """After a lost reply to a write, for example, the file is read."""
    checks: list[str] = []

    def find_out() -> Message:
        checks.append("checked")
        return {"found": True}

    replies = RepliesInTurn(lose_connection, SUCCESS)

    result = call_platform(replies, retry_s=5.0, before_repeat=find_out)

    assert result == {"found": True}
    assert replies.calls == 1
    assert checks == ["checked"]


# Calls at which the platform (BitGN) fails by a fault of its own: they may have happened.
#
# The platform is a server that offers tasks to agents. As the fault may come again, a call that may
# be repeated is made three times at most.


def test_a_call_that_meets_a_fault_is_made_three_times() -> None:
    replies = RepliesInTurn(refusal(500, "internal", "a fault"))

    error = error_of_call(replies, retry_s=5.0)

    assert replies.calls == 3
    assert error.code == "internal"
    assert error.in_doubt


def test_a_call_that_the_server_gives_up_is_made_three_times() -> None:
    replies = RepliesInTurn(refusal(499, "canceled", "the server stops"))

    error = error_of_call(replies, retry_s=5.0)

    assert replies.calls == 3
    assert error.code == "canceled"
    assert error.in_doubt


def test_a_call_that_the_server_gives_up_may_be_one_that_must_not_be_repeated() -> None:
    replies = RepliesInTurn(refusal(499, "canceled", "the server stops"))

    error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=0)

    assert replies.calls == 1
    assert error.code == "canceled"
    assert error.in_doubt


# A client starts a run on a server, and gets a trial for each task of the server's benchmark.
#
# `server` serves `benchmark` over HTTP: three tasks about a few books, called `shelf`. The product's
# client is `connection.remote`. It shows the platform's benchmark as one of the product's own.


def test_client_describes_the_benchmark_of_the_server(server: FaultyServer) -> None:
    """The client takes the tasks from the server. The policy and the rule set are its own."""
    with connected_to(server) as connection:
        description = connection.remote.describe()

    assert description.name == "bitgn:shelf"
    assert [task.task_id for task in description.tasks] == ["t00", "t01", "t02"]
    assert description.tasks[0].hint == "look in /books"
    assert description.policy == "open"
    assert description.rule_sets == ("ecom",)


def test_run_has_a_trial_for_each_task(server: FaultyServer) -> None:
    """The instruction of a trial comes with its start."""
    with connected_to(server) as connection:
        run = connection.remote.start_run(RunRequest("a run"))
        first_trial = connection.remote.start_trial(run.trials[0].trial_id)

    assert [trial.task_id for trial in run.trials] == ["t00", "t01", "t02"]
    assert first_trial.task_id == "t00"
    expected_instruction = "Which title has the book in /books/emma.json?"
    assert first_trial.instruction == expected_instruction


@pytest.mark.parametrize(
    ("selection", "seed", "option"),
    [
        pytest.param(TaskSelection(repeats=2), 0, "repeats=2", id="repeats"),
        pytest.param(TaskSelection(), 5, "seed=5", id="seed"),
        pytest.param(TaskSelection(("t77",)), 0, "'t77'", id="unknown task"),
    ],
)
def test_option_that_the_platform_does_not_have_is_refused_before_a_run_starts(
    server: FaultyServer,
    benchmark: ShelfBenchmark,
    selection: TaskSelection,
    seed: int,
    option: str,
) -> None:
    """A server gives one trial for each of its tasks, and chooses the seed itself."""
    with (
        connected_to(server) as connection,
        pytest.raises(BenchmarkError) as caught,
    ):
        start_selected_run(connection.remote, selection, name="r", seed=seed)

    assert caught.value.code == "invalid_argument"
    assert option in caught.value.message
    requested_runs = benchmark.requests
    assert requested_runs == []


# Calls to an address that no server has: no connection was made, so they did not happen.
#
# The error of a call to `http://no-such-host.invalid` is not `in_doubt`, which means that the call
# had no effect. It is `transient`: the host may be known later, so that another attempt may succeed.


@pytest.mark.parametrize(
    ("url", "code", "transient"),
    [
        pytest.param("http://127.0.0.1:1", "unavailable", True, id="closed port"),
        pytest.param(
            "http://no-such-host.invalid", "unavailable", True, id="unknown host"
        ),
        pytest.param("ftp://127.0.0.1", "invalid_argument", False, id="protocol"),
        pytest.param("http://127.0.0.1:port", "invalid_argument", False, id="port"),
    ],
)
def test_call_to_an_address_without_a_server_did_not_happen(
    url: str, code: str, transient: bool
) -> None:
    """The error names the address, which may be misspelt."""
    with closing(PlatformClient(connections=2)) as client:
        call = new_call(url, client)
        with pytest.raises(WireError) as caught:
            call.finish()

    error = caught.value
    assert error.code == code
    assert error.transient == transient
    assert not error.in_doubt
    assert url in error.message


# Calls that the platform refuses because the request is wrong.
#
# The platform (BitGN) runs tasks on a server, and the product's client calls it over HTTP. The error
# of a failed call says whether another attempt may succeed (`transient`), and whether the call may
# have taken effect (`in_doubt`). A status 404 with the code `not_found` is neither.


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(
            refusal(404, "not_found", "no such file"), "not_found", id="not found"
        ),
        pytest.param(
            refusal(401, "unauthenticated", ""), "unauthenticated", id="no key"
        ),
        pytest.param(
            http_reply(b"bad request", status="400 X"),
            "invalid_argument",
            id="bad request",
        ),
        pytest.param(
            http_reply(b"<h1>Too large</h1>", status="413 X"),
            "invalid_argument",
            id="too large",
        ),
    ],
)
def test_wrong_request_is_final_and_did_not_happen(reply: Behaviour, code: str) -> None:
    """Another attempt would be refused, too, so the call is not repeated."""
    error = error_of_call(reply)

    assert error.code == code
    assert error.message
    assert not error.in_doubt
    assert not error.transient
    assert error.retry_after_s is None


# Failures of the platform (BitGN) while it makes a call, perhaps after the call had its effect.
#
# The platform is a server that offers tasks to agents. The error of the call is `in_doubt`: the
# client makes the call again only if it may happen twice. A status 500 with the code `internal` is
# such a failure, and `transient`: another attempt may succeed.


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(refusal(500, "internal", "x"), "internal", id="fault"),
        pytest.param(
            http_reply(b"", status="500 X"), "internal", id="fault without a code"
        ),
        pytest.param(
            http_reply(b"[" * 200_000, status="500 X"),
            "internal",
            id="fault as broken JSON",
        ),
        pytest.param(refusal(499, "canceled", ""), "canceled", id="given up"),
        pytest.param(
            refusal(504, "deadline_exceeded", ""), "deadline_exceeded", id="deadline"
        ),
    ],
)
def test_failure_of_the_platform_leaves_the_call_in_doubt(
    reply: Behaviour, code: str
) -> None:
    error = error_of_call(reply)

    assert error.code == code
    assert error.message
    assert error.in_doubt
    assert error.transient
    assert error.retry_after_s is None


@pytest.mark.parametrize("code", ["unknown", "data_loss"])
def test_unknown_failure_is_final_and_the_call_may_have_happened(code: str) -> None:
    """The server does not know what happened, and would fail in the same way again."""
    error = error_of_call(refusal(500, code, "x"))

    assert error.code == code
    assert error.message
    assert error.in_doubt
    assert not error.transient
    assert error.retry_after_s is None


# Failures of a proxy between the client and the platform (BitGN).
#
# The platform is a server that offers tasks to agents. The proxy may have passed the call on before
# it failed, so the call may have taken effect, and its error is `in_doubt`. It is `transient`, too:
# another attempt may succeed. Such replies have no code, or one that is not the platform's.


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(http_reply(b"<h1>Down</h1>", status="503 X"), id="page"),
        pytest.param(http_reply(b"", status="502 X"), id="bad gateway"),
        pytest.param(http_reply(b"", status="504 X"), id="timeout of a gateway"),
        pytest.param(
            refusal(503, "ServiceUnavailable", "x"),
            id="code that is not the platform's",
        ),
        pytest.param(refusal(504, "504", "upstream timeout"), id="number as a code"),
        pytest.param(
            http_reply(
                b"", status="301 X", headers="Location: http://127.0.0.1:1/\r\n"
            ),
            id="redirect",
        ),
        pytest.param(http_reply(b'["code"]', status="418 X"), id="unknown status"),
    ],
)
def test_failure_of_a_proxy_leaves_the_call_in_doubt(reply: Behaviour) -> None:
    error = error_of_call(reply)

    assert error.code == "unavailable"
    assert error.message
    assert error.in_doubt
    assert error.transient
    assert error.retry_after_s is None


# Calls that are refused for now: they are made again, even those that must not happen twice.
#
# A call to the platform (BitGN, a server that offers tasks to agents) that is refused had no effect,
# so its error is not `in_doubt`. It is `transient` if another attempt may succeed, as after a status
# 503 with the code `unavailable`.


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(refusal(503, "unavailable", ""), "unavailable", id="unavailable"),
        pytest.param(
            http_reply(b"", status="429 X", headers="Retry-After: soon\r\n"),
            "resource_exhausted",
            id="too many requests, and an unreadable pause",
        ),
        # The platform sends a code with these. So another site has answered, to which the
        # network leads for now: the page of a hotel's login, for example.
        pytest.param(
            http_reply(b"", status="401 X"), "unavailable", id="login of another site"
        ),
        pytest.param(
            http_reply(b"no", status="403 X"), "unavailable", id="ban of another site"
        ),
        pytest.param(
            http_reply(b"<html>nothing here</html>", status="404 X"),
            "unavailable",
            id="page of another site",
        ),
    ],
)
def test_refusal_for_now_may_pass_and_did_not_happen(
    reply: Behaviour, code: str
) -> None:
    error = error_of_call(reply)

    assert error.code == code
    assert error.message
    assert not error.in_doubt
    assert error.transient
    assert error.retry_after_s is None


# Replies that ask to make a call again after some seconds, by the header `Retry-After: 7`.
#
# The status of the reply tells whether the call may have taken effect. Then its error is `in_doubt`.
#
#     429, 503    the call was refused before it was made
#     502, 504    the call was passed on to the platform, which did not reply in time
#
# In both cases, the error is `transient`: the same call may succeed later.


@pytest.mark.parametrize(
    ("reply", "code", "pause_s"),
    [
        pytest.param(
            refusal(
                status=429,
                code="resource_exhausted",
                message="",
                headers="Retry-After: 7\r\n",
            ),
            "resource_exhausted",
            7.0,
            id="too many requests",
        ),
        pytest.param(
            http_reply(b"slow down", status="429 Busy", headers="Retry-After: 0.5\r\n"),
            "resource_exhausted",
            0.5,
            id="too many requests, without a code",
        ),
        pytest.param(
            http_reply(
                b"<h1>Down</h1>", status="503 Down", headers="Retry-After: 3\r\n"
            ),
            "unavailable",
            3.0,
            id="page instead of a code",
        ),
    ],
)
def test_pause_requested_before_the_call_means_that_it_did_not_happen(
    reply: Behaviour, code: str, pause_s: float
) -> None:
    error = error_of_call(reply)

    assert error.code == code
    assert error.message
    assert error.retry_after_s == pause_s
    assert not error.in_doubt
    assert error.transient


@pytest.mark.parametrize("status", [502, 504])
def test_pause_after_the_call_was_passed_on_leaves_it_in_doubt(status: int) -> None:
    reply = refusal(
        status=status, code="", message="no reply", headers="Retry-After: 3\r\n"
    )

    error = error_of_call(reply)

    assert error.code == "unavailable"
    assert error.message
    assert error.retry_after_s == 3.0
    assert error.in_doubt
    assert error.transient


# Calls to a server whose certificate is signed by an authority that the user does not trust.
#
# The call is refused before anything is sent. The error names the remedy: the variable
# SSL_CERT_FILE names a file of authorities that the user trusts.


def test_untrusted_certificate_is_refused_with_a_remedy(tmp_path: Path) -> None:
    """The call had no effect (`in_doubt`), and would fail again (`transient`)."""
    with (
        https_server(new_certificate(tmp_path)) as url,
        closing(PlatformClient(connections=2)) as client,
        pytest.raises(WireError) as caught,
    ):
        new_call(url, client).finish()

    error = caught.value
    assert error.code == "unavailable"
    assert not error.in_doubt
    assert not error.transient
    assert "SSL_CERT_FILE" in error.message
