"""A run from its start to its end: what it records, what stops it, and the models that it asks.

`controlplane run --benchmark phonebook --model m` starts the trials of a benchmark, lets a model
play each, submits the answers for scores, and writes every event to a journal, a file of JSON
lines. The tests show a whole run, and runs with a stuck trial, a cache, or several endpoints.
"""

import json
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from controlplane.agent.events import StepDone
from controlplane.agent.model import Message
from controlplane.benchmarks.ecom import ecom_benchmark
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import Interrupted, Unreachable, UsageError
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
from controlplane.program_invocation import invocation
from controlplane.sandbox.interface import Plain, bounds
from tests.support import phonebook
from tests.support.byte_server import ByteServer
from tests.support.command import (
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
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.phonebook_model import next_action, respond
from tests.support.recorded_run import RecordedRun
from tests.support.scored_journal import read_events

OK = 0

# --- A whole run ---


def test_a_run_plays_every_trial_and_prints_the_scores(tmp_path: Path) -> None:
    """The benchmark is a phone book with three tasks. The model is a script that solves ada after a
    rejected answer, and grace at once. It cannot solve edsger, for which the harness submits a
    fallback, an answer of its own. That is not a failure of the run."""
    result = run_in_process("run", *PHONEBOOK_WITH_PLAYER, "--json", cwd=tmp_path)

    assert result.code == OK, result.err
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    scores = {task_id: trial["score"] for task_id, trial in trials.items()}
    assert scores == {"ada": 1.0, "grace": 1.0, "edsger": 0.0}
    assert trials["ada"]["rejections"] == {"6/wording": 1}  # a check of answers
    assert trials["edsger"]["state"] == "fallback"
    assert trials["edsger"]["outcome"] == "OUTCOME_ERR_INTERNAL"
    assert result.json["score"] == pytest.approx(2 / 3)


def journal_of(folder: Path) -> Path:
    """Return the journal of the only run in a folder."""
    (path,) = (folder / "runs").glob("*.jsonl")
    return path


def test_the_journal_of_a_run_has_its_events_in_order(tmp_path: Path) -> None:
    """The reader of a journal relies on its first two events and on its last one."""
    run_in_process("run", *PHONEBOOK_WITH_PLAYER, "--json", cwd=tmp_path)

    event_types = [type(event) for event in read_events(journal_of(tmp_path))]

    assert event_types[:2] == [RunOpened, RunPrompts]
    assert event_types[-1] == RunClosed
    assert {StepDone, TrialEnded, Scored, RunSubmitted} <= set(event_types)


def test_the_printed_next_commands_run_in_a_shell(recorded: RecordedRun) -> None:
    """Under "next", a run prints commands, each with a comment: `next  show ...  # why`. Both of
    this run are about its first failed task, seat-005."""
    report = recorded.printed.out
    next_section = report[report.index("\nnext") + 1 :]
    commands: list[str] = []
    for line in next_section.splitlines():
        command_text, _, _ = line.removeprefix("next").partition("  #")
        commands.append(command_text.strip())

    assert len(commands) == 2
    for command in commands:
        result = run_program(["sh", "-c", command], recorded.folder)
        assert result.code == OK
        assert result.err == ""
        assert "seat-005" in result.out


@pytest.mark.parametrize(
    ("is_installed", "folder_is_on_path", "expected"),
    [
        pytest.param(True, True, "controlplane", id="installed, on the path"),
        pytest.param(True, False, "bin/controlplane", id="installed, not on the path"),
        pytest.param(
            False, True, "python3 -P -m controlplane", id="importable, on the path"
        ),
        pytest.param(
            False,
            False,
            "bin/python3 -P -m controlplane",
            id="importable, not on the path",
        ),
    ],
)
def test_printed_commands_name_the_program_as_briefly_as_a_shell_finds_it(
    is_installed: bool,
    folder_is_on_path: bool,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`controlplane` is installed beside its interpreter, or only importable from it."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    programs = ["python3"]
    if is_installed:
        programs.append("controlplane")
    for program in programs:
        (bin_folder / program).write_text("#!/bin/sh\n")
        (bin_folder / program).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bin_folder / "python3"))
    shell_path = str(bin_folder) if folder_is_on_path else "/nonexistent"
    monkeypatch.setenv("PATH", shell_path)
    monkeypatch.chdir(tmp_path)

    assert invocation() == expected


