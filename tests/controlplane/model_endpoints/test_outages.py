"""What a run does when its model fails or costs too much, and where its API key goes.

A short outage costs no trial. A long one, or a revoked key, pauses the run, and `resume` goes on.
Limits of costs and time hold for runs, trials, questions and forks, and no reply is paid twice. The
key goes to its endpoint alone. A user's agent cannot ask past the record and the limits.
"""

import json
import signal
import socket
import time
from pathlib import Path

import pytest

from controlplane.errors import BudgetExhausted, Interrupted, Unreachable, UsageError
from controlplane.sandbox import ForkServer
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    PhonebookEndpoint,
    phonebook_endpoint,
)
from tests.support.command import (
    CommandResult,
    check_error_line,
    no_run_has_started,
    run_in_process,
    wait_for_exit,
    wait_until,
)
from tests.support.phonebook_model import (
    ModelHttpRequest,
    Responder,
    completion_json,
    error_response,
    http_response,
    respond,
    respond_with_usage,
    responding_always,
)

# Endpoints that play the phone book for a while, and then fail.
#
#     phonebook_endpoint(folder, responding_until(9, failure=overloaded))
#
# serves nine requests, and refuses all others: 503 "overloaded".


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


# A run of six trials, whose model has 1,100 tokens and costs $0.002 a reply.
#
#     play_six_trials(endpoint, "--run-cost", "0.007")
#
# A trial takes two replies, so that it has 2,200 tokens and costs $0.004.


def play_six_trials(endpoint: PhonebookEndpoint, *options: str) -> CommandResult:
    """Play each of the three tasks twice. The model costs $1 and $10 per million tokens."""
    prices = '{"input": 1, "output": 10}'  # 1000 x $1 + 100 x $10 per million: $0.002
    return endpoint.command(
        *PHONEBOOK_RUN, "--repeats", "2", "--prices", prices, "--json", *options
    )


# Scores and states of the trials of a run, from the JSON that it has printed.
#
# For example:
#
#     scores_of(result)    ->    [1.0, 1.0, 0.0]
#     states_of(result)    ->    ["answered", "open", "waiting"]


def scores_of(result: CommandResult) -> list[float]:
    """Return the scores of a run's trials from the JSON that the command has printed."""
    return [trial["score"] for trial in result.json["trials"]]


def states_of(result: CommandResult) -> list[str]:
    """Return the states of a run's trials: "answered", "fallback", "open" (begun) or "waiting"."""
    return [trial["state"] for trial in result.json["trials"]]


# The user's API key goes to its endpoint, and appears nowhere else, even if the endpoint repeats it.
#
# It is not printed, recorded in a journal, or sent in a prompt: the journal has it as "[key]". The option
# `--debug` prints tracebacks, which do not show the key either.

KEY = "sk-canary-fedcba9876543210"
"""The user's key for the endpoint."""

SHORT_RUN = (
    *PHONEBOOK_RUN,
    "--limit=1",
    "--repeats=3",
    "--max-steps=1",
    "--model-patience=0",
    "--debug",
)


def test_a_key_in_a_refusal_is_not_recorded_or_printed(tmp_path: Path) -> None:
    refusal = responding_always(error_response(401, f"no such key: {KEY}"))

    with phonebook_endpoint(tmp_path, refusal) as endpoint:
        result = endpoint.command(*SHORT_RUN, OPENAI_API_KEY=KEY, BITGN_API_KEY=KEY)
    (journal_file,) = tmp_path.glob("runs/*.jsonl")
    journal = journal_file.read_text()

    assert result.code == Unreachable.exit_code, result.err
    assert "401" in journal
    assert KEY not in journal
    assert KEY not in result.out
    assert KEY not in result.err
    for request in endpoint.server.asked:
        assert KEY not in json.dumps(request.body)


