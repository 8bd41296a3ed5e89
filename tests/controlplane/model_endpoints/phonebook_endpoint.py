"""The endpoint of a model that plays a phone book, and commands that use it.

    with phonebook_endpoint(tmp_path, respond) as endpoint:
        result = endpoint.command(*PHONEBOOK_RUN, "--repeats", "3")

The benchmark has three tasks, which ask for the number of a person. The model looks the number up in
its first reply, and answers in its second one. A test says how the endpoint responds to requests.
"""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.command import CommandResult, run_in_process, start_controlplane
from tests.support.endpoints import (
    ModelHttpRequest,
    ModelServer,
    Responder,
    error_response,
    model_server,
    responding_always,
)
from tests.support.phonebook_model import respond

OK = 0
A_TRIAL_FAILED = 1
"""The exit code of a run if a trial has no answer."""

PHONEBOOK_RUN = ("run", "--benchmark", "tests.support.phonebook", "--model", "m")
"""A run of three trials, one for each task."""


@dataclass(frozen=True)
class PhonebookEndpoint:
    """A running endpoint, and the folder of the user whose commands ask it."""

    server: ModelServer
    """It has all requests so far in `asked`, and can be closed and opened again."""
    folder: Path

    def command(self, *words: str, **variables: str) -> CommandResult:
        """Run a command to its end: `endpoint.command("resume", "last", OPENAI_API_KEY="k")`."""
        variables["OPENAI_BASE_URL"] = self.server.url
        return run_in_process(*words, cwd=self.folder, **variables)

    def start_command(self, *words: str) -> subprocess.Popen[str]:
        """Start a command as a process of its own, which a test may stop."""
        return start_controlplane(
            *words, cwd=self.folder, OPENAI_BASE_URL=self.server.url
        )

    def recover(self) -> None:
        """Let the model respond to all requests from now on."""
        self.server.answer = respond


@contextmanager
def phonebook_endpoint(
    folder: Path, responder: Responder
) -> Iterator[PhonebookEndpoint]:
    """Serve an endpoint that responds to each request by `responder`.

    `respond` and `respond_with_usage` play the tasks rightly.
    """
    with model_server(responder) as server:
        yield PhonebookEndpoint(server, folder)


def responding_until(request_count: int, failure: Responder) -> Responder:
    """Return a responder that plays for this number of requests, and then fails."""
    requests_so_far = 0

    def respond_or_fail(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        nonlocal requests_so_far
        requests_so_far += 1
        if requests_so_far <= request_count:
            return respond(request, connection)
        return failure(request, connection)

    return respond_or_fail


overloaded = responding_always(error_response(503, "overloaded"))
"""A responder that refuses every request, for now."""


def scores_of(result: CommandResult) -> list[float]:
    """Return the scores of a run's trials from the JSON that the command has printed."""
    return [trial["score"] for trial in result.json["trials"]]


def states_of(result: CommandResult) -> list[str]:
    """Return the states of a run's trials: "answered", "fallback", "open" (begun) or "waiting"."""
    return [trial["state"] for trial in result.json["trials"]]
