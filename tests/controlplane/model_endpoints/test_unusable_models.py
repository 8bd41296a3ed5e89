"""A model that cannot be used is found before a trial begins, or by one request of one trial.

The endpoint lists its models, or refuses to. What it says is told once, with what to do.
"""

import json
import socket
import threading
import time
from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.command import check_error_line, wait_until, write_config
from tests.support.phonebook_model import (
    ModelHttpRequest,
    Responder,
    error_response,
    http_response,
    respond,
    responding_always,
)


def list_of(*names: str) -> bytes:
    """Return the response with a list of models."""
    models = [{"id": name, "object": "model"} for name in names]
    return http_response(200, json.dumps({"object": "list", "data": models}))


TIME_FOR_OTHERS_S = 4
"""How long the first request is held, in which others could come."""
REFUSAL_S = 0.3
"""How long an endpoint takes to refuse a request for its key."""
FORBIDDEN_LIST = error_response(403, "Missing scopes: api.model.read")


@pytest.mark.parametrize(
    ("status", "text"),
    [
        pytest.param(401, "Incorrect API key provided", id="unauthorized"),
        pytest.param(403, "Forbidden", id="forbidden"),
        # Gemini's API refuses keys with the status of a malformed request.
        pytest.param(400, "API key not valid", id="bad request"),
    ],
)
def test_a_wrong_key_is_found_before_a_trial_begins(
    tmp_path: Path, status: int, text: str
) -> None:
    """The request that proves it has no message, so that it costs nothing."""
    refusal = error_response(status, text)
    with phonebook_endpoint(tmp_path, responding_always(refusal)) as endpoint:
        endpoint.server.list_response = refusal
        refused = endpoint.command(*PHONEBOOK_RUN)

    check_error_line(
        refused,
        Unreachable.exit_code,
        f"the key is refused ({status}: {text})",
        "set OPENAI_API_KEY to one that it accepts",
    )
    assert "resume" not in refused.err
    assert [request.body["messages"] for request in endpoint.server.asked] == [[]]
    assert not list(tmp_path.glob("runs/*.jsonl"))


def test_the_remedy_for_a_wrong_key_names_the_variable_that_has_it(
    tmp_path: Path,
) -> None:
    refusal = error_response(401, "wrong key")
    write_config(tmp_path / "controlplane.toml", '[run]\napi_key_env = "MY_KEY"\n')
    with phonebook_endpoint(tmp_path, responding_always(refusal)) as endpoint:
        endpoint.server.list_response = refusal
        refused = endpoint.command(*PHONEBOOK_RUN, MY_KEY="sk-1234567")

    check_error_line(
        refused, Unreachable.exit_code, "set MY_KEY to one that it accepts"
    )


def test_a_key_that_is_good_for_replies_alone_is_used(tmp_path: Path) -> None:
    def respond_unless_empty(
        request: ModelHttpRequest, connection: socket.socket
    ) -> bytes:
        if not request.body["messages"]:
            return error_response(400, "messages: at least one is needed")
        return respond(request, connection)

    with phonebook_endpoint(tmp_path, respond_unless_empty) as endpoint:
        endpoint.server.list_response = FORBIDDEN_LIST
        run = endpoint.command(*PHONEBOOK_RUN)

    assert run.code == 0, run.err


def test_a_model_that_no_list_has_is_told_and_used(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond) as endpoint:
        endpoint.server.list_response = list_of("alpha", "beta")
        run = endpoint.command(*PHONEBOOK_RUN)

    assert run.code == 0, run.err
    assert run.err.count("does not list the model 'm'; known: alpha, beta") == 1


