"""Model endpoints that fail during a run, limits of what a run may spend, and secret API keys.

Endpoints are down for a while, revoke a key, or hang. A run then retries, or pauses until
`controlplane resume` continues it, and no trial is lost. With `--run-cost 0.5` a run stops before
it spends more than 0.5 USD. A key is sent to its endpoint and appears nowhere else.
"""

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
    no_run_has_started,
    run_in_process,
    start_controlplane,
    wait_for_exit,
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
from tests.support.phonebook_model import USAGE, respond, respond_with_usage

KEY = "sk-canary-fedcba9876543210"
"""An API key that must not appear anywhere."""

OK = 0
A_TRIAL_FAILED = 1
"""The exit code of a run if a trial has no answer."""

# --- Runs over a phone book, with a task for each of its three persons ---

PHONEBOOK_RUN = ("run", "--benchmark", "tests.support.phonebook", "--model", "m")
"""A run of three trials, one for each task. Its model is at the address in OPENAI_BASE_URL."""
NINE_TRIALS = (*PHONEBOOK_RUN, "--repeats", "3")
"""A run of three trials for each task."""
TASKS = 3
REQUESTS_OF_TRIAL = 2
"""A model looks the number up, and then answers."""


def responding_until(request_count: int, failure: Responder) -> Responder:
    """Return a responder that plays for this number of requests, and then fails."""
    requests_so_far = 0

    def respond_or_fail(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        nonlocal requests_so_far
        requests_so_far += 1
        if requests_so_far <= request_count:
            return respond(request, connection)
        return failure(request, connection)

    return respond_or_fail


overloaded = responding_always(error_response(503, "overloaded"))
"""A responder that refuses every request, for now."""


def scores_of(result: CommandResult) -> list[float]:
    """Return the scores of a run's trials from the JSON that the command has printed."""
    return [trial["score"] for trial in result.json["trials"]]


# --- Endpoints that are down ---


def test_an_endpoint_that_is_down_for_a_while_costs_no_trial(
    tmp_path: Path, heavy: bool
) -> None:
    """The endpoint is away in the middle of the run, for longer than a trial may take. Waiting for
    an endpoint does not count as time of the trial. In the heavy form it is away for a minute."""
    away_s = 60.0 if heavy else 4.0
    trial_time_s = 3.5
    repeats = 34 if heavy else 3
    trials_at_once = 10 if heavy else 4
    requests_before_outage = 6

    with model_server(respond) as server:
        process = start_controlplane(
            *PHONEBOOK_RUN,
            "--repeats",
            str(repeats),
            "--concurrency",
            str(trials_at_once),
            "--trial-time",
            str(trial_time_s),
            "--json",
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )
        wait_until(lambda: len(server.asked) >= requests_before_outage)
        server.close()
        time.sleep(away_s)
        server.open()
        result = wait_for_exit(process)

    assert result.code == OK, result.err
    assert scores_of(result) == [1.0] * (TASKS * repeats)
    assert result.json["retries"] > 0


def hang(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Send the beginning of a reply, and then a byte every 0.1 s for more than an hour."""
    pause_s = 0.1
    byte_count = 40_000
    whole_reply = http_response(200, " " * byte_count)
    connection.sendall(whole_reply[:-byte_count])
    for _ in range(byte_count):
        time.sleep(pause_s)
        connection.sendall(b" ")  # Raises `OSError` when the client has left.
    return b""


OUT_OF_TIME = "had not answered when the trial's time was over (--trial-time)"
"""The reason of a trial whose model hangs."""


def run_with_hanging_model(folder: Path, *command: str) -> CommandResult:
    """Run a command whose trial may take 2 s while its model hangs, and return its result.

    Asserts that the command ends, although the reply does not, and that it does not ask again.
    """
    with model_server(hang) as server:
        result = run_in_process(
            *command,
            "--trial-time",
            "2",
            "--json",
            cwd=folder,
            OPENAI_BASE_URL=server.url,
        )

    assert result.code in (OK, A_TRIAL_FAILED), result.err
    assert len(server.asked) == 1
    return result


@pytest.mark.parametrize(
    "agent_options",
    [
        pytest.param((), id="default agent"),
        pytest.param(("--agent", "exoskeleton"), id="agent with tools"),
        pytest.param(
            ("--agent", "tests.controlplane.test_outage"), id="agent of another author"
        ),
    ],
)
def test_the_time_of_a_trial_bounds_a_request_of_a_run(
    tmp_path: Path, agent_options: tuple[str, ...]
) -> None:
    """The agent of another author is `AskingSolver`, which this module has below."""
    result = run_with_hanging_model(
        tmp_path, *PHONEBOOK_RUN, "--limit", "1", *agent_options
    )

    (trial,) = result.json["trials"]
    assert OUT_OF_TIME in trial["reason"]


def test_the_time_of_a_trial_bounds_a_request_of_a_question(tmp_path: Path) -> None:
    """`controlplane ask` answers a question about files, as a trial of its own."""
    (tmp_path / "a.md").write_text("Nothing.\n")

    result = run_with_hanging_model(
        tmp_path, "ask", "What is in it?", ".", "--model", "m"
    )

    assert OUT_OF_TIME in result.json["reason"]


def test_an_endpoint_that_stays_down_pauses_the_run_and_resume_finishes_it(
    run_command_here: CommandRunner,
) -> None:
    """The test resumes the run twice: while the endpoint is still down, and when it is up again."""
    requests_before_failure = 9

    with model_server(
        responding_until(requests_before_failure, failure=overloaded)
    ) as server:
        variables = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        paused = run_command_here(
            *NINE_TRIALS, "--json", "--model-patience", "1", **variables
        )
        assert paused.code == Unreachable.exit_code, paused.err
        assert "the run is paused" in paused.err
        assert "503: overloaded" in paused.err
        assert "--model-patience" in paused.err
        assert not paused.json["submitted"]
        check_open_trials(
            paused, most_finished=requests_before_failure // REQUESTS_OF_TRIAL
        )

        resumed_too_early = run_command_here("resume", "last", **variables)
        assert resumed_too_early.code == Unreachable.exit_code
        assert "503: overloaded" in resumed_too_early.err

        server.answer = respond
        resumed = run_command_here("resume", "last", "--json", **variables)

    assert resumed.code == OK, resumed.err
    assert scores_of(resumed) == [1.0] * 9
    replayed = run_command_here("replay", "last", "--verify")
    assert replayed.code == OK, replayed.err


def check_open_trials(paused: CommandResult, *, most_finished: int) -> None:
    """Assert that all but at most `most_finished` trials of a paused run can still be played."""
    trials = paused.json["trials"]
    open_trials = [trial for trial in trials if trial["state"] in ("open", "waiting")]
    assert len(open_trials) >= len(trials) - most_finished
    for trial in open_trials:
        assert trial["score"] is None
        assert not trial["outcome"]


def test_ctrl_c_while_the_endpoint_is_down_interrupts_the_run(tmp_path: Path) -> None:
    """The run ends as interrupted (130) and not as paused (3), and can be resumed."""
    served_requests = 5
    requests_before_signal = 12

    with model_server(responding_until(served_requests, overloaded)) as server:
        process = start_controlplane(
            *NINE_TRIALS, "--quiet", cwd=tmp_path, OPENAI_BASE_URL=server.url
        )
        # By then, seven requests were refused, and the run waits to make them again.
        wait_until(lambda: len(server.asked) >= requests_before_signal)
        process.send_signal(signal.SIGINT)
        interrupted = wait_for_exit(process)
        assert interrupted.code == Interrupted.exit_code, interrupted.err

        server.answer = respond
        resumed = run_in_process(
            "resume", "last", cwd=tmp_path, OPENAI_BASE_URL=server.url
        )

    assert resumed.code == OK


# --- Keys ---


def test_a_key_that_is_revoked_in_the_middle_pauses_the_run_at_once(
    run_command_here: CommandRunner,
) -> None:
    """There is no retry: each of the two trials that play at once is refused once at most."""
    served_requests = 7
    trials_at_once = 2
    revoked = responding_always(error_response(401, f"revoked: {KEY}"))

    with model_server(responding_until(served_requests, failure=revoked)) as server:
        variables = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        paused = run_command_here(
            *NINE_TRIALS, "--concurrency", str(trials_at_once), **variables
        )
        assert paused.code == Unreachable.exit_code
        assert "OPENAI_API_KEY" in paused.err
        assert len(server.asked) <= served_requests + trials_at_once

        server.answer = respond
        assert run_command_here("resume", "last", **variables).code == OK

    assert KEY not in paused.out
    assert KEY not in paused.err


def test_the_process_that_scripts_run_in_has_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Scripts of a model run in a child of the fork server, a process that starts them. Linux shows
    a process's variables and command line below `/proc`."""
    for name in ("OPENAI_API_KEY", "BITGN_API_KEY", "ANY_OTHER_SECRET"):
        monkeypatch.setenv(name, KEY)

    with ForkServer() as server:
        child = server.spawn(with_kernel=False)
        environment = Path(f"/proc/{child.pid}/environ").read_text()
        command_line = Path(f"/proc/{child.pid}/cmdline").read_text()
        child.end()

    assert "PYTHONHASHSEED" in environment + command_line  # They could be read.
    assert KEY not in environment
    assert KEY not in command_line


def refuse_with_key(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Refuse a request, and repeat the key in the refusal."""
    return error_response(401, f"no such key: {KEY}")


def reply_with_key(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Reply with the key that was sent: `no action, but Bearer sk-canary-...`.

    That is not a script, so the trial ends without an answer of the model.
    """
    sent_key = request.headers["authorization"]
    return http_response(200, completion_json(f"no action, but {sent_key}"))


@pytest.mark.parametrize(
    ("endpoint", "expected_code", "text_in_journal"),
    [
        pytest.param(refuse_with_key, Unreachable.exit_code, "401", id="in a refusal"),
        pytest.param(
            reply_with_key, OK, "no action, but Bearer [key]", id="in a reply"
        ),
    ],
)
def test_a_key_that_an_endpoint_repeats_is_not_recorded_printed_or_sent(
    endpoint: Responder,
    expected_code: int,
    text_in_journal: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """The journal has "[key]" in its place. The option `--debug` prints tracebacks, in which the key
    is not either."""
    with model_server(endpoint) as server:
        result = run_command_here(
            *NINE_TRIALS,
            "--limit",
            "1",
            "--max-steps",
            "1",
            "--model-patience",
            "0",
            "--debug",
            OPENAI_BASE_URL=server.url,
            OPENAI_API_KEY=KEY,
            BITGN_API_KEY=KEY,
        )
    (journal_file,) = tmp_path.glob("runs/*.jsonl")
    journal = journal_file.read_text()

    assert result.code == expected_code, result.err
    assert text_in_journal in journal
    assert KEY not in journal
    assert KEY not in result.out
    assert KEY not in result.err
    for request in server.asked:
        assert KEY not in json.dumps(request.body)


# --- Limits of what a run may spend ---

PRICES = ("--prices", '{"input": 1, "output": 10}')
"""In dollars per million tokens."""

REPLY_TOKENS = 1100
"""The 1000 tokens of a prompt and the 100 of a reply, as `respond_with_usage` counts them."""
REPLY_COST_USD = 0.002
"""The cost of such a reply under `PRICES`. A trial takes two replies."""

# Runs of two trials for each of the three tasks.
SIX_TRIALS = (*PHONEBOOK_RUN, "--repeats", "2", "--json")
SIX_TRIALS_IN_TURN = (*SIX_TRIALS, "--concurrency", "1")
SIX_TRIALS_FOUR_AT_ONCE = (*SIX_TRIALS, "--concurrency", "4")


def states_of(result: CommandResult) -> list[str]:
    """Return the states of a run's trials: "answered", "fallback", "open" (begun) or "waiting"."""
    return [trial["state"] for trial in result.json["trials"]]


@pytest.mark.parametrize(
    ("limit_option", "limit", "message", "remedy"),
    [
        pytest.param(
            "--run-cost",
            "0.007",  # three replies and a half
            "the run has spent $0.006, and its next reply may pass its limit of $0.007",
            "--run-cost 0.014",
            id="cost",
        ),
        pytest.param(
            "--max-tokens-run",
            "3500",  # three replies and a bit
            "the run has spent 3,300 tokens, and its next reply may pass its limit of 3,500 tokens",
            "--max-tokens-run 7000",
            id="tokens",
        ),
    ],
)
def test_a_run_stops_at_its_limit_and_goes_on_with_a_higher_one(
    tmp_path: Path, limit_option: str, limit: str, message: str, remedy: str
) -> None:
    """A trial takes two replies. Each costs $0.002 and has 1,100 tokens, so that the limit allows
    three: the second trial stops in its middle. A higher limit lets it go on from there."""
    with model_server(respond_with_usage) as server:
        stopped = run_in_process(
            *SIX_TRIALS_IN_TURN,
            *PRICES,
            limit_option,
            limit,
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )
        requests_before_stop = len(server.asked)
        resumed = run_in_process(
            "resume",
            "last",
            "--json",
            limit_option,
            "1000000",
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )

    error = stopped.json["error"]
    assert stopped.code == BudgetExhausted.exit_code, error
    assert message in error
    assert error.endswith(f" {remedy}"), error
    assert requests_before_stop == 3

    waiting = ["waiting"] * 4
    assert states_of(stopped) == ["answered", "open", *waiting]
    assert stopped.json["trials_scored"] == 1
    assert stopped.json["mean_score"] == 1.0
    _, open_trial, *_ = stopped.json["trials"]
    assert message in open_trial["reason"]

    assert states_of(resumed) == ["answered"] * 6
    assert len(server.asked) == REQUESTS_OF_TRIAL * 6  # No reply was paid for twice.
    assert resumed.json["submitted"] is True
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK


@pytest.mark.parametrize(
    ("limit_option", "limit"),
    [
        pytest.param("--run-cost", str(1.5 * REPLY_COST_USD), id="cost"),
        pytest.param("--max-tokens-run", str(REPLY_TOKENS + 400), id="tokens"),
    ],
)
def test_trials_do_not_all_ask_before_a_first_reply_shows_its_cost(
    tmp_path: Path, limit_option: str, limit: str
) -> None:
    """The limit allows one reply, but not two. Four trials want to ask at the same time, and three
    of them have to wait until it is known what the first reply cost."""
    with model_server(respond_with_usage) as server:
        stopped = run_in_process(
            *SIX_TRIALS_FOUR_AT_ONCE,
            *PRICES,
            limit_option,
            limit,
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )
        assert stopped.code == BudgetExhausted.exit_code
        assert len(server.asked) == 1

        resumed = run_in_process(
            "resume",
            "last",
            limit_option,
            "90000",
            "--json",
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )

    assert resumed.code == OK
    assert set(states_of(resumed)) == {"answered"}
    assert resumed.json["mean_score"] == 1.0


LOOK = json.dumps(
    {"state": "look", "plan": [], "done": False, "code": "print(harness.tree('/'))"}
)
"""The first reply of a model that looks at the folder's files before it answers."""


def solving_after_a_look(solution: str) -> Responder:
    """Return the responder of a model whose first script looks at the files, and whose second one
    is this solution."""
    solve = json.dumps({"state": "answer", "plan": [], "done": True, "code": solution})

    def respond_to_step(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        # A request has all earlier replies, as messages of the role "assistant".
        is_first_step = "assistant" not in json.dumps(request.body["messages"])
        reply = LOOK if is_first_step else solve
        return http_response(200, completion_json(reply, **USAGE))

    return respond_to_step


def test_a_fork_pays_only_for_the_replies_that_it_does_not_take_over(
    tmp_path: Path,
) -> None:
    """A trial of two steps looks, and solves its task. It is forked at its second step: each fork
    takes the first step over from the record, which costs nothing, and pays for the second. With a
    limit of $0.003, only one of three forks can pay."""
    library = Path("docs/examples/library").resolve()
    player = tomllib.loads(library.with_suffix(".toml").read_text())
    first_reply, *_ = player["reply"]

    with model_server(solving_after_a_look(first_reply["code"])) as server:

        def fork_three_times(run_cost: str) -> CommandResult:
            """Fork the trial three times, with this limit in dollars."""
            return run_in_process(
                "fork",
                "parent",
                "--trial",
                "overdue",
                "--step",
                "2",
                "--repeats",
                "3",
                "--run-cost",
                run_cost,
                "--json",
                cwd=tmp_path,
                OPENAI_BASE_URL=server.url,
            )

        run_in_process(
            "run",
            "overdue-loans",
            "--benchmark",
            f"folder:{library}",
            "--model",
            "m",
            "--name",
            "parent",
            *PRICES,
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )
        finished = fork_three_times(run_cost="1")
        stopped = fork_three_times(run_cost="0.003")

    assert finished.code == OK
    assert finished.json["mean_score"] == 1.0
    assert finished.json["cost_usd"] == pytest.approx(3 * REPLY_COST_USD)
    assert stopped.code == BudgetExhausted.exit_code
    assert stopped.json["cost_usd"] == pytest.approx(REPLY_COST_USD)


def test_a_trial_has_a_limit_of_its_own(tmp_path: Path) -> None:
    """No trial can be finished for the cost of one reply and a half. Each gets a fallback, an
    answer of the harness, and the run goes on to its end."""
    with model_server(respond_with_usage) as server:
        result = run_in_process(
            *SIX_TRIALS_IN_TURN,
            *PRICES,
            "--trial-cost",
            str(1.5 * REPLY_COST_USD),
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )

    assert set(states_of(result)) == {"fallback"}
    assert result.code == BudgetExhausted.exit_code
    assert "--trial-cost" in result.json["trials"][0]["reason"]
    assert result.json["submitted"] is True


def test_the_cost_of_a_model_without_known_prices_is_null(tmp_path: Path) -> None:
    """An unknown cost is null in the JSON, and not 0."""
    with model_server(respond_with_usage) as server:
        run = run_in_process(
            *SIX_TRIALS_IN_TURN, cwd=tmp_path, OPENAI_BASE_URL=server.url
        )

    assert run.code == OK
    assert run.json["cost_usd"] is None
    assert run.json["cost_per_trial_usd"] is None
    assert run.json["trials"][0]["cost_usd"] is None


def test_the_cost_of_a_model_without_known_prices_cannot_be_limited(
    tmp_path: Path,
) -> None:
    """The run is refused before it begins."""
    with model_server(respond_with_usage) as server:
        refused = run_in_process(
            *SIX_TRIALS_IN_TURN,
            "--run-cost",
            "5",
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )

    check_error_line(
        refused,
        UsageError.exit_code,
        "--run-cost: the price of m is unknown, so the limit cannot be kept; give the model's",
    )
    assert not server.asked
    assert no_run_has_started(tmp_path)


# --- Agents of other authors ---
#
# A user may write an agent (a solver). It asks the model by `session.ask`, which records the reply
# and counts its cost.


class AskingSolver:
    """A solver that asks the model five times, and gives up at the first failure.

    The product calls `solve` once for each trial.
    """

    def __init__(self, tools: SolverTools) -> None:
        self._model = tools.model

    def solve(self, session: TrialSession) -> str:
        assert self._model is not None
        message = Message(role="user", content=session.instruction)
        try:
            for _ in range(5):
                session.ask(self._model.reply_to, ModelRequest([message]))
        except ModelError as error:
            return f"no model: {error}"
        return "nothing found"


SOLVER = SolverSpec(AskingSolver)
"""The name under which `--agent tests.controlplane.test_outage` finds the solver."""


SOLVER_BESIDE_SESSION = """\
from controlplane.agent.model import Message, ModelRequest
from controlplane.solver import SolverSpec


class Solver:
    def __init__(self, tools):
        self.model = tools.model

    def solve(self, session):
        messages = [Message(role='user', content='?')]
        for _ in range(5):
            self.model.complete(messages, 'solve')  # not allowed


SOLVER = SolverSpec(Solver)
"""
"""Asks the model directly, so that the replies would not be counted."""

SOLVER_THAT_ASKS_FIVE_TIMES_FOR_ONE = """\
from controlplane.agent.model import Message, ModelRequest
from controlplane.solver import SolverSpec


class Solver:
    def __init__(self, tools):
        self.model = tools.model

    def ask_five_times(self, request):
        replies = []
        for _ in range(5):
            replies.append(self.model.reply_to(request))  # not allowed
        return replies[0]

    def solve(self, session):
        messages = [Message(role='user', content='?')]
        session.ask(self.ask_five_times, ModelRequest(messages))


SOLVER = SolverSpec(Solver)
"""
"""Asks by its session, but sends five requests for the one that is counted."""


@pytest.mark.parametrize(
    ("source", "requests_of_trial"),
    [
        pytest.param(SOLVER_BESIDE_SESSION, 0, id="asks without its session"),
        pytest.param(
            SOLVER_THAT_ASKS_FIVE_TIMES_FOR_ONE,
            1,
            id="asks five times within one call of session.ask",
        ),
    ],
)
def test_a_solver_cannot_ask_the_model_uncounted(
    source: str, requests_of_trial: int, tmp_path: Path
) -> None:
    """The first request that is not counted ends the trial, and the error names its line: the one
    that ends with "# not allowed"."""
    (tmp_path / "uncounted_solver.py").write_text(source)
    sys.modules.pop("uncounted_solver", None)  # the module of the other case
    lines = source.splitlines()
    (forbidden_line,) = [line for line in lines if line.endswith("# not allowed")]
    line_number = lines.index(forbidden_line) + 1
    trial_count = 2  # one task, as `--limit` says, with two repeats

    with model_server(respond_with_usage) as server:
        result = run_in_process(
            *SIX_TRIALS_IN_TURN,
            "--limit",
            "1",
            *PRICES,
            "--run-cost",
            "1",
            "--agent",
            "uncounted_solver",
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )

    assert result.code == A_TRIAL_FAILED
    assert len(server.asked) == trial_count * requests_of_trial
    assert (
        "session.ask(...), which counts and records it "
        f"(uncounted_solver.py, line {line_number})"
    ) in result.out
