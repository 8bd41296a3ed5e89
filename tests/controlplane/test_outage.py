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
from controlplane.sandbox import ForkServer
from controlplane.solver import SolverSpec, SolverTools
from tests.support.command import Result, Type, check_line, inside, started, wait_until
from tests.support.endpoints import (
    Answer,
    Asked,
    always,
    completion,
    model_server,
    refusal,
    response,
)

KEY = "sk-canary-fedcba9876543210"
NUMBERS = {"ada": "17", "grace": "42", "edsger": "68"}
BENCHMARK = ("--benchmark", "tests.support.phonebook", "--model", "m", "--repeats", "3")


def action(asked: Asked) -> str:
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


def playing(asked: Asked, connection: socket.socket) -> bytes:
    time.sleep(0.02)
    return response(200, completion(action(asked)))


def failing_after(requests: int, failure: Answer) -> Answer:
    """Play for so many requests, then fail."""
    counted = iter(range(1_000_000))

    def answer(asked: Asked, connection: socket.socket) -> bytes:
        return (playing if next(counted) < requests else failure)(asked, connection)

    return answer


def scores(result: Result) -> list[float]:
    return [trial["score"] for trial in result.json["trials"]]


def test_an_endpoint_that_is_down_for_a_while_costs_no_trial(
    tmp_path: Path, heavy: bool
) -> None:
    away_s, repeats = (60.0, 34) if heavy else (4.0, 3)
    with model_server(playing) as server:
        process = started(
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
    result = Result(process.returncode, out, err)

    assert result.code == 0, err
    assert scores(result) == [1.0] * 3 * repeats
    assert result.json["retries"] > 0


def hanging(asked: Asked, connection: socket.socket) -> bytes:
    """Send the beginning of a reply, then one byte a while."""
    connection.sendall(response(200, " " * 10_000)[:-9_000])
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
    began = time.monotonic()
    with model_server(hanging) as server:
        result = inside(
            *words,
            "--trial-time",
            "2",
            "--json",
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )

    assert time.monotonic() - began < 10
    assert result.code in (0, 1), result.err
    told = (
        result.json["trials"][0]["reason"]
        if words[0] == "run"
        else result.json["reason"]
    )
    assert "had not answered when the trial's time was over (--trial-time)" in told
    assert len(server.asked) == 1


def test_an_endpoint_that_stays_down_pauses_the_run_and_resume_finishes_it(
    type_in: Type,
) -> None:
    down = always(refusal(503, "overloaded"))
    with model_server(failing_after(9, down)) as server:
        where = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        paused = type_in("run", *BENCHMARK, "--json", "--model-patience", "1", **where)
        assert paused.code == 3, paused.err
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
        assert all(
            trial["score"] is None and not trial["outcome"] for trial in open_trials
        )
        still = type_in("resume", "last", **where)
        assert (still.code, "503: overloaded" in still.err) == (3, True)
        server.answer = playing
        resumed = type_in("resume", "last", "--json", **where)

    assert resumed.code == 0, resumed.err
    assert scores(resumed) == [1.0] * 9
    again = type_in("replay", "last", "--verify")
    assert again.code == 0, again.err


def test_a_key_press_while_the_endpoint_is_down_interrupts_the_run_and_is_no_pause(
    tmp_path: Path,
) -> None:
    down = always(refusal(503, "overloaded"))
    with model_server(failing_after(5, down)) as server:
        with started(
            "run", *BENCHMARK, "--quiet", cwd=tmp_path, OPENAI_BASE_URL=server.url
        ) as process:
            wait_until(lambda: len(server.asked) >= 12)
            process.send_signal(signal.SIGINT)
            err = process.communicate(timeout=30)[1]
        assert process.returncode == 130, err
        server.answer = playing
        assert (
            inside("resume", "last", cwd=tmp_path, OPENAI_BASE_URL=server.url).code == 0
        )


def test_a_key_that_is_revoked_in_the_middle_pauses_the_run_at_once(
    type_in: Type,
) -> None:
    revoked = always(refusal(401, f"revoked: {KEY}"))
    with model_server(failing_after(7, revoked)) as server:
        where = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        paused = type_in("run", *BENCHMARK, "--concurrency", "2", **where)
        assert paused.code == 3
        assert "OPENAI_API_KEY" in paused.err
        assert len(server.asked) <= 7 + 2
        server.answer = playing
        assert type_in("resume", "last", **where).code == 0

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


def test_a_key_is_in_no_journal_no_output_no_traceback_and_no_prompt_whatever_fails(
    type_in: Type, tmp_path: Path
) -> None:
    def leaking(asked: Asked, connection: socket.socket) -> bytes:
        return response(
            200, completion(f"no action, but {asked.headers['authorization']}")
        )

    where = {"OPENAI_API_KEY": KEY, "BITGN_API_KEY": KEY}
    flags = ("--limit", "1", "--max-steps", "1", "--model-patience", "0", "--debug")
    with model_server(refusal(401, f"no such key: {KEY}")) as server:
        refused = type_in(
            "run", *BENCHMARK, *flags, OPENAI_BASE_URL=server.url, **where
        )
        assert refused.code == 3
        journals = [path.read_text() for path in tmp_path.glob("runs/*.jsonl")]
        server.answer = leaking
        leaked = type_in("run", *BENCHMARK, *flags, **where)
        assert leaked.code == 0, leaked.err
    journal = max(
        tmp_path.glob("runs/*.jsonl"), key=lambda each: each.stat().st_mtime_ns
    ).read_text()

    assert KEY not in "".join(journals)
    assert "no action, but Bearer [key]" in journal
    assert KEY not in refused.out + refused.err + leaked.out + leaked.err + journal
    assert all(KEY not in json.dumps(request.body) for request in server.asked)


USAGE: dict[str, object] = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 250},
}
PRICES = ("--prices", '{"input": 1, "output": 10}')
"""With these, a reply costs $0.002, and a trial two replies."""
PLAY = (
    "--benchmark",
    "tests.support.phonebook",
    "--model",
    "m",
    "--repeats",
    "2",
    "--concurrency",
    "1",
    "--json",
)