@pytest.mark.parametrize(
    ("name", "listed", "hint"),
    [
        # Another spelling of a listed name, which some endpoints take
        ("Qwen3", ["qwen3", "glm-5"], "; did you mean 'qwen3'?"),
        ("GPT-4O", ["gpt-4.1", "gpt-4o"], "; did you mean 'gpt-4o'?"),
        ("qwen-3", ["qwen3", "glm-5"], "; did you mean 'qwen3'?"),
        ("claude.opus_4-1", ["claude-opus-4.1"], "; did you mean 'claude-opus-4.1'?"),
        # Perhaps a wrong number, and perhaps another version that the list lacks
        ("qwen33", ["qwen3", "glm-5"], "; did you mean 'qwen3'?"),
        ("qwen2", ["qwen3", "glm-5"], "; did you mean 'qwen3'?"),
        ("gpt-4o", ["gpt-4", "gpt-4.1"], "; did you mean 'gpt-4'?"),
        ("gpt-4", ["gpt-4.1", "gpt-4o"], "; did you mean 'gpt-4o'?"),
        ("o3-mini", ["o4-mini", "o4"], "; did you mean 'o4-mini'?"),
        ("gpt-5-mini", ["gpt-4o-mini"], "; did you mean 'gpt-4o-mini'?"),
        ("gemma-3-4b-it", ["gemma-3-4b-pt"], "; did you mean 'gemma-3-4b-pt'?"),
        ("llama-3.2-1b", ["llama-3.2-11b"], "; did you mean 'llama-3.2-11b'?"),
        # A deployment of the user's own
        ("nightly", ["gpt-4.1", "gpt-4o"], "; known: gpt-4.1, gpt-4o"),
    ],
)
def test_a_model_that_the_list_may_lack_is_told_with_a_near_name_and_used(
    name: str, listed: list[str], hint: str, tmp_path: Path
) -> None:
    """A list has no aliases, and misses new versions. So only a request decides."""
    with phonebook_endpoint(tmp_path, respond) as endpoint:
        endpoint.server.list_response = list_of(*listed)
        run = endpoint.command(*PHONEBOOK_RUN, "--limit=1", "--model", name)

    assert run.code == 0, run.err
    told = f"does not list the model {name!r}{hint}; the first request"
    assert run.err.count(told) == 1


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("gpt-5-minni", "gpt-5-mini"),
        ("gpt-5-mni", "gpt-5-mini"),
        ("gpt-5-moni", "gpt-5-mini"),
        ("gtp-5-mini", "gpt-5-mini"),
        ("gptt-5-mini", "gpt-5-mini"),
        ("qwwen3", "qwen3"),
        ("qwne3", "qwen/qwen3"),
    ],
)
def test_a_model_with_a_wrong_letter_is_refused_before_the_run(
    name: str, listed: str, tmp_path: Path
) -> None:
    with phonebook_endpoint(tmp_path, respond) as endpoint:
        endpoint.server.list_response = list_of("glm-5", listed)
        refused = endpoint.command(*PHONEBOOK_RUN, "--model", name)

    meant = f"has no model {name!r}; did you mean {listed!r}?"
    check_error_line(refused, Unreachable.exit_code, meant)
    assert not endpoint.server.asked
    assert not list(tmp_path.glob("runs/*.jsonl"))


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("gpt-5-mini", "gpt-5-mini-2025-08-07"),
        ("openai/gpt-5-mini", "gpt-5-mini"),
        ("gpt-5-mini", "openai/gpt-5-mini"),
        ("qwen3", "qwen3:latest"),
    ],
)
def test_nothing_is_told_of_a_model_whose_name_is_listed_in_part(
    name: str, listed: str, tmp_path: Path
) -> None:
    with phonebook_endpoint(tmp_path, respond) as endpoint:
        endpoint.server.list_response = list_of("glm-5", listed)
        run = endpoint.command(*PHONEBOOK_RUN, "--limit=1", "--model", name)

    assert run.code == 0, run.err
    assert "does not list" not in run.err


