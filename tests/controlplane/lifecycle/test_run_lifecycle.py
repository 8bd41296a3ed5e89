"""A run from its start to its end: what is journalled,
what stops it, and the models that it asks."""

import json
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from controlplane.agent.events import StepDone
from controlplane.agent.model import Message
from controlplane.benchmarks.ecom import ecom_benchmark
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import invocation
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import (
    JournalEvent,
    RunClosed,
    RunOpened,
    RunPrompts,
    RunSubmitted,
    Scored,
    TrialEnded,
)
from controlplane.lifecycle import run_lifecycle
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.sandbox.interface import Plain, bounds
from tests.controlplane.test_outage import BENCHMARK, failing_after, playing
from tests.support import phonebook
from tests.support.byte_server import ByteServer
from tests.support.command import ROOT, Result, Type, check_line, inside, ran
from tests.support.endpoints import (
    Asked,
    always,
    completion,
    model_server,
    refusal,
    response,
)
from tests.support.scored_journal import read_events

SCRIPT = ROOT / "tests/support/phonebook.toml"
PHONEBOOK = ("--benchmark", "tests.support.phonebook", "--model", f"scripted:{SCRIPT}")


def journal_of(folder: Path) -> Path:
    (path,) = (folder / "runs").glob("*.jsonl")
    return path


def test_a_run_solves_grades_journals_and_sums_up(tmp_path: Path) -> None:
    result = inside("run", *PHONEBOOK, "--json", cwd=tmp_path)
    # that a trial ended by its fallback is no failure
    assert result.code == 0, result.err
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    assert {name: each["score"] for name, each in trials.items()} == {
        "ada": 1.0,
        "grace": 1.0,
        "edsger": 0.0,
    }
    assert trials["ada"]["rejections"] == {"6/wording": 1}
    assert trials["edsger"]["state"] == "fallback"
    assert trials["edsger"]["outcome"] == "OUTCOME_ERR_INTERNAL"
    assert result.json["score"] == pytest.approx(2 / 3)
    events = list(read_events(journal_of(tmp_path)))
    assert [type(event) for event in events[:2]] == [RunOpened, RunPrompts]
    assert isinstance(events[-1], RunClosed)
    assert {type(event) for event in events} >= {
        StepDone,
        TrialEnded,
        Scored,
        RunSubmitted,
    }


