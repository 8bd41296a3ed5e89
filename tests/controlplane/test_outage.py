"""A model endpoint that fails during a run; keys,
which appear nowhere; and a run that may spend no more."""

import json
import signal
import socket
import sys
import time
import tomllib
from pathlib import Path

import pytest

from controlplane.agent.loop import TrialSession
from controlplane.agent.model import Message, ModelError, ModelRequest
from controlplane.errors import BudgetExhausted, Interrupted, Unreachable, UsageError
from controlplane.sandbox import ForkServer
from controlplane.solver import SolverSpec, SolverTools
from tests.support.command import (
    CommandResult,
    CommandRunner,
    check_error_line,
    run_in_process,
    start_controlplane,
    wait_until,
)
from tests.support.endpoints import (
    ModelHttpRequest,
    Responder,
    completion_json,
    error_response,
    http_response,
    model_server,
    responding_always,
)

KEY = "sk-canary-fedcba9876543210"
NUMBERS = {"ada": "17", "grace": "42", "edsger": "68"}
BENCHMARK = ("--benchmark", "tests.support.phonebook", "--model", "m", "--repeats", "3")


def action(asked: ModelHttpRequest) -> str:
    """Play the phone book: look up in the first turn, answer in the second."""
    messages = asked.body["messages"]
    assert isinstance(messages, list)
    turn = sum(message["role"] == "assistant" for message in messages)
    name = next(
        (number for number in NUMBERS if f"number of {number}" in str(messages)), "ada"
    )
    code = f"""
number = harness.lookup({name!r}).number
scratchpad["answer"], scratchpad["outcome"] = number, "OUTCOME_OK"
if {turn}:
    harness.answer(scratchpad, lambda sp: sp["answer"] == number)
"""
    return json.dumps({"state": "s", "plan": [], "done": False, "code": code})