def test_a_key_in_a_reply_is_not_recorded_printed_or_sent_back(tmp_path: Path) -> None:
    """The reply is not a script, so the trial ends without an answer of the model."""

    def reply_with_key(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        sent_key = request.headers["authorization"]  # "Bearer sk-canary-..."
        return http_response(200, completion_json(f"no action, but {sent_key}"))

    with phonebook_endpoint(tmp_path, reply_with_key) as endpoint:
        result = endpoint.command(*SHORT_RUN, OPENAI_API_KEY=KEY, BITGN_API_KEY=KEY)
    (journal_file,) = tmp_path.glob("runs/*.jsonl")
    journal = journal_file.read_text()

    assert result.code == 0, result.err
    assert "no action, but Bearer [key]" in journal
    assert KEY not in journal
    assert KEY not in result.out
    assert KEY not in result.err
    for request in endpoint.server.asked:
        assert KEY not in json.dumps(request.body)


# An API key that is revoked in the middle of a run pauses the run at once.
#
# A refusal of the key, 401, is not made again, since it would be refused for ever. The message names the
# variable OPENAI_API_KEY, and does not show the key.


def test_a_key_that_is_revoked_in_the_middle_pauses_the_run_at_once(
    tmp_path: Path,
) -> None:
    """Two of nine trials play at once. The endpoint serves seven requests, and refuses the key from
    then on. There is no retry: each of the two trials is refused once at most."""
    key = "sk-canary-fedcba9876543210"
    revoked = responding_always(error_response(401, f"revoked: {key}"))

    with phonebook_endpoint(tmp_path, responding_until(7, failure=revoked)) as endpoint:
        paused = endpoint.command(
            *PHONEBOOK_RUN, "--repeats=3", "--concurrency=2", OPENAI_API_KEY=key
        )
        requests_before_pause = len(endpoint.server.asked)
        endpoint.recover()
        resumed = endpoint.command("resume", "last", OPENAI_API_KEY=key)

    assert paused.code == Unreachable.exit_code
    assert requests_before_pause <= 7 + 2
    assert "OPENAI_API_KEY" in paused.err
    assert key not in paused.out
    assert key not in paused.err
    assert resumed.code == 0


# A model whose reply would take more than an hour is given up when the time of the trial is over.
#
# The endpoint sends a byte every 0.1 s. The trial may take 2 s (`--trial-time`), and ends then, without
# another request.


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


@pytest.mark.parametrize(
    "agent_options",
    [
        pytest.param([], id="default agent"),
        pytest.param(["--agent", "exoskeleton"], id="agent with tools"),
        pytest.param(
            ["--agent", "tests.controlplane.model_endpoints.asking_solver"],
            id="agent of a user, which asks the model by itself",
        ),
    ],
)
def test_the_time_of_a_trial_bounds_a_request_of_a_run(
    tmp_path: Path, agent_options: list[str]
) -> None:
    play = [*PHONEBOOK_RUN, "--limit", "1", "--trial-time", "2", "--json"]
    with phonebook_endpoint(tmp_path, hang) as endpoint:
        run = endpoint.command(*play, *agent_options)

    assert run.code in (0, 1), run.err
    assert len(endpoint.server.asked) == 1
    (trial,) = run.json["trials"]
    assert ("had not answered when the trial's time was over (--trial-time)") in trial[
        "reason"
    ]


def test_the_time_of_a_trial_bounds_a_request_of_a_question(tmp_path: Path) -> None:
    """`controlplane ask` answers a question about files, as a trial of its own."""
    (tmp_path / "a.md").write_text("Nothing.\n")
    ask = ["ask", "What is in it?", ".", "--model", "m", "--trial-time", "2"]

    with phonebook_endpoint(tmp_path, hang) as endpoint:
        asked = endpoint.command(*ask, "--json")

    assert asked.code in (0, 1), asked.err
    assert len(endpoint.server.asked) == 1
    assert (
        "had not answered when the trial's time was over (--trial-time)"
    ) in asked.json["reason"]


# Ctrl-C while the model's endpoint is down interrupts a run, which can be resumed.
#
# The run waits to make refused requests again. It ends as interrupted, and not as paused.


def test_ctrl_c_while_the_endpoint_is_down_interrupts_the_run(tmp_path: Path) -> None:
    with phonebook_endpoint(
        tmp_path, responding_until(5, failure=overloaded)
    ) as endpoint:
        process = endpoint.start_command(*PHONEBOOK_RUN, "--repeats", "3")
        # After 12 requests, 7 were refused, and the run waits to make them again.
        wait_until(lambda: len(endpoint.server.asked) >= 12)
        process.send_signal(signal.SIGINT)
        interrupted = wait_for_exit(process)
        assert interrupted.code == Interrupted.exit_code, interrupted.err

        endpoint.recover()
        resumed = endpoint.command("resume", "last")

    assert resumed.code == 0


# A model endpoint that stays down pauses a run, and `resume` continues it.
#
# A run makes a refused request again for as long as `--model-patience` says. Then it pauses, so that no
# trial is lost. Here the endpoint serves some requests of nine trials, and then refuses all: "503:
# overloaded". A trial makes two requests.


def test_an_endpoint_that_stays_down_pauses_the_run(tmp_path: Path) -> None:
    """It serves nine requests, so that at most four trials can be finished. The run asks again
    for a second (`--model-patience 1`), and pauses, so that the others can still be played."""
    with phonebook_endpoint(
        tmp_path, responding_until(9, failure=overloaded)
    ) as endpoint:
        paused = endpoint.command(
            *PHONEBOOK_RUN, "--repeats", "3", "--json", "--model-patience", "1"
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
    assert len(open_trials) >= 5
    for trial in open_trials:
        assert trial["score"] is None
        assert not trial["outcome"]


def test_a_paused_run_is_finished_by_resume_once_the_endpoint_is_up(
    tmp_path: Path,
) -> None:
    with phonebook_endpoint(
        tmp_path, responding_until(9, failure=overloaded)
    ) as endpoint:
        endpoint.command(*PHONEBOOK_RUN, "--repeats", "3", "--model-patience", "1")

        resumed_too_early = endpoint.command("resume", "last")
        assert resumed_too_early.code == Unreachable.exit_code
        assert "503: overloaded" in resumed_too_early.err

        endpoint.recover()
        resumed = endpoint.command("resume", "last", "--json")

    assert resumed.code == 0, resumed.err
    assert scores_of(resumed) == [1.0] * 9
    replayed = run_in_process("replay", "last", "--verify", cwd=tmp_path)
    assert replayed.code == 0, replayed.err


# A model endpoint that is down for a while costs a run no trial.
#
# The run makes a refused request again. Waiting for the endpoint does not count as time of the trial.


def test_an_endpoint_that_is_down_for_a_while_costs_no_trial(
    tmp_path: Path, heavy: bool
) -> None:
    """The endpoint goes away in the middle of the first trials, for longer than a trial may take,
    and comes back. Waiting for it does not count as time of the trial."""
    away_s = 60.0 if heavy else 4.0
    repeats = 34 if heavy else 3
    trials_at_once = 10 if heavy else 4

    with phonebook_endpoint(tmp_path, respond) as endpoint:
        process = endpoint.start_command(
            *PHONEBOOK_RUN,
            "--repeats",
            str(repeats),
            "--concurrency",
            str(trials_at_once),
            "--trial-time",
            "3.5",
            "--json",
        )
        wait_until(lambda: len(endpoint.server.asked) >= 6)
        endpoint.server.close()
        time.sleep(away_s)
        endpoint.server.open()
        result = wait_for_exit(process)

    assert result.code == 0, result.err
    assert scores_of(result) == [1.0] * (3 * repeats)  # each of three tasks
    assert result.json["retries"] > 0


# Trials do not all ask the model before a first reply shows what it costs.
#
# A reply has 1,100 tokens and costs $0.002, which is known only when it is there. The limit of the
# run is about one reply and a half: after the first reply, the rest is too little for a second one.


@pytest.mark.parametrize(
    ("option", "limit"),
    [
        pytest.param("--run-cost", "0.003", id="cost"),
        pytest.param("--run-tokens", "1500", id="tokens"),
    ],
)
def test_trials_do_not_all_ask_before_a_first_reply_shows_its_cost(
    tmp_path: Path, option: str, limit: str
) -> None:
    """Four trials want to ask at the same time. One does, and the others never come to it."""
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        stopped = play_six_trials(endpoint, "--concurrency", "4", option, limit)
        assert stopped.code == BudgetExhausted.exit_code
        assert len(endpoint.server.asked) == 1

        resumed = endpoint.command("resume", "last", "--json", option, "90000")

    assert resumed.code == 0
    assert states_of(resumed) == ["answered"] * 6
    assert resumed.json["mean_score"] == 1.0


# A run that has stopped at its limit goes on with a higher one, and pays for no reply twice.
#
#     run --run-cost 0.007    ->    resume last --run-cost 1000000
#
# A reply costs $0.002 and has 1,100 tokens, and a trial takes two replies. Six trials are played in
# turn. The limit allows three replies, so that the run stops in the middle of its second trial.


@pytest.mark.parametrize(
    ("option", "limit"),
    [
        pytest.param("--run-cost", "0.007", id="cost"),
        pytest.param("--run-tokens", "3500", id="tokens"),
    ],
)
def test_a_stopped_run_goes_on_with_a_higher_limit(
    tmp_path: Path, option: str, limit: str
) -> None:
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        play_six_trials(endpoint, "--concurrency", "1", option, limit)
        resumed = endpoint.command("resume", "last", "--json", option, "1000000")

    assert states_of(resumed) == ["answered"] * 6
    replies_of_a_trial = 2
    assert len(endpoint.server.asked) == 6 * replies_of_a_trial
    assert resumed.json["submitted"] is True
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


# A run stops before a reply that may pass its limit, and proposes a higher limit.
#
#     --run-cost 0.007    ->    the run has spent $0.006, and its next reply may pass its limit of $0.007
#
# Six trials are played in turn, with a limit of three replies and a half, in dollars or in tokens. The
# first trial takes two replies, and the second trial one.


@pytest.mark.parametrize(
    ("option", "limit", "message", "remedy"),
    [
        pytest.param(
            "--run-cost",
            "0.007",
            "the run has spent $0.006, and its next reply may pass its limit of $0.007",
            "--run-cost 0.014",
            id="cost",
        ),
        pytest.param(
            "--run-tokens",
            "3500",
            "the run has spent 3,300 tokens, and its next reply may pass its limit of 3,500 tokens",
            "--run-tokens 7000",
            id="tokens",
        ),
    ],
)
def test_a_run_stops_at_its_limit_and_proposes_the_double_one(
    tmp_path: Path, option: str, limit: str, message: str, remedy: str
) -> None:
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        stopped = play_six_trials(endpoint, "--concurrency", "1", option, limit)

    assert stopped.code == BudgetExhausted.exit_code
    assert message in stopped.json["error"]
    assert stopped.json["error"].endswith(f" {remedy}")
    assert len(endpoint.server.asked) == 3
    waiting = ["waiting"] * 4
    assert states_of(stopped) == ["answered", "open", *waiting]
    assert stopped.json["trials_scored"] == 1
    assert stopped.json["mean_score"] == 1.0
    _, open_trial, *_ = stopped.json["trials"]
    assert message in open_trial["reason"]


# `--trial-cost 0.003` limits what each trial of a run may cost.
#
# The limit allows one reply and a half, so no trial can be finished. Each gets a fallback, an answer of
# the product, and the run goes on to its end.


def test_a_trial_has_a_limit_of_its_own(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        run = play_six_trials(endpoint, "--concurrency", "1", "--trial-cost", "0.003")

    assert states_of(run) == ["fallback"] * 6
    assert run.code == BudgetExhausted.exit_code
    assert "--trial-cost" in run.json["trials"][0]["reason"]
    assert run.json["submitted"] is True


# Without `--prices`, nobody knows the cost of a run, which then cannot be limited.
#
# The endpoint tells the tokens of a reply, and not what they cost. An unknown cost is null in the JSON,
# and not 0.


def test_the_cost_of_a_model_without_known_prices_is_null(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        run = endpoint.command(*PHONEBOOK_RUN, "--json")

    assert run.code == 0
    assert run.json["cost_usd"] is None
    assert run.json["cost_per_trial_usd"] is None
    assert run.json["trials"][0]["cost_usd"] is None


def test_the_cost_of_a_model_without_known_prices_cannot_be_limited(
    tmp_path: Path,
) -> None:
    """The run is refused before it begins."""
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        refused = endpoint.command(*PHONEBOOK_RUN, "--run-cost", "5")

    check_error_line(
        refused,
        UsageError.exit_code,
        "--run-cost: the price of m is unknown, so the limit cannot be kept; give the model's",
    )
    assert endpoint.server.asked == []
    assert no_run_has_started(tmp_path)


# The cost of a fork: a recorded trial that is played again from one of its steps on.
#
#     controlplane fork parent --trial fee --step 2 --repeats 3 --run-cost 0.003
#
# This plays the trial three times, and stops before the forks cost more than $0.003.


@pytest.mark.parametrize(
    ("run_cost", "code", "cost_usd"),
    [
        pytest.param("1", 0, 0.006, id="enough for all three forks"),
        pytest.param(
            "0.003", BudgetExhausted.exit_code, 0.002, id="enough for one of them"
        ),
    ],
)
def test_a_fork_pays_only_for_the_replies_that_it_does_not_take_over(
    run_cost: str, code: int, cost_usd: float, tmp_path: Path
) -> None:
    """From step 2 on, a fork takes the first reply over from the record, and pays $0.002 for the
    second."""
    task = tmp_path / "tasks" / "fee"
    task.mkdir(parents=True)
    (task / "task.toml").write_text(
        'instruction = "What is the fee?"\n'
        '[expected]\noutcome = "OUTCOME_OK"\nanswer = "7"\n'
    )
    first_script = "print('I look at nothing.')"
    second_script = (
        "scratchpad['answer'], scratchpad['outcome'] = '7', 'OUTCOME_OK'\n"
        "harness.answer(scratchpad, lambda sp: sp['answer'] == '7')\n"
    )

    def respond_in_two_steps(
        request: ModelHttpRequest, connection: socket.socket
    ) -> bytes:
        # A request has all earlier replies, as messages of the role "assistant".
        is_first_step = "assistant" not in json.dumps(request.body["messages"])
        script = first_script if is_first_step else second_script
        action = {"state": "s", "plan": [], "done": False, "code": script}
        completion = completion_json(
            json.dumps(action), prompt_tokens=1000, completion_tokens=100
        )
        return http_response(200, completion)

    prices = ["--prices", '{"input": 1, "output": 10}']  # so that a reply costs $0.002
    play = ["run", "--benchmark", "folder:tasks", "--model", "m", "--name", "parent"]
    fork = ["fork", "parent", "--trial", "fee", "--step", "2", "--repeats", "3"]
    with phonebook_endpoint(tmp_path, respond_in_two_steps) as endpoint:
        assert endpoint.command(*play, *prices).code == 0
        forked = endpoint.command(*fork, "--run-cost", run_cost, "--json")

    assert forked.code == code
    assert forked.json["cost_usd"] == pytest.approx(cost_usd)
    assert forked.json["mean_score"] == 1.0


# The process that runs a model's scripts does not know the user's API keys.
#
# Scripts run in a child of the fork server, a process that starts them. Linux shows a process's variables and
# command line below `/proc`, to the process itself, too.


def test_the_process_that_scripts_run_in_has_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-1")
    monkeypatch.setenv("BITGN_API_KEY", "sk-canary-2")
    monkeypatch.setenv("ANY_OTHER_SECRET", "sk-canary-3")

    with ForkServer() as server:
        child = server.spawn(with_kernel=False)
        environment = Path(f"/proc/{child.pid}/environ").read_text()
        command_line = Path(f"/proc/{child.pid}/cmdline").read_text()
        child.end()

    assert "PYTHONHASHSEED" in environment + command_line  # They could be read.
    assert "sk-canary" not in environment
    assert "sk-canary" not in command_line


# An agent of a user cannot ask the model past the record and the limits of a run.
#
# A user may write an agent (a solver). It has to ask the model by `session.ask`, which records one reply,
# and counts its cost:
#
#     session.ask(lambda request: self.model.reply_to(request), ModelRequest(messages))
#
# A request without it is not sent, and ends the trial with an error.


def test_a_request_without_the_session_is_not_sent(tmp_path: Path) -> None:
    """The error says by which line of which file the solver asked."""
    (tmp_path / "direct_solver.py").write_text(
        """\
from controlplane.agent.model import Message
from controlplane.solver import SolverSpec

class DirectSolver:
    def __init__(self, tools):
        self.model = tools.model

    def solve(self, session):
        question = Message(role='user', content='?')
        self.model.complete([question], 'solve')  # This is line 10.

SOLVER = SolverSpec(DirectSolver)
"""
    )

    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        run = endpoint.command(
            *PHONEBOOK_RUN, "--limit", "1", "--agent", "direct_solver", "--json"
        )

    assert endpoint.server.asked == []
    assert run.code == 1
    (trial,) = run.json["trials"]
    assert (
        "session.ask(...), which counts and records it (direct_solver.py, line 10)"
    ) in trial["reason"]


# An agent of a user asks the model twice in one call of the session, and the second is not sent.
#
# A user may write an agent (a solver). A call of `session.ask` counts and records one reply, so
# the first request is sent, and the second one ends the trial with an error.


def test_a_second_request_in_one_call_of_the_session_is_not_sent(
    tmp_path: Path,
) -> None:
    (tmp_path / "repeating_solver.py").write_text(
        """\
from controlplane.agent.model import Message, ModelRequest
from controlplane.solver import SolverSpec

class RepeatingSolver:
    def __init__(self, tools):
        self.model = tools.model

    def solve(self, session):
        question = Message(role='user', content='?')
        session.ask(self.ask_twice, ModelRequest([question]))

    def ask_twice(self, request):
        self.model.reply_to(request)
        return self.model.reply_to(request)  # This is line 14.

SOLVER = SolverSpec(RepeatingSolver)
"""
    )

    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        run = endpoint.command(
            *PHONEBOOK_RUN, "--limit", "1", "--agent", "repeating_solver", "--json"
        )

    assert len(endpoint.server.asked) == 1
    assert run.code == 1
    (trial,) = run.json["trials"]
    assert (
        "session.ask(...), which counts and records it (repeating_solver.py, line 14)"
    ) in trial["reason"]