@pytest.mark.parametrize("stops", [False, True])
def test_a_trial_that_does_not_come_back_holds_neither_the_run_nor_the_process(
    stops: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = phonebook.looked_up
    stuck_at: list[Mapping[str, Plain]] = []

    def stuck(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if not stuck_at:
            stuck_at.append(arguments)
            time.sleep(3600)
        return looked_up(arguments)

    monkeypatch.setattr(phonebook, "looked_up", stuck)
    monkeypatch.setattr(bounds, "TRIAL_SILENCE_S", 0.5)
    words = (
        "run",
        *PHONEBOOK,
        "--concurrency",
        "1",
        "--trial-time",
        "1",
        "--step-time",
        "1",
        "--json",
        "ada",
        "grace",
    )
    if stops:
        monkeypatch.setattr(run_lifecycle.Run, "emit", stopping(run_lifecycle.Run.emit))
    began = time.monotonic()
    result = inside(*words, cwd=tmp_path)

    assert time.monotonic() - began < 60
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    assert stuck_at
    assert (result.code, trials["ada"]["state"]) == (130 if stops else 3, "open")
    assert trials["grace"]["score"] == (None if stops else 1.0)
    assert "did not come back" in journal_of(tmp_path).read_text()


def stopping(
    emit: Callable[[Run, JournalEvent], None],
) -> Callable[[Run, JournalEvent], None]:
    """Stop the run when its first trial has asked its model."""

    def emitted(run: Run, event: JournalEvent) -> None:
        emit(run, event)
        if event.type == "model_replied":
            run.interrupt()

    return emitted


def interrupted(folder: Path) -> Path:
    """Leave the journal of a run that was cut off right after its start."""
    inside("run", "--limit", "1", "--quiet", cwd=folder)
    (path,) = folder.glob("runs/*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    began = next(at for at, line in enumerate(lines) if b'"type":"run_started"' in line)
    path.write_bytes(b"".join(lines[: began + 1]))
    return path


@pytest.mark.parametrize(
    ("began_in", "says"), [("older", "in version 'older'"), ("", "does not name")]
)
def test_a_run_in_other_worlds_is_not_resumed_and_can_be_submitted(
    began_in: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(ecom_benchmark, "WORLD_VERSION", began_in)
        path = interrupted(tmp_path)
    recorded = path.read_bytes()
    result = inside("resume", "last", cwd=tmp_path)
    check_line(
        result,
        2,
        "cannot be resumed",
        says,
        f"this is version {ecom_benchmark.WORLD_VERSION!r}",
    )

    assert path.read_bytes() == recorded
    assert inside("submit", "last", "--force", cwd=tmp_path).code == 0


def test_the_printed_next_commands_run_in_a_shell(
    recorded: tuple[Path, Result],
) -> None:
    folder, done = recorded
    following = done.out[done.out.index("\nnext") + 1 :].splitlines()
    commands = [line.removeprefix("next").split("  #")[0].strip() for line in following]

    assert len(commands) == 2
    for command in commands:
        done = ran(["sh", "-c", command], folder)
        assert (done.code, done.err) == (0, "")
        assert "seat-005" in done.out


@pytest.mark.parametrize("is_on_path", [True, False])
@pytest.mark.parametrize("has_script", [True, False])
def test_the_program_is_named_as_briefly_as_a_shell_finds_it(
    is_on_path: bool, has_script: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("python3", *(["controlplane"] if has_script else [])):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\n")
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python3"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin") if is_on_path else "/nonexistent")
    monkeypatch.chdir(tmp_path)
    named = "controlplane" if has_script else "python3"

    assert invocation() == (named if is_on_path else f"bin/{named}") + (
        "" if has_script else " -P -m controlplane"
    )


PLAY = ("run", *BENCHMARK, "--concurrency", "2", "--model-patience", "5", "--json")


def events(folder: Path, kind: str) -> list[dict[str, object]]:
    journal = max(folder.glob("runs/*.jsonl"), key=lambda each: each.stat().st_mtime_ns)
    found = [json.loads(line) for line in journal.read_text().splitlines()]
    return [event for event in found if event["type"] == kind]


def test_a_rerun_with_a_cache_asks_for_changes_only_and_costs_nothing(
    type_in: Type, tmp_path: Path
) -> None:
    def paid(asked: Asked, connection: socket.socket) -> bytes:
        return playing(asked, connection).replace(
            b'"total_tokens": 18', b'"cost": 0.00020   '
        )

    with model_server(paid) as server:
        first = type_in(*PLAY, "--cache", "kept", OPENAI_BASE_URL=server.url)
        assert (first.code, len(server.asked)) == (0, 18), first.err
        again = type_in(*PLAY, "--cache", "kept", OPENAI_BASE_URL=server.url)
        assert (again.code, len(server.asked)) == (0, 18), again.err
        replied = events(tmp_path, "model_replied")
        warmer = type_in(
            *PLAY, "--cache", "kept", "--temperature", "1", OPENAI_BASE_URL=server.url
        )
        assert (warmer.code, len(server.asked)) == (0, 36)

    assert first.json["cost_usd"] == pytest.approx(0.0036)
    assert (
        again.json["cost_usd"],
        again.json["tokens"],
        again.json["cached_replies"],
    ) == (
        0.0,
        0,
        18,
    )
    assert [trial["score"] for trial in again.json["trials"]] == [1.0] * 9
    assert {event["cached"] for event in replied} == {True}
    assert type_in("replay", "last", "--verify").code == 0


def test_refusals_of_an_endpoint_are_journalled_and_known_to_a_resumed_run(
    type_in: Type, tmp_path: Path
) -> None:
    def plain(asked: Asked, connection: socket.socket) -> bytes:
        if "response_format" in asked.body:
            return refusal(400, "this server has no 'response_format'")
        return playing(asked, connection)

    down = always(refusal(503, "overloaded"))
    flags = ("--reply-mode", "json", "--concurrency", "1", "--model-patience", "0")
    with model_server(failing_after(6, down)) as server:
        server.answer = lambda asked, connection: (
            plain if len(server.asked) <= 6 else down
        )(asked, connection)
        paused = type_in("run", *BENCHMARK, *flags, OPENAI_BASE_URL=server.url)
        assert paused.code == 3, paused.err
        assert "takes no reply mode json; asking in mode text" in paused.err
        (learned,) = events(tmp_path, "endpoint_learned")
        server.answer = plain
        asked = len(server.asked)
        resumed = type_in("resume", "last", OPENAI_BASE_URL=server.url)

    assert resumed.code == 0, resumed.err
    assert learned["capabilities"]["takes_json"] is False
    assert not [
        request for request in server.asked[asked:] if "response_format" in request.body
    ]
    journal = max(
        tmp_path.glob("runs/*.jsonl"), key=lambda each: each.stat().st_mtime_ns
    )
    with open_journal(journal) as content:
        assert [
            capabilities.takes_json for capabilities in content.summary.learned.values()
        ] == [False]


def test_each_role_is_asked_at_the_endpoint_of_its_profile() -> None:
    big = response(200, completion("big"))
    with (
        model_server(big) as first,
        model_server(response(200, completion("small"))) as second,
    ):
        settings = RunSettings(
            agent="exoskeleton",
            model="m",
            base_url=first.url,
            role={
                "classify": {
                    "model": "s",
                    "base_url": second.url,
                    "reasoning_effort": "low",
                },
                "check_draft": {"model": "unused", "base_url": "http://127.0.0.1:9/v1"},
            },
        )
        with open_resources(RunSpec(settings)) as opened:
            assert opened.model is not None
            asking: Message = {"role": "user", "content": "u"}
            said = [
                opened.model.complete([asking], role).text
                for role in ("solve", "classify")
            ]

    assert said == ["big", "small"]
    assert len(opened.models.endpoints) == 3
    body = second.asked[0].body
    assert (body["model"], body["reasoning_effort"]) == ("s", "low")


def test_a_secret_header_comes_from_its_variable_and_is_in_no_journal(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTROLPLANE_MODEL_HEADERS", '{"X-Gate-Key": "$GATE_KEY"}')
    one = (*BENCHMARK, "--limit", "1")
    with model_server(playing) as server:
        check_line(
            type_in("run", *one, OPENAI_BASE_URL=server.url),
            2,
            "set GATE_KEY in the environment",
        )
        done = type_in(
            "run", *one, OPENAI_BASE_URL=server.url, GATE_KEY="hush-hush-hush"
        )
        assert done.code == 0, done.err

    assert server.asked[0].headers["x-gate-key"] == "hush-hush-hush"
    assert "hush" not in "".join(
        path.read_text() for path in tmp_path.glob("runs/*.jsonl")
    )


PLAY_PHONEBOOK = (
    "run",
    "--benchmark",
    "tests.support.phonebook",
    "--limit",
    "1",
    "--json",
)


@pytest.fixture
def listing() -> Iterator[str]:
    """The address of an endpoint that lists two models."""

    listed = response(200, json.dumps({"data": [{"id": "small-1"}, {"id": "large-1"}]}))
    with ByteServer(lambda connection, _: connection.sendall(listed)) as server:
        yield f"{server.url}/v1"


def test_a_model_that_its_endpoint_does_not_list_is_refused_before_the_run(
    listing: str, tmp_path: Path
) -> None:
    done = inside(
        *PLAY_PHONEBOOK, "--model", "smal-1", cwd=tmp_path, OPENAI_BASE_URL=listing
    )
    check_line(
        done,
        2,
        "the endpoint has no model 'smal-1'; did you mean 'small-1'?; name one of its models with --model",
    )

    assert not (tmp_path / "runs").exists()
