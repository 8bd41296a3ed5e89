"""The models that a run asks: their endpoints, roles and headers, and what an endpoint refuses.

An endpoint is an address at which models are served over HTTP. Here it is a server in the test's
process; `server.asked` are the requests that it got.
"""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.agent.model import Message
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import Unreachable, UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_spec import RunSpec
from tests.controlplane.lifecycle.nine_trials import (
    NINE_TRIALS,
    events_of_type,
    newest_journal,
)
from tests.support.byte_server import ByteServer
from tests.support.command import CommandRunner, check_error_line, run_in_process
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    model_server,
)
from tests.support.phonebook_model import respond


def respond_without_json_mode(
    request: ModelHttpRequest, connection: socket.socket
) -> bytes:
    """Refuse requests for replies in JSON mode, and respond to all others."""
    if "response_format" in request.body:
        return error_response(400, "this server has no 'response_format'")
    return respond(request, connection)


class TestRefusedParameters:
    """An endpoint refuses a parameter, and a run learns to leave it out.

    `NINE_TRIALS` is a run of three tasks, three times each; a trial takes two requests.
    """

    def test_a_resumed_run_knows_which_parameter_its_endpoint_refused(
        self, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """1. The run asks for replies in JSON mode, by the parameter `response_format`. The
        endpoint
           refuses it, and the run goes on without it.
        2. The endpoint goes down in the middle of the nine trials: the run pauses.
        3. The outage is over, and the run is resumed. It reads in its journal, in the event
           `endpoint_learned`, what the endpoint refuses, and does not try it again.
        """
        requests_until_outage = 6  # of the 18 that nine trials take

        with model_server(respond_without_json_mode) as server:

            def respond_until_outage(
                request: ModelHttpRequest, connection: socket.socket
            ) -> bytes:
                if len(server.asked) > requests_until_outage:
                    return error_response(503, "overloaded")
                return respond_without_json_mode(request, connection)

            server.answer = respond_until_outage
            paused = run_command_here(
                *NINE_TRIALS,
                "--reply-mode=json",
                "--concurrency=1",
                "--model-patience=0",  # A request that fails is not tried again.
                OPENAI_BASE_URL=server.url,
            )
            requests_of_paused_run = len(server.asked)
            (learned,) = events_of_type("endpoint_learned", tmp_path)

            server.answer = respond_without_json_mode
            resumed = run_command_here("resume", "last", OPENAI_BASE_URL=server.url)

        assert paused.code == Unreachable.exit_code, paused.err
        assert "takes no reply mode json; asking in mode text" in paused.err
        assert learned["capabilities"]["takes_json"] is False

        assert resumed.code == 0, resumed.err
        for request in server.asked[requests_of_paused_run:]:
            assert "response_format" not in request.body
        with open_journal(newest_journal(tmp_path)) as journal:
            (capabilities,) = journal.summary.learned.values()
        assert capabilities.takes_json is False


@pytest.fixture
def url_of_two_models() -> Iterator[str]:
    """The address of an endpoint that lists the models small-1 and large-1."""
    list_of_models = {"data": [{"id": "small-1"}, {"id": "large-1"}]}
    response = http_response(200, json.dumps(list_of_models))

    def send_list(connection: socket.socket, request: bytes) -> None:
        connection.sendall(response)

    with ByteServer(send_list) as server:
        yield f"{server.url}/v1"


class TestRolesAndNames:
    """A run may ask several models, each of which its endpoint has to have.

    An agent asks models in roles: `solve` is its main task, and `classify` a smaller one, for
    which the user may name a smaller model.
    """

    def test_each_role_is_asked_at_its_own_endpoint(self) -> None:
        """An agent asks models in roles, such as `solve` and `classify`. The run's own model, "m",
        is asked for `solve`. The setting `role` names other models for other roles: the small one,
        "s", for `classify`, and one that this test never asks for `check_draft`."""
        with (
            model_server(http_response(200, completion_json("big"))) as big_server,
            model_server(http_response(200, completion_json("small"))) as small_server,
        ):
            settings = RunSettings(
                agent="exoskeleton",
                model="m",
                base_url=big_server.url,
                role={
                    "classify": {
                        "model": "s",
                        "base_url": small_server.url,
                        "reasoning_effort": "low",
                    },
                    "check_draft": {
                        "model": "unused",
                        "base_url": "http://127.0.0.1:9/v1",
                    },
                },
            )
            message: Message = {"role": "user", "content": "u"}
            with open_resources(RunSpec(settings)) as resources:
                assert resources.model is not None
                solve_reply = resources.model.complete([message], "solve")
                classify_reply = resources.model.complete([message], "classify")

        assert solve_reply.text == "big"
        assert classify_reply.text == "small"
        assert len(resources.models.endpoints) == 3  # those of the run and of two roles
        (small_request,) = [request.body for request in small_server.asked]
        assert small_request["model"] == "s"
        assert small_request["reasoning_effort"] == "low"

    def test_a_model_that_its_endpoint_does_not_list_is_refused_before_the_run(
        self, url_of_two_models: str, tmp_path: Path
    ) -> None:
        """The user mistyped the name, `smal-1`. The endpoint has `small-1`."""
        result = run_in_process(
            "run",
            "--benchmark",
            "tests.support.phonebook",
            "--limit",
            "1",
            "--json",
            "--model",
            "smal-1",
            cwd=tmp_path,
            OPENAI_BASE_URL=url_of_two_models,
        )

        check_error_line(
            result,
            UsageError.exit_code,
            "the endpoint has no model 'smal-1'; did you mean 'small-1'?; "
            "name one of its models with --model",
        )
        assert not (tmp_path / "runs").exists()


@pytest.fixture
def header_with_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let requests to the model have a header whose value is in the variable GATE_KEY."""
    monkeypatch.setenv("CONTROLPLANE_MODEL_HEADERS", '{"X-Gate-Key": "$GATE_KEY"}')


class TestSecretHeaders:
    """A gateway before the model wants a header of its own, `X-Gate-Key: hush-hush-hush`.

    The setting says `{"X-Gate-Key": "$GATE_KEY"}`: the value is in the variable GATE_KEY.
    """

    @pytest.mark.usefixtures("header_with_secret")
    def test_a_secret_header_is_sent_and_is_in_no_journal(
        self, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        with model_server(respond) as server:
            result = run_command_here(
                *NINE_TRIALS,
                "--limit",
                "1",
                OPENAI_BASE_URL=server.url,
                GATE_KEY="hush-hush-hush",
            )

        assert result.code == 0, result.err
        assert server.asked[0].headers["x-gate-key"] == "hush-hush-hush"
        assert "hush" not in newest_journal(tmp_path).read_text()

    @pytest.mark.usefixtures("header_with_secret")
    def test_a_secret_header_without_its_variable_is_a_usage_error(
        self, run_command_here: CommandRunner
    ) -> None:
        """The setting names the variable GATE_KEY, which is not set."""
        with model_server(respond) as server:
            result = run_command_here(
                *NINE_TRIALS, "--limit", "1", OPENAI_BASE_URL=server.url
            )

        check_error_line(
            result, UsageError.exit_code, "set GATE_KEY in the environment"
        )
