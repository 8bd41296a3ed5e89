"""The models of a run: a cache that a rerun costs nothing with, and what was learned, which a resumed run knows."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.model import Message
from controlplane.configuration.run_settings import RunSettings
from controlplane.journal.journal_reader import open_journal
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from tests.controlplane.test_outage import BENCHMARK, failing_after, playing
from tests.support.byte_server import ByteServer
from tests.support.command import Type, check_line, inside
from tests.support.endpoints import Asked, always, completion, model_server, refusal, response

PLAY = ("run", *BENCHMARK, "--concurrency", "2", "--model-patience", "5", "--json")


def events(folder: Path, kind: str) -> list[dict[str, object]]:
    journal = max(folder.glob("runs/*.jsonl"), key=lambda each: each.stat().st_mtime_ns)
    found = [json.loads(line) for line in journal.read_text().splitlines()]
    return [one for one in found if one["type"] == kind]


def test_a_rerun_with_a_cache_asks_for_changes_only_and_costs_nothing(type_in: Type, tmp_path: Path) -> None:
    def paid(asked: Asked, connection: socket.socket) -> bytes:
        return playing(asked, connection).replace(b'"total_tokens": 18', b'"cost": 0.00020   ')

    with model_server(paid) as server:
        first = type_in(*PLAY, "--cache", "kept", OPENAI_BASE_URL=server.url)
        assert (first.code, len(server.asked)) == (0, 18), first.err
        again = type_in(*PLAY, "--cache", "kept", OPENAI_BASE_URL=server.url)
        assert (again.code, len(server.asked)) == (0, 18), again.err
        replied = events(tmp_path, "model_replied")
        warmer = type_in(*PLAY, "--cache", "kept", "--temperature", "1", OPENAI_BASE_URL=server.url)
        assert (warmer.code, len(server.asked)) == (0, 36)
    assert first.json["cost_usd"] == pytest.approx(0.0036)
    assert (again.json["cost_usd"], again.json["tokens"], again.json["cached_replies"]) == (0.0, 0, 18)
    assert [trial["score"] for trial in again.json["trials"]] == [1.0] * 9
    assert {each["cached"] for each in replied} == {True}
    assert type_in("replay", "last", "--verify").code == 0


def test_refusals_of_an_endpoint_are_journalled_and_known_to_a_resumed_run(type_in: Type, tmp_path: Path) -> None:
    def plain(asked: Asked, connection: socket.socket) -> bytes:
        if "response_format" in asked.body:
            return refusal(400, "this server has no 'response_format'")
        return playing(asked, connection)

    down = always(refusal(503, "overloaded"))
    flags = ("--reply-mode", "json", "--concurrency", "1", "--model-patience", "0")
    with model_server(failing_after(6, down)) as server:
        server.answer = lambda asked, connection: (plain if len(server.asked) <= 6 else down)(asked, connection)
        paused = type_in("run", *BENCHMARK, *flags, OPENAI_BASE_URL=server.url)
        assert paused.code == 3, paused.err
        assert "takes no reply mode json; asking in mode text" in paused.err
        (learned,) = events(tmp_path, "endpoint_learned")
        server.answer = plain
        asked = len(server.asked)
        resumed = type_in("resume", "last", OPENAI_BASE_URL=server.url)
    assert resumed.code == 0, resumed.err
    assert learned["capabilities"]["takes_json"] is False
    assert not [each for each in server.asked[asked:] if "response_format" in each.body]
    journal = max(tmp_path.glob("runs/*.jsonl"), key=lambda each: each.stat().st_mtime_ns)
    with open_journal(journal) as content:
        assert [each.takes_json for each in content.summary.learned.values()] == [False]


def test_each_role_is_asked_at_the_endpoint_of_its_profile() -> None:
    big = response(200, completion("big"))
    with model_server(big) as first, model_server(response(200, completion("small"))) as second:
        settings = RunSettings(
            agent="exoskeleton",
            model="m",
            base_url=first.url,
            role={
                "classify": {"model": "s", "base_url": second.url, "reasoning_effort": "low"},
                "check_draft": {"model": "unused", "base_url": "http://127.0.0.1:9/v1"},
            },
        )
        with RunResources(RunSpec(settings)) as opened:
            assert opened.model is not None
            asking: Message = {"role": "user", "content": "u"}
            said = [opened.model.complete([asking], role).text for role in ("solve", "classify")]
    assert said == ["big", "small"]
    assert len(opened.endpoints) == 3
    body = second.asked[0].body
    assert (body["model"], body["reasoning_effort"]) == ("s", "low")


def test_a_secret_header_comes_from_its_variable_and_is_in_no_journal(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTROLPLANE_MODEL_HEADERS", '{"X-Gate-Key": "$GATE_KEY"}')
    one = (*BENCHMARK, "--limit", "1")
    with model_server(playing) as server:
        check_line(type_in("run", *one, OPENAI_BASE_URL=server.url), 2, "set GATE_KEY in the environment")
        done = type_in("run", *one, OPENAI_BASE_URL=server.url, GATE_KEY="hush-hush-hush")
        assert done.code == 0, done.err
    assert server.asked[0].headers["x-gate-key"] == "hush-hush-hush"
    assert "hush" not in "".join(path.read_text() for path in tmp_path.glob("runs/*.jsonl"))


PLAY_PHONEBOOK = ("run", "--benchmark", "tests.support.phonebook", "--limit", "1", "--json")


@pytest.fixture
def listing() -> Iterator[str]:
    """The address of an endpoint that lists two models."""

    listed = response(200, json.dumps({"data": [{"id": "small-1"}, {"id": "large-1"}]}))
    with ByteServer(lambda connection, _: connection.sendall(listed)) as server:
        yield f"{server.url}/v1"


def test_a_model_that_its_endpoint_does_not_list_is_refused_before_the_run(listing: str, tmp_path: Path) -> None:
    done = inside(*PLAY_PHONEBOOK, "--model", "smal-1", cwd=tmp_path, OPENAI_BASE_URL=listing)
    check_line(
        done, 2, "the endpoint has no model 'smal-1'; did you mean 'small-1'?; name one of its models with --model"
    )
    assert not (tmp_path / "runs").exists()