@pytest.mark.parametrize(
    "workers",
    [
        pytest.param([], id="trials side by side in this process"),
        pytest.param(
            ["--workers", "dask:local:2"],
            id="two workers of a cluster",
            marks=pytest.mark.second_tier,
        ),
    ],
)
def test_an_unlisted_model_is_tried_by_one_trial_while_the_others_wait(
    tmp_path: Path, workers: list[str]
) -> None:
    """Three trials play at a time. Only one of them asks."""
    if workers:
        pytest.importorskip("distributed")
    others_ask = threading.Event()
    is_first = True

    def refuse_late(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        """Refuse the model, but not before others have had the time to ask, too."""
        nonlocal is_first
        if is_first:
            is_first = False
            others_ask.wait(TIME_FOR_OTHERS_S)
        else:
            others_ask.set()
        return error_response(404, "no such model", code="model_not_found")

    with phonebook_endpoint(tmp_path, refuse_late) as endpoint:
        endpoint.server.list_response = list_of("alpha", "beta")
        options = ("--concurrency", "3", "--json", *workers)
        run = endpoint.command(*PHONEBOOK_RUN, *options)

    assert run.code == Unreachable.exit_code
    assert len(endpoint.server.asked) == 1
    assert "there is no model 'm'" in run.json["error"]
    told = [trial for trial in run.json["trials"] if "no model" in trial["reason"]]
    assert len(told) == 1


def refusing(status: int, code: str | None = None) -> Responder:
    """Return an endpoint whose list anybody may read, and that refuses requests after a moment."""

    def refuse(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        time.sleep(REFUSAL_S)
        return error_response(status, "refused", code=code)

    return refuse


@pytest.mark.parametrize("is_listed", [True, False])
@pytest.mark.parametrize(
    ("status", "code"),
    [(401, None), (402, None), (403, None), (404, "model_not_found")],
)
def test_what_only_a_trial_can_show_is_met_by_one_of_them(
    tmp_path: Path, status: int, code: str | None, *, is_listed: bool
) -> None:
    """Three trials play at a time. The others wait for a moment, which a refusal takes."""
    refusal = refusing(status, code)
    with phonebook_endpoint(tmp_path, refusal) as endpoint:
        if is_listed:
            endpoint.server.list_response = list_of("m")
        run = endpoint.command(*PHONEBOOK_RUN, "--concurrency", "3", "--json")

    assert run.code == Unreachable.exit_code
    assert len(endpoint.server.asked) == 1
    reasons = [trial["reason"] for trial in run.json["trials"]]
    assert len([reason for reason in reasons if "refused" in reason]) == 1
    assert {trial["score"] for trial in run.json["trials"]} == {None}


def test_a_key_that_is_withdrawn_leaves_running_trials_open_and_is_told_once(
    tmp_path: Path,
) -> None:
    """All three trials have had a reply, and ask again, when the first one is refused."""
    arrived = 0

    def refuse_all_at_once(
        request: ModelHttpRequest, connection: socket.socket
    ) -> bytes:
        nonlocal arrived
        if "assistant" not in str(request.body["messages"]):
            return respond(request, connection)
        arrived += 1
        wait_until(lambda: arrived == 3)
        return error_response(401, "wrong key")

    with phonebook_endpoint(tmp_path, refuse_all_at_once) as endpoint:
        endpoint.server.list_response = list_of("m")
        run = endpoint.command(*PHONEBOOK_RUN, "--concurrency", "3", "--json")

    assert run.code == Unreachable.exit_code
    reasons = sorted(trial["reason"] for trial in run.json["trials"])
    assert reasons[:2] == ["interrupted", "interrupted"]
    assert "wrong key" in reasons[2]
    assert {trial["score"] for trial in run.json["trials"]} == {None}


def test_a_run_that_no_platform_waits_for_is_not_to_be_submitted_by_force(
    tmp_path: Path,
) -> None:
    """Its tasks are in a folder. What is left is to be resumed."""
    task = tmp_path / "tasks" / "fee"
    task.mkdir(parents=True)
    (task / "task.toml").write_text(
        'instruction = "What is the fee?"\n'
        '[expected]\noutcome = "OUTCOME_OK"\nanswer = "7"\n'
    )
    refusal = responding_always(error_response(401, "wrong key"))
    with phonebook_endpoint(tmp_path, refusal) as endpoint:
        run = endpoint.command("run", "--benchmark", "folder:tasks", "--model", "m")

    assert run.code == Unreachable.exit_code
    assert "controlplane resume" in run.out
    assert "--force" not in run.out + run.err
