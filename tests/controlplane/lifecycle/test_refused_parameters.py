"""An endpoint of a model refuses a parameter, and the run learns to leave it out.

With `--reply-mode=json`, a run asks for replies in JSON mode, by the parameter `response_format`.
The endpoint here refuses that.
"""

import socket
from pathlib import Path

from controlplane.errors import Unreachable
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.endpoints import ModelHttpRequest, error_response
from tests.support.phonebook_model import respond


def respond_without_json_mode(
    request: ModelHttpRequest, connection: socket.socket
) -> bytes:
    if "response_format" in request.body:
        return error_response(400, "this server has no 'response_format'")
    return respond(request, connection)


def test_a_run_goes_on_without_a_parameter_that_its_endpoint_refuses(
    tmp_path: Path,
) -> None:
    """A trial takes two replies. The first of three requests was refused."""
    with phonebook_endpoint(tmp_path, respond_without_json_mode) as endpoint:
        run = endpoint.command(*PHONEBOOK_RUN, "--limit=1", "--reply-mode=json")

    assert run.code == 0, run.err
    assert "takes no reply mode json; asking in mode text" in run.err
    has_parameter = ["response_format" in ask.body for ask in endpoint.server.asked]
    assert has_parameter == [True, False, False]


def test_a_resumed_run_knows_which_parameter_its_endpoint_refused(
    tmp_path: Path,
) -> None:
    """The endpoint refuses the parameter, gives the first of two replies, and goes down. The run
    pauses. When it is resumed, it knows from its journal what the endpoint refuses."""
    with phonebook_endpoint(tmp_path, respond_without_json_mode) as endpoint:

        def respond_until_outage(
            request: ModelHttpRequest, connection: socket.socket
        ) -> bytes:
            if len(endpoint.server.asked) > 2:
                return error_response(503, "overloaded")
            return respond_without_json_mode(request, connection)

        endpoint.server.answer = respond_until_outage
        paused = endpoint.command(
            *PHONEBOOK_RUN,
            "--limit=1",
            "--reply-mode=json",
            "--model-patience=0",  # A request that fails is not made again.
        )
        assert paused.code == Unreachable.exit_code, paused.err

        endpoint.server.asked.clear()
        endpoint.server.answer = respond_without_json_mode
        resumed = endpoint.command("resume", "last")

    assert resumed.code == 0, resumed.err
    (request,) = endpoint.server.asked
    assert "response_format" not in request.body
    (journal_path,) = tmp_path.glob("runs/*.jsonl")
    with open_journal(journal_path) as journal:
        (capabilities,) = journal.summary.learned.values()
    assert capabilities.takes_json is False
