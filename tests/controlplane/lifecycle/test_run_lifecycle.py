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
from controlplane.errors import Interrupted, Unreachable, UsageError, invocation
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
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.sandbox.interface import Plain, bounds
from tests.controlplane.test_outage import BENCHMARK, playing
from tests.support import phonebook
from tests.support.byte_server import ByteServer
from tests.support.command import (
    ROOT,
    CommandResult,
    CommandRunner,
    check_error_line,
    run_in_process,
    run_program,
)
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    model_server,
)
from tests.support.scored_journal import read_events

SCRIPT = ROOT / "tests/support/phonebook.toml"
PHONEBOOK = ("--benchmark", "tests.support.phonebook", "--model", f"scripted:{SCRIPT}")


def journal_of(folder: Path) -> Path:
    (path,) = (folder / "runs").glob("*.jsonl")
    return path


def test_a_run_solves_grades_journals_and_sums_up(tmp_path: Path) -> None:
    """The player solves ada after one rejection and grace at once, and cannot solve edsger."""
    result = run_in_process("run", *PHONEBOOK, "--json", cwd=tmp_path)

    # A trial that ends with its fallback answer is not a failure of the run.
    assert result.code == 0, result.err
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    scores = {task_id: trial["score"] for task_id, trial in trials.items()}
    assert scores == {"ada": 1.0, "grace": 1.0, "edsger": 0.0}
    assert trials["ada"]["rejections"] == {"6/wording": 1}
    assert trials["edsger"]["state"] == "fallback"
    assert trials["edsger"]["outcome"] == "OUTCOME_ERR_INTERNAL"
    assert result.json["score"] == pytest.approx(2 / 3)

    event_types = [type(event) for event in read_events(journal_of(tmp_path))]
    assert event_types[:2] == [RunOpened, RunPrompts]
    assert event_types[-1] == RunClosed
    assert {StepDone, TrialEnded, Scored, RunSubmitted} <= set(event_types)


