"""A run plays every trial of a benchmark, records each event, and says what to run next.

Replies may come from a cache, each role has an endpoint of its own, and as many trials play at a
time as the machine or the user says. Refused parameters are left out, also after a resume. A model
that its endpoint does not list, and a run of another world version, are refused. Secret headers are
in no journal.
"""

import json
import signal
import socket
import threading
from pathlib import Path

import pytest

from controlplane.agent.events import StepDone
from controlplane.agent.model import Message
from controlplane.benchmarks.ecom import ecom_benchmark
from controlplane.configuration.recorded_settings import settings_here
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import Unreachable, UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import (
    RunClosed,
    RunOpened,
    RunPrompts,
    RunSubmitted,
    Scored,
    TrialEnded,
)
from controlplane.lifecycle.conducting import stop_on_signals
from controlplane.lifecycle.resources.run_resources import open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    PhonebookEndpoint,
    phonebook_endpoint,
)
from tests.support.command import (
    PATIENCE_S,
    CommandResult,
    check_error_line,
    run_in_process,
    run_program,
)
from tests.support.journals import read_events
from tests.support.phonebook_model import (
    ByteServer,
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    model_server,
    next_action,
    respond,
)

# Runs of one trial, in which the model is asked twice, with a cache for its replies.


def respond_with_cost(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Return a reply of the model: it looks a number up, or answers, for $0.0002."""
    return http_response(200, completion_json(next_action(request), cost=0.0002))


def play_with_cache(endpoint: PhonebookEndpoint, *options: str) -> CommandResult:
    """Run one trial, which keeps the replies in the folder `cache`.

    After a first run, `play_with_cache(endpoint).json["cached_replies"]` -> `2`.
    """
    return endpoint.command(
        *PHONEBOOK_RUN, "--limit=1", "--cache=cache", "--json", *options
    )


# Runs of a phone book with three tasks: the numbers of ada (17), grace (42) and edsger (68).


def reply_on(person: str, answer: str) -> str:
    """Return a reply of the model to the task of a person: a script that submits this answer."""
    return f"""
[[reply]]
when = "number of {person}"
code = '''
scratchpad["answer"], scratchpad["outcome"] = "{answer}", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "{answer}")
'''
"""


def play_phonebook(
    folder: Path, *replies: str, options: tuple[str, ...] = ()
) -> CommandResult:
    """Play the three tasks, with a model that gives these replies in turn.

    `play_phonebook(folder, reply_on("ada", answer="17"))` leaves the other two without an answer.
    """
    (folder / "replies.toml").write_text("".join(replies))
    benchmark = ("--benchmark", "tests.support.phonebook")
    model = ("--model", "scripted:replies.toml")
    return run_in_process("run", *benchmark, *model, *options, cwd=folder)


# A run with `--cache=cache` keeps the model's replies in a folder, and a second run asks nothing again.
#
# A run here has one trial, in which the model is asked twice: it looks a number up, and then it
# answers. The endpoint says that each reply costs $0.0002.


def test_a_run_that_is_repeated_with_a_cache_asks_nothing_and_costs_nothing(
    tmp_path: Path,
) -> None:
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        first = play_with_cache(endpoint)
        assert len(endpoint.server.asked) == 2
        cached = play_with_cache(endpoint)
        assert len(endpoint.server.asked) == 2

    assert first.code == 0, first.err
    assert first.json["cost_usd"] == pytest.approx(0.0004)
    assert cached.code == 0, cached.err
    assert cached.json["cost_usd"] == 0.0
    assert cached.json["tokens"] == 0
    assert cached.json["cached_replies"] == 2
    (trial,) = cached.json["trials"]
    assert trial["score"] == 1.0


def test_a_run_at_another_temperature_asks_anew_in_spite_of_the_cache(
    tmp_path: Path,
) -> None:
    """The temperature is a part of a request, so that no reply in the cache fits."""
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        first = play_with_cache(endpoint)
        warmer = play_with_cache(endpoint, "--temperature=1")

    assert first.code == 0, first.err
    assert warmer.code == 0, warmer.err
    assert len(endpoint.server.asked) == 4


# The journal of a run whose replies came from a cache says so, and the run can be replayed.
#
# `run --cache=cache` keeps the model's replies in a folder, and a second run takes them from there.
# Its journal has the replies, whether a model gave them or the cache: `{"type": "model_replied",
# "cached": true, …}`.


def test_the_journal_says_which_replies_were_cached(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        play_with_cache(endpoint)
        cached = play_with_cache(endpoint)

    lines = (tmp_path / cached.json["journal"]).read_text().splitlines()
    events = [json.loads(line) for line in lines]
    replies = [event for event in events if event["type"] == "model_replied"]
    assert [reply["cached"] for reply in replies] == [True, True]


def test_a_run_whose_replies_were_cached_can_be_replayed(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond_with_cost) as endpoint:
        play_with_cache(endpoint)
        cached = play_with_cache(endpoint)

    assert cached.json["cached_replies"] == 2
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


# A run may ask several models, each at its own endpoint.
#
# An agent asks models in roles: `solve` is its main task, and `classify` a smaller one, for which the
# user may name a smaller model: `role = {"classify": {"model": "s", "base_url": …}}`.


def test_each_role_is_asked_at_its_own_endpoint() -> None:
    """Nothing asks in the third role, whose endpoint is known all the same."""
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
    (small_request,) = [request.body for request in small_server.asked]
    assert small_request["model"] == "s"
    assert small_request["reasoning_effort"] == "low"
    assert len(resources.models.endpoints) == 3


# How many trials run at a time: as many as the benchmark's machine can run, unless the user says.
#
# A benchmark of containers knows how many there is room for. The default of the setting is 8.

BENCHMARK_OF_TWO = """
from dataclasses import replace

from controlplane.benchmarks.folder import folder_benchmark


def open_benchmark(argument, settings, context):
    opened = folder_benchmark.open_benchmark(argument, settings, context).opened()
    return replace(opened, usual_concurrency=2, resume_identity=None)
"""


def trials_at_a_time(settings: RunSettings) -> int:
    with open_resources(RunSpec(settings)) as resources:
        return resources.concurrency


@pytest.mark.parametrize(
    ("flags", "at_a_time"),
    [({}, 2), ({"concurrency": "8"}, 8), ({"concurrency": "1"}, 1)],
)
def test_as_many_trials_run_at_a_time_as_the_user_says_or_as_the_machine_can_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: dict[str, str],
    at_a_time: int,
) -> None:
    """Also in a resumed run, whose journal has the value and says where it came from."""
    (tmp_path / "two.py").write_text(BENCHMARK_OF_TWO)
    run_in_process("init", "tasks", cwd=tmp_path)
    flags = {
        "benchmark": "two:tasks/tasks",
        "model": "scripted:tasks/replies.toml",
        **flags,
    }
    options = [f"--{name}={value}" for name, value in flags.items()]
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    run_in_process("run", *options, cwd=tmp_path)
    resolved = resolve(flags, {}, tmp_path).settings
    (path,) = (tmp_path / "runs").glob("*.jsonl")
    journal = open_journal(path)
    recorded = settings_here(journal, {})
    raised = settings_here(journal, {"concurrency": 8})
    journal.close()

    assert trials_at_a_time(resolved) == at_a_time
    assert trials_at_a_time(recorded) == at_a_time
    assert trials_at_a_time(raised) == 8


# A run is refused before it begins if the endpoint does not list its model.
#
# The user mistyped the name of the model, `--model smal-1`. The endpoint lists `small-1` and
# `large-1`, so that the error is "the endpoint has no model 'smal-1'; did you mean 'small-1'?".


def test_a_model_that_its_endpoint_does_not_list_is_refused_before_the_run(
    tmp_path: Path,
) -> None:
    models = {"data": [{"id": "small-1"}, {"id": "large-1"}]}
    response = http_response(200, json.dumps(models))

    def list_models(connection: socket.socket, request: bytes) -> None:
        connection.sendall(response)

    with ByteServer(list_models) as server:
        refused = run_in_process(
            "run",
            "--benchmark",
            "tests.support.phonebook",
            "--model",
            "smal-1",
            cwd=tmp_path,
            OPENAI_BASE_URL=f"{server.url}/v1",
        )

    check_error_line(
        refused,
        Unreachable.exit_code,
        "the endpoint has no model 'smal-1'; did you mean 'small-1'?; "
        "name one of its models with --model",
    )
    assert not (tmp_path / "runs").exists()


# A run prints the commands that a user may want to run next, and they run in a shell.
#
# next  controlplane replay 2026... --trial ada-0  # walks through the worst trial
#       controlplane show 2026... --all


def test_the_printed_next_commands_run_in_a_shell(tmp_path: Path) -> None:
    """The second one shows all trials, as the run has printed only 20 of 24."""
    run = play_phonebook(
        tmp_path,
        reply_on("ada", answer="12"),  # wrong: it is 17
        reply_on("grace", answer="42"),
        reply_on("edsger", answer="68"),
        options=("--repeats", "8"),
    )

    _, _, next_section = run.out.partition("\nnext ")
    commands = [line.partition("  #")[0].strip() for line in next_section.splitlines()]
    assert len(commands) == 2
    for command in commands:
        result = run_program(["sh", "-c", command], tmp_path)
        assert result.code == 0, result.err
        assert result.err == ""
        assert "ada-0" in result.out


# A run starts the trials of a benchmark, lets a model play each, and records every event in a journal.
#
# `controlplane run --benchmark tests.support.phonebook --model m` plays a phone book with three
# tasks: the numbers of ada (17), grace (42) and edsger (68). The journal is a file of JSON lines.


def test_a_run_plays_every_trial_and_prints_the_scores(tmp_path: Path) -> None:
    """The model has no reply on edsger. The harness submits a fallback, which is not a failure of
    the run."""
    run = play_phonebook(
        tmp_path,
        reply_on("ada", answer="OUTCOME_OK: 17"),  # rejected, as it names the outcome
        reply_on("ada", answer="17"),
        reply_on("grace", answer="42"),
        options=("--json",),
    )

    assert run.code == 0, run.err
    ada, grace, edsger = run.json["trials"]
    assert (ada["task_id"], ada["score"]) == ("ada", 1.0)
    assert ada["rejections"] == {"6/wording": 1}
    assert (grace["task_id"], grace["score"]) == ("grace", 1.0)
    assert (edsger["task_id"], edsger["score"]) == ("edsger", 0.0)
    assert edsger["state"] == "fallback"
    assert edsger["outcome"] == "OUTCOME_ERR_INTERNAL"
    assert run.json["score"] == pytest.approx(2 / 3)


def test_the_journal_of_a_run_has_its_events_in_order(tmp_path: Path) -> None:
    """The reader of a journal relies on its first two events and on its last one."""
    play_phonebook(tmp_path, reply_on("ada", answer="17"))

    (journal,) = tmp_path.glob("runs/*.jsonl")
    first, second, *between, last = [type(event) for event in read_events(journal)]
    assert first == RunOpened
    assert second == RunPrompts
    assert {StepDone, TrialEnded, Scored, RunSubmitted} <= set(between)
    assert last == RunClosed


# An endpoint of a model refuses a parameter, and the run learns to leave it out.
#
# With `--reply-mode=json`, a run asks for replies in JSON mode, by the parameter `response_format`.
# The endpoint here refuses that.


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


# A run that was recorded with another version of its benchmark is not resumed.
#
# A world is the data in which a trial plays. In a new version, it may have other contents, so that
# recorded steps do not fit. The run can be submitted as it is: trials without an answer score 0.


def record_started_run(folder: Path) -> Path:
    """Record a run that was killed right after its start, and return its journal."""
    run_in_process("run", "--limit", "1", "--quiet", cwd=folder)
    (journal,) = folder.glob("runs/*.jsonl")
    kept_lines = []
    for line in journal.read_text().splitlines(keepends=True):
        kept_lines.append(line)
        if '"type":"run_started"' in line:
            break
    journal.write_text("".join(kept_lines))
    return journal


@pytest.mark.parametrize(
    ("recorded_version", "reason"),
    [
        pytest.param("older", "in version 'older'", id="another version"),
        pytest.param("", "does not name", id="no version"),
    ],
)
def test_a_run_of_another_world_version_is_not_resumed_but_submitted(
    recorded_version: str,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    present_version = ecom_benchmark.WORLD_VERSION
    monkeypatch.setattr(ecom_benchmark, "WORLD_VERSION", recorded_version)
    journal = record_started_run(tmp_path)
    recorded_text = journal.read_text()

    monkeypatch.setattr(ecom_benchmark, "WORLD_VERSION", present_version)
    resumed = run_in_process("resume", "last", cwd=tmp_path)

    check_error_line(
        resumed,
        UsageError.exit_code,
        "cannot be resumed",
        reason,
        f"this is version {present_version!r}",
    )
    assert journal.read_text() == recorded_text
    assert run_in_process("submit", "last", "--force", cwd=tmp_path).code == 0


# A gateway before the model wants a header of its own, such as `X-Gate-Key: hush-hush-hush`.
#
# The variable CONTROLPLANE_MODEL_HEADERS names the header, and the variable with its secret value:
# `{"X-Gate-Key": "$GATE_KEY"}`.


def test_a_secret_header_is_sent_and_is_in_no_journal(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond) as endpoint:
        run = endpoint.command(
            *PHONEBOOK_RUN,
            "--limit=1",
            CONTROLPLANE_MODEL_HEADERS='{"X-Gate-Key": "$GATE_KEY"}',
            GATE_KEY="hush-hush-hush",
        )

    assert run.code == 0, run.err
    for request in endpoint.server.asked:
        assert request.headers["x-gate-key"] == "hush-hush-hush"
    (journal,) = tmp_path.glob("runs/*.jsonl")
    assert "hush" not in journal.read_text()


def test_a_secret_header_without_its_variable_is_a_usage_error(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond) as endpoint:
        refused = endpoint.command(
            *PHONEBOOK_RUN,
            "--limit=1",
            CONTROLPLANE_MODEL_HEADERS='{"X-Gate-Key": "$GATE_KEY"}',
        )

    check_error_line(refused, UsageError.exit_code, "set GATE_KEY in the environment")


# Ctrl-C may come at any moment.


def test_a_signal_stops_what_holds_a_lock_that_is_needed_to_stop_it() -> None:
    """As the main thread does when it begins to wait for the event that says that the run stops."""
    lock = threading.Lock()
    stopped = threading.Event()

    def stop() -> None:
        if lock.acquire(timeout=5):
            stopped.set()

    with stop_on_signals(stop):
        with lock:
            signal.raise_signal(signal.SIGINT)
        assert stopped.wait(PATIENCE_S)