def paid(asked: Asked, connection: socket.socket) -> bytes:
    del connection
    return response(200, completion(action(asked), **USAGE))


def states(result: Result) -> list[str]:
    return [trial["state"] for trial in result.json["trials"]]


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (
            (*PRICES, "--run-cost", "0.007"),
            "the run has spent $0.006, and its next reply may pass its limit of $0.007",
        ),
        (
            ("--max-tokens-run", "3500"),
            "the run has spent 3,300 tokens, and its next reply may pass its limit of 3,500 tokens",
        ),
    ],
)
def test_at_its_limit_a_run_stops_and_a_higher_one_lets_it_go_on(
    tmp_path: Path, limits: tuple[str, ...], told: str
) -> None:
    with model_server(paid) as server:
        first = inside("run", *PLAY, *limits, cwd=tmp_path, OPENAI_BASE_URL=server.url)
        asked = len(server.asked)
        again = inside(
            "resume",
            "last",
            "--json",
            limits[-2],
            "1000000",
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )

    assert first.code == 4, first.json["error"]
    assert told in first.json["error"]
    assert first.json["error"].endswith(f" {limits[-2]} {2 * float(limits[-1]):g}"), (
        first.json["error"]
    )
    assert asked == 3
    assert states(first)[:2] == ["answered", "open"]
    assert set(states(first)[2:]) == {"waiting"}
    assert (first.json["trials_scored"], first.json["mean_score"]) == (1, 1.0)
    assert told in first.json["trials"][1]["reason"]
    # The trial that was cut off goes on at its second step.
    assert set(states(again)) == {"answered"}
    assert len(server.asked) == 2 * len(states(again))
    assert again.json["submitted"] is True
    assert inside("replay", "last", "--verify", cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    "limit", [("--run-cost", "0.003"), ("--max-tokens-run", "1500")]
)
def test_trials_side_by_side_do_not_all_ask_before_one_reply_shows_its_cost(
    tmp_path: Path, limit: tuple[str, str]
) -> None:
    side_by_side = [word if word != "1" else "4" for word in PLAY]
    with model_server(paid) as server:
        cut = inside(
            "run",
            *side_by_side,
            *PRICES,
            *limit,
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )
        assert (cut.code, len(server.asked)) == (4, 1)
        whole = inside(
            "resume",
            "last",
            limit[0],
            "90000",
            "--json",
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )

    assert (whole.code, set(states(whole)), whole.json["mean_score"]) == (
        0,
        {"answered"},
        1.0,
    )