@pytest.fixture
def stuck_lookups(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Plain]]:
    """Let the first lookup in the phone book never return.

    The list holds the arguments of that call once it is made.
    """
    answer_lookup = phonebook.look_up
    calls: list[Mapping[str, Plain]] = []

    def look_up(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if not calls:
            calls.append(arguments)
            time.sleep(3600)
        return answer_lookup(arguments)

    monkeypatch.setattr(phonebook, "look_up", look_up)
    # A trial is given up when it has been silent for so long after its time is over.
    monkeypatch.setattr(bounds, "TRIAL_SILENCE_S", 0.5)
    return calls


PLAY_ADA_THEN_GRACE = (
    *("run", *PHONEBOOK, "ada", "grace", "--concurrency", "1", "--json"),
    *("--trial-time", "1", "--step-time", "1"),
)
NOT_FOREVER_S = 60
"""Far less than the hour of the stuck lookup, and long enough for a busy machine."""


def test_a_run_goes_on_without_a_trial_that_does_not_come_back(
    stuck_lookups: list[Mapping[str, Plain]], tmp_path: Path
) -> None:
    began = time.monotonic()
    result = run_in_process(*PLAY_ADA_THEN_GRACE, cwd=tmp_path)

    assert time.monotonic() - began < NOT_FOREVER_S
    assert stuck_lookups
    assert result.code == Unreachable.exit_code
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    assert trials["ada"]["state"] == "open"
    assert trials["grace"]["score"] == 1.0
    assert "did not come back" in journal_of(tmp_path).read_text()


def test_a_stopped_run_ends_although_a_trial_does_not_come_back(
    stuck_lookups: list[Mapping[str, Plain]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Run, "emit", stopping(Run.emit))
    began = time.monotonic()
    result = run_in_process(*PLAY_ADA_THEN_GRACE, cwd=tmp_path)

    assert time.monotonic() - began < NOT_FOREVER_S
    assert stuck_lookups
    assert result.code == Interrupted.exit_code
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    assert trials["ada"]["state"] == "open"
    assert trials["grace"]["score"] is None
    assert "did not come back" in journal_of(tmp_path).read_text()


def stopping(
    emit: Callable[[Run, JournalEvent], None],
) -> Callable[[Run, JournalEvent], None]:
    """Return `Run.emit` that also stops the run when a trial has asked its model."""

    def emit_and_stop(run: Run, event: JournalEvent) -> None:
        emit(run, event)
        if event.type == "model_replied":
            run.interrupt()

    return emit_and_stop


def cut_off_after_its_start(folder: Path) -> Path:
    """Play a run, and return its journal without all that follows the run's start."""
    run_in_process("run", "--limit", "1", "--quiet", cwd=folder)
    path = journal_of(folder)
    kept_lines = []
    for line in path.read_bytes().splitlines(keepends=True):
        kept_lines.append(line)
        if b'"type":"run_started"' in line:
            break
    path.write_bytes(b"".join(kept_lines))
    return path


@pytest.mark.parametrize(
    ("recorded_version", "reason"),
    [("older", "in version 'older'"), ("", "does not name")],
)
def test_a_run_of_another_world_version_is_not_resumed_but_submitted(
    recorded_version: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as while_recording:
        while_recording.setattr(ecom_benchmark, "WORLD_VERSION", recorded_version)
        journal = cut_off_after_its_start(tmp_path)
    recorded_bytes = journal.read_bytes()

    resumed = run_in_process("resume", "last", cwd=tmp_path)

    present_version = f"this is version {ecom_benchmark.WORLD_VERSION!r}"
    check_error_line(
        resumed, UsageError.exit_code, "cannot be resumed", reason, present_version
    )
    assert journal.read_bytes() == recorded_bytes
    assert run_in_process("submit", "last", "--force", cwd=tmp_path).code == 0


def test_the_printed_next_commands_run_in_a_shell(
    recorded: tuple[Path, CommandResult],
) -> None:
    """Under "next", a run prints commands, each with a comment: `next  show ...  # why`."""
    folder, run = recorded
    next_section = run.out[run.out.index("\nnext") + 1 :]
    commands = []
    for line in next_section.splitlines():
        command_text, _, _ = line.removeprefix("next").partition("  #")
        commands.append(command_text.strip())

    assert len(commands) == 2
    for command in commands:
        result = run_program(["sh", "-c", command], folder)
        assert result.code == 0
        assert result.err == ""
        assert "seat-005" in result.out


@pytest.mark.parametrize(
    ("script_exists", "folder_is_on_path", "expected"),
    [
        (True, True, "controlplane"),
        (True, False, "bin/controlplane"),
        (False, True, "python3 -P -m controlplane"),
        (False, False, "bin/python3 -P -m controlplane"),
    ],
)
def test_the_program_is_named_as_briefly_as_a_shell_finds_it(
    script_exists: bool,
    folder_is_on_path: bool,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`controlplane` is installed beside its interpreter, or only importable from it."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    programs = ["python3"]
    if script_exists:
        programs.append("controlplane")
    for program in programs:
        (bin_folder / program).write_text("#!/bin/sh\n")
        (bin_folder / program).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bin_folder / "python3"))
    shell_path = str(bin_folder) if folder_is_on_path else "/nonexistent"
    monkeypatch.setenv("PATH", shell_path)
    monkeypatch.chdir(tmp_path)

    assert invocation() == expected


RUN_ON_SERVER = (
    "run",
    *BENCHMARK,
    "--concurrency",
    "2",
    "--model-patience",
    "5",
    "--json",
)
TRIALS = 9
"""`BENCHMARK` plays each of the phone book's three tasks three times."""
REQUESTS = 2 * TRIALS
"""`playing` asks twice in each trial: to look up, and to answer."""


def newest_journal(folder: Path) -> Path:
    return max(
        folder.glob("runs/*.jsonl"), key=lambda journal: journal.stat().st_mtime_ns
    )


def events_of_type(event_type: str, folder: Path) -> list[dict[str, object]]:
    """Return the events of this type in the newest journal of the folder."""
    lines = newest_journal(folder).read_text().splitlines()
    events = [json.loads(line) for line in lines]
    return [event for event in events if event["type"] == event_type]


def test_a_run_with_a_cache_asks_for_changes_only_and_costs_nothing(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """Play, play the same again from the cache, and play at another temperature."""

    def reply_with_cost(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        # The new text is as long as the old one, for the content-length.
        return playing(asked, connection).replace(
            b'"total_tokens": 18', b'"cost": 0.00020   '
        )

    command = (*RUN_ON_SERVER, "--cache", "cache")
    with model_server(reply_with_cost) as server:
        first = run_command_here(*command, OPENAI_BASE_URL=server.url)
        assert first.code == 0, first.err
        assert len(server.asked) == REQUESTS

        cached = run_command_here(*command, OPENAI_BASE_URL=server.url)
        assert cached.code == 0, cached.err
        assert len(server.asked) == REQUESTS  # no new ones
        cached_replies = events_of_type("model_replied", tmp_path)

        warmer = run_command_here(
            *command, "--temperature", "1", OPENAI_BASE_URL=server.url
        )
        assert warmer.code == 0
        assert len(server.asked) == 2 * REQUESTS

    assert first.json["cost_usd"] == pytest.approx(REQUESTS * 0.00020)
    assert cached.json["cost_usd"] == 0.0
    assert cached.json["tokens"] == 0
    assert cached.json["cached_replies"] == REQUESTS
    assert [trial["score"] for trial in cached.json["trials"]] == [1.0] * TRIALS
    assert {reply["cached"] for reply in cached_replies} == {True}
    assert run_command_here("replay", "last", "--verify").code == 0


def test_a_resumed_run_knows_what_its_endpoint_refused(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The endpoint takes no JSON mode, and goes down after six requests; resume the run."""

    def reply_without_json_mode(
        asked: ModelHttpRequest, connection: socket.socket
    ) -> bytes:
        if "response_format" in asked.body:
            return error_response(400, "this server has no 'response_format'")
        return playing(asked, connection)

    def reply_to_six_requests(
        asked: ModelHttpRequest, connection: socket.socket
    ) -> bytes:
        if len(server.asked) <= 6:
            return reply_without_json_mode(asked, connection)
        return error_response(503, "overloaded")

    flags = ("--reply-mode", "json", "--concurrency", "1", "--model-patience", "0")
    with model_server(reply_to_six_requests) as server:
        paused = run_command_here("run", *BENCHMARK, *flags, OPENAI_BASE_URL=server.url)
        assert paused.code == Unreachable.exit_code, paused.err
        assert "takes no reply mode json; asking in mode text" in paused.err
        (learned,) = events_of_type("endpoint_learned", tmp_path)
        server.answer = reply_without_json_mode
        requests_before = len(server.asked)

        resumed = run_command_here("resume", "last", OPENAI_BASE_URL=server.url)

    assert resumed.code == 0, resumed.err
    assert learned["capabilities"]["takes_json"] is False
    for request in server.asked[requests_before:]:
        assert "response_format" not in request.body
    with open_journal(newest_journal(tmp_path)) as journal:
        (capabilities,) = journal.summary.learned.values()
    assert capabilities.takes_json is False


def test_each_role_is_asked_at_the_endpoint_of_its_profile() -> None:
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
                "check_draft": {"model": "unused", "base_url": "http://127.0.0.1:9/v1"},
            },
        )
        message: Message = {"role": "user", "content": "u"}
        with open_resources(RunSpec(settings)) as resources:
            assert resources.model is not None
            solve_reply = resources.model.complete([message], "solve")
            classify_reply = resources.model.complete([message], "classify")

    assert solve_reply.text == "big"
    assert classify_reply.text == "small"
    # One for each profile: the two above, and that of `check_draft`, which is not asked.
    assert len(resources.models.endpoints) == 3
    request_body = small_server.asked[0].body
    assert request_body["model"] == "s"
    assert request_body["reasoning_effort"] == "low"


def test_a_secret_header_comes_from_its_variable_and_is_in_no_journal(
    run_command_here: CommandRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTROLPLANE_MODEL_HEADERS", '{"X-Gate-Key": "$GATE_KEY"}')
    run_one_task = ("run", *BENCHMARK, "--limit", "1")
    secret = "hush-hush-hush"
    with model_server(playing) as server:
        url = server.url
        without_key = run_command_here(*run_one_task, OPENAI_BASE_URL=url)
        with_key = run_command_here(*run_one_task, OPENAI_BASE_URL=url, GATE_KEY=secret)

    check_error_line(
        without_key, UsageError.exit_code, "set GATE_KEY in the environment"
    )
    assert with_key.code == 0, with_key.err
    assert server.asked[0].headers["x-gate-key"] == secret
    for journal in tmp_path.glob("runs/*.jsonl"):
        assert "hush" not in journal.read_text()


@pytest.fixture
def url_of_two_models() -> Iterator[str]:
    """The address of an endpoint that has the models small-1 and large-1."""
    models = http_response(
        200, json.dumps({"data": [{"id": "small-1"}, {"id": "large-1"}]})
    )

    def send_models(connection: socket.socket, request: bytes) -> None:
        connection.sendall(models)

    with ByteServer(send_models) as server:
        yield f"{server.url}/v1"


def test_a_model_that_its_endpoint_does_not_list_is_refused_before_the_run(
    url_of_two_models: str, tmp_path: Path
) -> None:
    run = ("run", "--benchmark", "tests.support.phonebook", "--limit", "1", "--json")
    result = run_in_process(
        *run, "--model", "smal-1", cwd=tmp_path, OPENAI_BASE_URL=url_of_two_models
    )

    check_error_line(
        result,
        UsageError.exit_code,
        "the endpoint has no model 'smal-1'; did you mean 'small-1'?; name one of its models with --model",
    )

    assert not (tmp_path / "runs").exists()