def playing(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
    time.sleep(0.02)
    return http_response(200, completion_json(action(asked)))


def failing_after(requests: int, failure: Responder) -> Responder:
    """Play for so many requests, then fail."""
    counted = iter(range(1_000_000))

    def answer(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        return (playing if next(counted) < requests else failure)(asked, connection)

    return answer


def scores(result: CommandResult) -> list[float]:
    return [trial["score"] for trial in result.json["trials"]]


def test_an_endpoint_that_is_down_for_a_while_costs_no_trial(
    tmp_path: Path, heavy: bool
) -> None:
    away_s, repeats = (60.0, 34) if heavy else (4.0, 3)
    with model_server(playing) as server:
        process = start_controlplane(
            *(
                "run",
                *BENCHMARK[:4],
                "--repeats",
                str(repeats),
                "--json",
                "--concurrency",
                "10" if heavy else "4",
            ),
            *("--trial-time", "3.5"),
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )
        with process:
            wait_until(lambda: len(server.asked) >= 6)
            server.close()
            time.sleep(away_s)
            server.open()
            out, err = process.communicate(timeout=120)
    result = CommandResult(process.returncode, out, err)

    assert result.code == 0, err
    assert scores(result) == [1.0] * 3 * repeats
    assert result.json["retries"] > 0


def hanging(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Send the beginning of a reply, then one byte a while."""
    connection.sendall(http_response(200, " " * 10_000)[:-9_000])
    for _ in range(200):
        time.sleep(0.1)
        connection.sendall(b" ")
    return b""


@pytest.mark.parametrize(
    "words",
    [
        ("run", *BENCHMARK[:4], "--limit", "1"),
        ("run", *BENCHMARK[:4], "--limit", "1", "--agent", "exoskeleton"),
        (
            "run",
            *BENCHMARK[:4],
            "--limit",
            "1",
            "--agent",
            "tests.controlplane.test_outage",
        ),
        ("ask", "What is in it?", ".", "--model", "m"),
    ],
)
def test_the_time_of_a_trial_bounds_a_request_that_hangs(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "a.md").write_text("Nothing.\n")
    options = ("--trial-time", "2", "--json")
    began = time.monotonic()
    with model_server(hanging) as server:
        result = run_in_process(
            *words, *options, cwd=tmp_path, OPENAI_BASE_URL=server.url
        )

    # The whole reply of `hanging` takes 20 seconds.
    assert time.monotonic() - began < 10
    assert result.code in (0, 1), result.err
    if words[0] == "run":
        (trial,) = result.json["trials"]
        reason = trial["reason"]
    else:
        reason = result.json["reason"]
    assert "had not answered when the trial's time was over (--trial-time)" in reason
    assert len(server.asked) == 1


def test_an_endpoint_that_stays_down_pauses_the_run_and_resume_finishes_it(
    run_command_here: CommandRunner,
) -> None:
    """Run until the endpoint fails, resume in vain, and resume when it is up again."""
    down = responding_always(error_response(503, "overloaded"))
    with model_server(failing_after(9, down)) as server:
        keys = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        paused = run_command_here(
            "run", *BENCHMARK, "--json", "--model-patience", "1", **keys
        )
        assert paused.code == Unreachable.exit_code, paused.err
        assert "the run is paused" in paused.err
        assert "503: overloaded" in paused.err
        assert "--model-patience" in paused.err
        assert not paused.json["submitted"]
        open_trials = [
            trial
            for trial in paused.json["trials"]
            if trial["state"] in ("open", "waiting")
        ]
        # A trial takes two requests, so that nine finish at most four of the nine trials.
        assert len(open_trials) >= 5
        for trial in open_trials:
            assert trial["score"] is None
            assert not trial["outcome"]

        resumed_in_vain = run_command_here("resume", "last", **keys)
        assert resumed_in_vain.code == Unreachable.exit_code
        assert "503: overloaded" in resumed_in_vain.err

        server.answer = playing
        resumed = run_command_here("resume", "last", "--json", **keys)

    assert resumed.code == 0, resumed.err
    assert scores(resumed) == [1.0] * 9
    replayed = run_command_here("replay", "last", "--verify")
    assert replayed.code == 0, replayed.err


def test_a_key_press_while_the_endpoint_is_down_interrupts_the_run_and_is_no_pause(
    tmp_path: Path,
) -> None:
    down = responding_always(error_response(503, "overloaded"))
    with model_server(failing_after(5, down)) as server:
        url = server.url
        run = ("run", *BENCHMARK, "--quiet")
        with start_controlplane(*run, cwd=tmp_path, OPENAI_BASE_URL=url) as process:
            wait_until(lambda: len(server.asked) >= 12)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
        assert process.returncode == Interrupted.exit_code, err

        server.answer = playing
        resumed = run_in_process("resume", "last", cwd=tmp_path, OPENAI_BASE_URL=url)
        assert resumed.code == 0


def test_a_key_that_is_revoked_in_the_middle_pauses_the_run_at_once(
    run_command_here: CommandRunner,
) -> None:
    served_requests = 7
    trials_side_by_side = 2
    revoked = responding_always(error_response(401, f"revoked: {KEY}"))
    run = ("run", *BENCHMARK, "--concurrency", str(trials_side_by_side))
    with model_server(failing_after(served_requests, revoked)) as server:
        keys = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        paused = run_command_here(*run, **keys)
        assert paused.code == Unreachable.exit_code
        assert "OPENAI_API_KEY" in paused.err
        # Each trial that plays is refused once at most.
        assert len(server.asked) <= served_requests + trials_side_by_side

        server.answer = playing
        assert run_command_here("resume", "last", **keys).code == 0

    assert KEY not in paused.out + paused.err


def test_the_process_that_scripts_run_in_has_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "BITGN_API_KEY", "ANY_OTHER_SECRET"):
        monkeypatch.setenv(name, KEY)
    with ForkServer() as server:
        child = server.spawn(with_kernel=False)
        seen = (
            Path(f"/proc/{child.pid}/environ").read_text()
            + Path(f"/proc/{child.pid}/cmdline").read_text()
        )
        child.end()

    assert "PYTHONHASHSEED" in seen
    assert KEY not in seen


def newest_journal(folder: Path) -> str:
    """Return the text of the folder's newest journal."""
    journals = folder.glob("runs/*.jsonl")
    newest = max(journals, key=lambda journal: journal.stat().st_mtime_ns)
    return newest.read_text()


def test_a_key_is_in_no_journal_no_output_no_traceback_and_no_prompt_whatever_fails(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """An endpoint repeats the key that it is sent: first in a refusal, then in a reply."""

    def reply_with_key(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        sent_key = asked.headers["authorization"]
        return http_response(200, completion_json(f"no action, but {sent_key}"))

    keys = {"OPENAI_API_KEY": KEY, "BITGN_API_KEY": KEY}
    flags = ("--limit", "1", "--max-steps", "1", "--model-patience", "0", "--debug")
    run = ("run", *BENCHMARK, *flags)
    with model_server(error_response(401, f"no such key: {KEY}")) as server:
        refused = run_command_here(*run, OPENAI_BASE_URL=server.url, **keys)
        assert refused.code == Unreachable.exit_code
        journals_of_refused = [
            path.read_text() for path in tmp_path.glob("runs/*.jsonl")
        ]
        server.answer = reply_with_key
        replied = run_command_here(*run, **keys)
        assert replied.code == 0, replied.err
    journal_of_replied = newest_journal(tmp_path)

    assert "no action, but Bearer [key]" in journal_of_replied
    for journal in (*journals_of_refused, journal_of_replied):
        assert KEY not in journal
    for result in (refused, replied):
        assert KEY not in result.out
        assert KEY not in result.err
    for request in server.asked:
        assert KEY not in json.dumps(request.body)


USAGE: dict[str, object] = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 250},
}
PRICES = ("--prices", '{"input": 1, "output": 10}')
"""In dollars per million tokens. With these a reply costs $0.002, and a trial two replies."""
RUN = ("run", "--benchmark", "tests.support.phonebook", "--model", "m", "--json")
SIX_TRIALS_IN_TURN = (*RUN, "--repeats", "2", "--concurrency", "1")
SIX_TRIALS_SIDE_BY_SIDE = (*RUN, "--repeats", "2", "--concurrency", "4")


def reply_with_usage(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
    return http_response(200, completion_json(action(asked), **USAGE))


def states(result: CommandResult) -> list[str]:
    return [trial["state"] for trial in result.json["trials"]]


@pytest.mark.parametrize(
    ("options", "message", "remedy"),
    [
        (
            (*PRICES, "--run-cost", "0.007"),
            "the run has spent $0.006, and its next reply may pass its limit of $0.007",
            "--run-cost 0.014",
        ),
        (
            ("--max-tokens-run", "3500"),
            "the run has spent 3,300 tokens, and its next reply may pass its limit of 3,500 tokens",
            "--max-tokens-run 7000",
        ),
    ],
)
def test_at_its_limit_a_run_stops_and_a_higher_one_lets_it_go_on(
    tmp_path: Path, options: tuple[str, ...], message: str, remedy: str
) -> None:
    """The limit lets three replies pass: two of the first trial, and one of the second."""
    limit_option = options[-2]
    with model_server(reply_with_usage) as server:
        url = server.url
        stopped = run_in_process(
            *SIX_TRIALS_IN_TURN, *options, cwd=tmp_path, OPENAI_BASE_URL=url
        )
        requests_before_the_stop = len(server.asked)
        resume = ("resume", "last", "--json", limit_option, "1000000")
        resumed = run_in_process(*resume, cwd=tmp_path, OPENAI_BASE_URL=url)

    error = stopped.json["error"]
    assert stopped.code == BudgetExhausted.exit_code, error
    assert message in error
    assert error.endswith(f" {remedy}"), error
    assert requests_before_the_stop == 3
    assert states(stopped) == ["answered", "open"] + ["waiting"] * 4
    assert stopped.json["trials_scored"] == 1
    assert stopped.json["mean_score"] == 1.0
    assert message in stopped.json["trials"][1]["reason"]
    # The trial that was cut off goes on at its second step.
    assert states(resumed) == ["answered"] * 6
    assert len(server.asked) == 2 * 6
    assert resumed.json["submitted"] is True
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    ("limit_option", "limit"), [("--run-cost", "0.003"), ("--max-tokens-run", "1500")]
)
def test_trials_side_by_side_do_not_all_ask_before_one_reply_shows_its_cost(
    tmp_path: Path, limit_option: str, limit: str
) -> None:
    """The limit lets one reply pass, although four trials want to ask."""
    run = (*SIX_TRIALS_SIDE_BY_SIDE, *PRICES, limit_option, limit)
    resume = ("resume", "last", limit_option, "90000", "--json")
    with model_server(reply_with_usage) as server:
        stopped = run_in_process(*run, cwd=tmp_path, OPENAI_BASE_URL=server.url)
        assert stopped.code == BudgetExhausted.exit_code
        assert len(server.asked) == 1

        resumed = run_in_process(*resume, cwd=tmp_path, OPENAI_BASE_URL=server.url)

    assert resumed.code == 0
    assert set(states(resumed)) == {"answered"}
    assert resumed.json["mean_score"] == 1.0


LOOK = json.dumps(
    {"state": "look", "plan": [], "done": False, "code": "print(harness.tree('/'))"}
)


def test_a_fork_is_kept_to_a_cost_limit_although_the_replies_that_it_keeps_cost_nothing(
    tmp_path: Path,
) -> None:
    """A trial looks, and solves its task; fork it three times at its second step."""
    library = Path("docs/examples/library").resolve()
    player = tomllib.loads(library.with_suffix(".toml").read_text())
    solution = player["reply"][0]["code"]
    solve = json.dumps({"state": "answer", "plan": [], "done": True, "code": solution})

    def look_then_solve(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        has_looked = "assistant" in json.dumps(asked.body["messages"])
        return http_response(
            200, completion_json(solve if has_looked else LOOK, **USAGE)
        )

    task = ("overdue-loans", "--benchmark", f"folder:{library}")
    run = ("run", *task, "--model", "m", "--name", "parent", *PRICES)
    place = ("--trial", "overdue", "--step", "2")
    fork = ("fork", "parent", *place, "--repeats", "3", "--json", "--run-cost")
    with model_server(look_then_solve) as server:
        url = server.url
        run_in_process(*run, cwd=tmp_path, OPENAI_BASE_URL=url)
        whole = run_in_process(*fork, "1", cwd=tmp_path, OPENAI_BASE_URL=url)
        stopped = run_in_process(*fork, "0.003", cwd=tmp_path, OPENAI_BASE_URL=url)

    reply_cost_usd = 0.002
    assert whole.code == 0
    assert whole.json["mean_score"] == 1.0
    assert whole.json["cost_usd"] == pytest.approx(3 * reply_cost_usd)
    assert stopped.code == BudgetExhausted.exit_code
    assert stopped.json["cost_usd"] == pytest.approx(reply_cost_usd)


class AskingSolver:
    """A solver of another author: asks until it is told
    to stop, and takes every failure for one of the model."""

    def __init__(self, tools: SolverTools) -> None:
        self._model = tools.model

    def solve(self, session: TrialSession) -> str:
        model = self._model
        assert model is not None
        message = Message(role="user", content=session.instruction)
        try:
            for _ in range(5):
                session.ask(model.reply_to, ModelRequest([message]))
        except ModelError as error:
            return f"no model: {error}"
        return "nothing found"


SOLVER = SolverSpec(AskingSolver)


SOLVER_THAT_PASSES_ITS_SESSION = """\
from controlplane.agent.model import Message, ModelRequest
from controlplane.solver import SolverSpec


class Passing:
    def __init__(self, tools):
        self.tools = tools

    def solve(self, session):
        tools, said = self.tools, [Message(role='user', content='?')]
        ASK_FIVE_TIMES


SOLVER = SolverSpec(Passing)
"""


@pytest.mark.parametrize(
    ("ask_five_times", "replies_per_trial"),
    [
        ("[tools.model.complete(said, 'solve') for _ in range(5)]", 0),
        (
            "session.ask(lambda asked: [tools.model.reply_to(asked) for _ in range(5)][0], ModelRequest(said))",
            1,
        ),
    ],
)
def test_a_solver_cannot_ask_past_its_session_which_counts_what_is_paid(
    ask_five_times: str, replies_per_trial: int, tmp_path: Path
) -> None:
    """The solver asks beside `session.ask`, or more than once within one call of it."""
    source = SOLVER_THAT_PASSES_ITS_SESSION.replace("ASK_FIVE_TIMES", ask_five_times)
    (tmp_path / "passing_solver.py").write_text(source)
    sys.modules.pop("passing_solver", None)
    options = ("--agent", "passing_solver", "--limit", "1", "--run-cost", "1")
    with model_server(reply_with_usage) as server:
        result = run_in_process(
            *(*SIX_TRIALS_IN_TURN, *PRICES, *options),
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )

    assert result.code == 1
    trials = 2  # One task, twice.
    assert len(server.asked) == trials * replies_per_trial
    line = source[: source.index(ask_five_times)].count("\n") + 1
    assert (
        f"session.ask(...), which counts and records it (passing_solver.py, line {line})"
        in result.out
    )


def test_a_trial_has_a_limit_of_its_own(tmp_path: Path) -> None:
    run = (*SIX_TRIALS_IN_TURN, *PRICES, "--trial-cost", "0.003")
    with model_server(reply_with_usage) as server:
        result = run_in_process(*run, cwd=tmp_path, OPENAI_BASE_URL=server.url)

    assert set(states(result)) == {"fallback"}
    assert result.code == BudgetExhausted.exit_code
    assert "--trial-cost" in result.json["trials"][0]["reason"]
    assert result.json["submitted"] is True


def test_the_cost_of_a_model_without_known_prices_is_null(tmp_path: Path) -> None:
    with model_server(reply_with_usage) as server:
        run = run_in_process(
            *SIX_TRIALS_IN_TURN, cwd=tmp_path, OPENAI_BASE_URL=server.url
        )

    assert run.code == 0
    assert run.json["cost_usd"] is None
    assert run.json["cost_per_trial_usd"] is None
    assert run.json["trials"][0]["cost_usd"] is None


def test_the_cost_of_a_model_without_known_prices_cannot_be_limited(
    tmp_path: Path,
) -> None:
    run = (*SIX_TRIALS_IN_TURN, "--run-cost", "5")
    with model_server(reply_with_usage) as server:
        refused = run_in_process(*run, cwd=tmp_path, OPENAI_BASE_URL=server.url)

    check_error_line(
        refused,
        UsageError.exit_code,
        "--run-cost: the price of m is unknown, so the limit cannot be kept; give the model's",
    )
    assert not server.asked
    assert not list(tmp_path.glob("runs/*.jsonl"))