# --- A trial that does not come back ---

STUCK_S = 3600
"""How long the stuck lookup takes: far longer than any test."""


@pytest.fixture
def stuck_lookups(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Plain]]:
    """Let the first lookup in the phone book not return for an hour.

    The list holds the arguments of that call once it is made.
    """
    look_up = phonebook.look_up
    stuck_calls: list[Mapping[str, Plain]] = []

    def look_up_or_hang(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if not stuck_calls:
            stuck_calls.append(arguments)
            time.sleep(STUCK_S)
        return look_up(arguments)

    monkeypatch.setattr(phonebook, "look_up", look_up_or_hang)
    # A trial is given up if nothing comes from it for this long after its time is over.
    monkeypatch.setattr(bounds, "TRIAL_SILENCE_S", 0.5)
    return stuck_calls


ADA_THEN_GRACE = (
    "run",
    *PHONEBOOK_WITH_PLAYER,
    "ada",
    "grace",
    "--concurrency",
    "1",
    "--trial-time",
    "1",
    "--step-time",
    "1",
    "--json",
)
"""Plays the task ada, whose lookup is stuck, and then grace."""


def test_a_run_goes_on_without_a_trial_that_does_not_come_back(
    stuck_lookups: list[Mapping[str, Plain]], tmp_path: Path
) -> None:
    """1. The trial of ada makes its first lookup, which does not return.
    2. Its time is over after 1 s. Nothing comes from it, so the run gives it up: it stays open, and
       can be resumed.
    3. The trial of grace is played, and solved.
    """
    result = run_in_process(*ADA_THEN_GRACE, cwd=tmp_path)

    assert stuck_lookups
    assert result.code == Unreachable.exit_code
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    assert trials["ada"]["state"] == "open"
    assert trials["grace"]["score"] == 1.0
    assert "did not come back" in journal_of(tmp_path).read_text()


def test_an_interrupted_run_ends_although_a_trial_does_not_come_back(
    stuck_lookups: list[Mapping[str, Plain]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """1. The model replies in the trial of ada. At this moment, the run is interrupted, as by Ctrl-C.
    2. The script of the reply makes a lookup, which does not return.
    3. The run gives the trial up, and ends. The trial of grace does not begin.
    """
    emit = Run.emit

    def emit_and_interrupt(run: Run, event: JournalEvent) -> None:
        emit(run, event)
        if event.type == "model_replied":
            run.interrupt()

    monkeypatch.setattr(Run, "emit", emit_and_interrupt)
    result = run_in_process(*ADA_THEN_GRACE, cwd=tmp_path)

    assert stuck_lookups
    assert result.code == Interrupted.exit_code
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    assert trials["ada"]["state"] == "open"
    assert trials["grace"]["score"] is None
    assert "did not come back" in journal_of(tmp_path).read_text()


# --- Runs of an older version of a benchmark ---


def journal_cut_after_start(folder: Path) -> Path:
    """Play a run, and return its journal without all that follows the run's start."""
    run_in_process("run", "--limit", "1", "--quiet", cwd=folder)
    path = journal_of(folder)
    kept_lines: list[bytes] = []
    for line in path.read_bytes().splitlines(keepends=True):
        kept_lines.append(line)
        if b'"type":"run_started"' in line:
            break
    path.write_bytes(b"".join(kept_lines))
    return path


@pytest.mark.parametrize(
    ("recorded_version", "reason"),
    [
        pytest.param("older", "in version 'older'", id="another version"),
        pytest.param("", "does not name", id="no version"),
    ],
)
def test_a_run_of_another_world_version_is_not_resumed_but_submitted(
    recorded_version: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worlds of a new version may have other contents, so that recorded steps do not fit.

    The run is played while the benchmark claims to be of another version. `submit --force` ends the
    run all the same: trials without an answer score 0.
    """
    with monkeypatch.context() as while_recording:
        while_recording.setattr(ecom_benchmark, "WORLD_VERSION", recorded_version)
        journal = journal_cut_after_start(tmp_path)
    recorded_bytes = journal.read_bytes()

    resumed = run_in_process("resume", "last", cwd=tmp_path)

    present_version = f"this is version {ecom_benchmark.WORLD_VERSION!r}"
    check_error_line(
        resumed, UsageError.exit_code, "cannot be resumed", reason, present_version
    )
    assert journal.read_bytes() == recorded_bytes
    assert run_in_process("submit", "last", "--force", cwd=tmp_path).code == OK


# --- Models behind an endpoint ---
#
# `respond`, in `tests/support/phonebook_model.py`, replies as a model that solves the tasks of the
# telephone book. The tests serve it over HTTP, and ask it by runs of `NINE_TRIALS`.

NINE_TRIALS = (
    "run",
    "--benchmark",
    "tests.support.phonebook",
    "--model",
    "m",
    "--repeats",
    "3",
)
"""Plays each of the three tasks of the phone book three times."""
REQUESTS_OF_NINE_TRIALS = 18
"""In each trial, the model is asked twice: it looks the number up, and then it answers."""


def newest_journal(folder: Path) -> Path:
    journals = folder.glob("runs/*.jsonl")
    return max(journals, key=lambda journal: journal.stat().st_mtime_ns)


def events_of_type(event_type: str, folder: Path) -> list[dict[str, object]]:
    """Return the events of this type in the newest journal of the folder."""
    events: list[dict[str, object]] = []
    for line in newest_journal(folder).read_text().splitlines():
        event = json.loads(line)
        if event["type"] == event_type:
            events.append(event)
    return events


REPLY_COST_USD = 0.0002
"""The cost that each reply of `respond_with_cost` names."""


def respond_with_cost(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Respond with the same action as `respond`, and say what the reply costs."""
    completion = completion_json(next_action(request), cost=REPLY_COST_USD)
    return http_response(200, completion)


NINE_TRIALS_WITH_CACHE = (*NINE_TRIALS, "--concurrency=2", "--json", "--cache=cache")
"""Plays them two at a time, and keeps the model's replies in the folder `cache`."""


def test_a_run_that_is_repeated_with_a_cache_asks_nothing_and_costs_nothing(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The second run has the same requests as the first, and finds all replies in the cache."""
    with model_server(respond_with_cost) as server:
        first = run_command_here(*NINE_TRIALS_WITH_CACHE, OPENAI_BASE_URL=server.url)
        requests_of_first_run = len(server.asked)
        cached = run_command_here(*NINE_TRIALS_WITH_CACHE, OPENAI_BASE_URL=server.url)
        requests_of_both_runs = len(server.asked)

    assert first.code == OK, first.err
    assert requests_of_first_run == REQUESTS_OF_NINE_TRIALS
    cost_usd = REQUESTS_OF_NINE_TRIALS * REPLY_COST_USD
    assert first.json["cost_usd"] == pytest.approx(cost_usd)

    assert cached.code == OK, cached.err
    assert requests_of_both_runs == requests_of_first_run
    assert cached.json["cost_usd"] == 0.0
    assert cached.json["tokens"] == 0
    assert cached.json["cached_replies"] == REQUESTS_OF_NINE_TRIALS
    assert [trial["score"] for trial in cached.json["trials"]] == [1.0] * 9
    for reply in events_of_type("model_replied", tmp_path):  # of the second run
        assert reply["cached"] is True


def test_a_run_at_another_temperature_asks_anew_in_spite_of_the_cache(
    run_command_here: CommandRunner,
) -> None:
    """The temperature is a part of a request, so that no reply in the cache fits."""
    with model_server(respond_with_cost) as server:
        first = run_command_here(*NINE_TRIALS_WITH_CACHE, OPENAI_BASE_URL=server.url)
        warmer = run_command_here(
            *NINE_TRIALS_WITH_CACHE, "--temperature=1", OPENAI_BASE_URL=server.url
        )

    assert first.code == OK, first.err
    assert warmer.code == OK, warmer.err
    assert len(server.asked) == 2 * REQUESTS_OF_NINE_TRIALS


def test_a_run_whose_replies_were_cached_can_be_replayed(
    run_command_here: CommandRunner,
) -> None:
    """Its journal has the replies, whether a model gave them or the cache."""
    with model_server(respond_with_cost) as server:
        run_command_here(*NINE_TRIALS_WITH_CACHE, OPENAI_BASE_URL=server.url)
        cached = run_command_here(*NINE_TRIALS_WITH_CACHE, OPENAI_BASE_URL=server.url)

    assert cached.code == OK, cached.err
    assert cached.json["cached_replies"] == REQUESTS_OF_NINE_TRIALS
    assert run_command_here("replay", "last", "--verify").code == OK


# --- What an endpoint refuses ---


def respond_without_json_mode(
    request: ModelHttpRequest, connection: socket.socket
) -> bytes:
    """Refuse requests for replies in JSON mode, and respond to all others."""
    if "response_format" in request.body:
        return error_response(400, "this server has no 'response_format'")
    return respond(request, connection)


def test_a_resumed_run_knows_which_parameter_its_endpoint_refused(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """1. The run asks for replies in JSON mode, by the parameter `response_format`. The endpoint
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

    assert resumed.code == OK, resumed.err
    for request in server.asked[requests_of_paused_run:]:
        assert "response_format" not in request.body
    with open_journal(newest_journal(tmp_path)) as journal:
        (capabilities,) = journal.summary.learned.values()
    assert capabilities.takes_json is False


# --- Models in roles, and headers of requests ---


def test_each_role_is_asked_at_its_own_endpoint() -> None:
    """An agent asks models in roles, such as `solve` and `classify`. The run's own model, "m", is asked
    for `solve`. The setting `role` names other models for other roles: the small one, "s", for
    `classify`, and one that this test never asks for `check_draft`."""
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
    assert len(resources.models.endpoints) == 3  # those of the run and of two roles
    (small_request,) = [request.body for request in small_server.asked]
    assert small_request["model"] == "s"
    assert small_request["reasoning_effort"] == "low"


@pytest.fixture
def header_with_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let requests to the model have a header whose value is in the variable GATE_KEY."""
    monkeypatch.setenv("CONTROLPLANE_MODEL_HEADERS", '{"X-Gate-Key": "$GATE_KEY"}')


@pytest.mark.usefixtures("header_with_secret")
def test_a_secret_header_is_sent_and_is_in_no_journal(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A gateway before the model may want a header of its own, `X-Gate-Key: hush-hush-hush`."""
    with model_server(respond) as server:
        result = run_command_here(
            *NINE_TRIALS,
            "--limit",
            "1",
            OPENAI_BASE_URL=server.url,
            GATE_KEY="hush-hush-hush",
        )

    assert result.code == OK, result.err
    assert server.asked[0].headers["x-gate-key"] == "hush-hush-hush"
    assert "hush" not in journal_of(tmp_path).read_text()


@pytest.mark.usefixtures("header_with_secret")
def test_a_secret_header_without_its_variable_is_a_usage_error(
    run_command_here: CommandRunner,
) -> None:
    """The setting names the variable GATE_KEY, which is not set."""
    with model_server(respond) as server:
        result = run_command_here(
            *NINE_TRIALS, "--limit", "1", OPENAI_BASE_URL=server.url
        )

    check_error_line(result, UsageError.exit_code, "set GATE_KEY in the environment")


@pytest.fixture
def url_of_two_models() -> Iterator[str]:
    """The address of an endpoint that lists the models small-1 and large-1."""
    list_of_models = {"data": [{"id": "small-1"}, {"id": "large-1"}]}
    response = http_response(200, json.dumps(list_of_models))

    def send_list(connection: socket.socket, request: bytes) -> None:
        connection.sendall(response)

    with ByteServer(send_list) as server:
        yield f"{server.url}/v1"


def test_a_model_that_its_endpoint_does_not_list_is_refused_before_the_run(
    url_of_two_models: str, tmp_path: Path
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
