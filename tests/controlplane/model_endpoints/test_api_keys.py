"""The user's API key goes to its endpoint, and appears nowhere else.

It must not be printed, recorded in a journal, or sent in a prompt, even if the endpoint repeats it. The
process in which a model's scripts run must not know it.
"""

import json
import socket
from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from controlplane.sandbox import ForkServer
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    OK,
    PHONEBOOK_RUN,
    phonebook_endpoint,
    responding_until,
)
from tests.support.endpoints import (
    ModelHttpRequest,
    Responder,
    completion_json,
    error_response,
    http_response,
    responding_always,
)

KEY = "sk-canary-fedcba9876543210"
"""The user's key for the endpoint."""


def refuse_with_key(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Refuse a request, and repeat the key in the refusal."""
    return error_response(401, f"no such key: {KEY}")


def reply_with_key(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Reply with the key that was sent: `no action, but Bearer sk-canary-...`.

    That is not a script, so the trial ends without an answer of the model.
    """
    sent_key = request.headers["authorization"]
    return http_response(200, completion_json(f"no action, but {sent_key}"))


class TestKeysAtEndpoints:
    """The endpoint refuses the user's key, which has been revoked.

    1. The endpoint serves seven requests of nine trials.
    2. It answers 401 to all others, and names the key in its message.
    3. It takes the key again, and the run is resumed.
    """

    def test_a_key_that_is_revoked_in_the_middle_pauses_the_run_at_once(
        self, tmp_path: Path
    ) -> None:
        """There is no retry: each of the two trials that play at once is refused once at most."""
        served_requests = 7
        trials_at_once = 2
        revoked = responding_always(error_response(401, f"revoked: {KEY}"))

        with phonebook_endpoint(
            tmp_path, responding_until(served_requests, failure=revoked)
        ) as endpoint:
            paused = endpoint.command(
                *PHONEBOOK_RUN,
                "--repeats",
                "3",
                "--concurrency",
                str(trials_at_once),
                OPENAI_API_KEY=KEY,
            )
            assert paused.code == Unreachable.exit_code
            assert "OPENAI_API_KEY" in paused.err
            assert len(endpoint.server.asked) <= served_requests + trials_at_once

            endpoint.recover()
            resumed = endpoint.command("resume", "last", OPENAI_API_KEY=KEY)
            assert resumed.code == OK

        assert KEY not in paused.out
        assert KEY not in paused.err


class TestRepeatedKeys:
    """The endpoint repeats the user's key, in a refusal or in a reply.

    A refusal is shown to the user, and a reply is recorded, and sent with the next request.
    """

    @pytest.mark.parametrize(
        ("responder", "expected_code", "text_in_journal"),
        [
            pytest.param(
                refuse_with_key, Unreachable.exit_code, "401", id="in a refusal"
            ),
            pytest.param(
                reply_with_key, OK, "no action, but Bearer [key]", id="in a reply"
            ),
        ],
    )
    def test_a_key_that_an_endpoint_repeats_is_not_recorded_printed_or_sent(
        self,
        responder: Responder,
        expected_code: int,
        text_in_journal: str,
        tmp_path: Path,
    ) -> None:
        """The journal has "[key]" in its place. The option `--debug` prints tracebacks, in which
        the key is not either."""
        with phonebook_endpoint(tmp_path, responder) as endpoint:
            result = endpoint.command(
                *PHONEBOOK_RUN,
                "--repeats",
                "3",
                "--limit",
                "1",
                "--max-steps",
                "1",
                "--model-patience",
                "0",
                "--debug",
                OPENAI_API_KEY=KEY,
                BITGN_API_KEY=KEY,
            )
        (journal_file,) = tmp_path.glob("runs/*.jsonl")
        journal = journal_file.read_text()

        assert result.code == expected_code, result.err
        assert text_in_journal in journal
        assert KEY not in journal
        assert KEY not in result.out
        assert KEY not in result.err
        for request in endpoint.server.asked:
            assert KEY not in json.dumps(request.body)


class TestProcessOfScripts:
    """The environment and the command line of the process that runs a model's scripts.

    Linux shows both below `/proc`, to the process itself, too.
    """

    def test_the_process_that_scripts_run_in_has_no_key(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Scripts of a model run in a child of the fork server, a process that starts them. Linux
        shows a process's variables and command line below `/proc`."""
        for name in ("OPENAI_API_KEY", "BITGN_API_KEY", "ANY_OTHER_SECRET"):
            monkeypatch.setenv(name, KEY)

        with ForkServer() as server:
            child = server.spawn(with_kernel=False)
            environment = Path(f"/proc/{child.pid}/environ").read_text()
            command_line = Path(f"/proc/{child.pid}/cmdline").read_text()
            child.end()

        assert "PYTHONHASHSEED" in environment + command_line  # They could be read.
        assert KEY not in environment
        assert KEY not in command_line