def test_a_fork_is_kept_to_a_cost_limit_although_the_replies_that_it_keeps_cost_nothing(
    tmp_path: Path,
) -> None:
    library = Path("docs/examples/library").resolve()
    solution = tomllib.loads(library.with_suffix(".toml").read_text())["reply"][0][
        "code"
    ]
    looked = json.dumps(
        {"state": "look", "plan": [], "done": False, "code": "print(harness.tree('/'))"}
    )
    solved = json.dumps({"state": "answer", "plan": [], "done": True, "code": solution})

    def counting(asked: Asked, connection: socket.socket) -> bytes:
        del connection
        return response(
            200,
            completion(
                solved if "assistant" in json.dumps(asked.body["messages"]) else looked,
                **USAGE,
            ),
        )

    with model_server(counting) as server:
        words = (
            "run",
            "overdue-loans",
            "--benchmark",
            f"folder:{library}",
            "--model",
            "m",
            "--name",
            "parent",
            *PRICES,
        )
        inside(*words, cwd=tmp_path, OPENAI_BASE_URL=server.url)
        fork = (
            "fork",
            "parent",
            "--trial",
            "overdue",
            "--step",
            "2",
            "--repeats",
            "3",
            "--json",
            "--run-cost",
        )
        whole = inside(*fork, "1", cwd=tmp_path, OPENAI_BASE_URL=server.url)
        cut = inside(*fork, "0.003", cwd=tmp_path, OPENAI_BASE_URL=server.url)

    assert (whole.code, whole.json["mean_score"], whole.json["cost_usd"]) == (
        0,
        1.0,
        pytest.approx(0.006),
    )
    assert (cut.code, cut.json["cost_usd"]) == (4, pytest.approx(0.002))


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


@pytest.mark.parametrize(
    ("asks", "replies"),
    [
        ("[tools.model.complete(said, 'solve') for _ in range(5)]", 0),
        (
            "session.ask(lambda asked: [tools.model.reply_to(asked) for _ in range(5)][0], ModelRequest(said))",
            1,
        ),
    ],
)
def test_a_solver_cannot_ask_past_its_session_which_counts_what_is_paid(
    asks: str, replies: int, tmp_path: Path
) -> None:
    (tmp_path / "passing_solver.py").write_text(
        "from controlplane.agent.model import Message, ModelRequest\nfrom controlplane.solver import SolverSpec\n\n\n"
        "class Passing:\n    def __init__(self, tools):\n        self.tools = tools\n\n"
        "    def solve(self, session):\n        tools, said = self.tools, [Message(role='user', content='?')]\n"
        f"        {asks}\n\n\nSOLVER = SolverSpec(Passing)\n"
    )
    sys.modules.pop("passing_solver", None)
    own = (
        *PLAY,
        *PRICES,
        "--agent",
        "passing_solver",
        "--limit",
        "1",
        "--run-cost",
        "1",
    )
    with model_server(paid) as server:
        result = inside("run", *own, cwd=tmp_path, OPENAI_BASE_URL=server.url)

    assert (result.code, len(server.asked)) == (1, 2 * replies)
    assert (
        "session.ask(...), which counts and records it (passing_solver.py, line 11)"
        in result.out
    )


def test_a_trial_has_a_limit_of_its_own(tmp_path: Path) -> None:
    with model_server(paid) as server:
        result = inside(
            "run",
            *PLAY,
            *PRICES,
            "--trial-cost",
            "0.003",
            cwd=tmp_path,
            OPENAI_BASE_URL=server.url,
        )

    assert set(states(result)) == {"fallback"}
    assert result.code == 4
    assert "--trial-cost" in result.json["trials"][0]["reason"]
    assert result.json["submitted"] is True


def test_an_unknown_price_is_null_and_cannot_be_limited(tmp_path: Path) -> None:
    with model_server(paid) as server:
        free = inside("run", *PLAY, cwd=tmp_path, OPENAI_BASE_URL=server.url)
        asked = len(server.asked)
        limited = inside(
            "run", *PLAY, "--run-cost", "5", cwd=tmp_path, OPENAI_BASE_URL=server.url
        )

    assert (free.code, free.json["cost_usd"], free.json["cost_per_trial_usd"]) == (
        0,
        None,
        None,
    )
    assert free.json["trials"][0]["cost_usd"] is None
    check_line(
        limited,
        2,
        "--run-cost: the price of m is unknown, so the limit cannot be kept; give the model's",
    )
    assert len(server.asked) == asked
    assert len(list((tmp_path / "runs").glob("*.jsonl"))) == 1
