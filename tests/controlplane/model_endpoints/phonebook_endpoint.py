"""The endpoint of a model that plays a phone book, and commands that use it.

    with phonebook_endpoint(tmp_path, respond) as endpoint:
        result = endpoint.command(*PHONEBOOK_RUN, "--repeats", "3")

The benchmark has three tasks, which ask for the number of a person. The model looks the number up in
its first reply, and answers in its second one. A test says how the endpoint responds to requests.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.command import CommandResult, run_in_process, start_controlplane
from tests.support.phonebook_model import ModelServer, Responder, model_server, respond

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
