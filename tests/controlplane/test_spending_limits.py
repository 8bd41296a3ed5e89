"""A run that may spend no more: nothing new starts, running trials stay open, and it goes on with a higher limit."""

import json
import socket
import sys
import tomllib
from pathlib import Path

import pytest

from agent.loop import TrialSession
from agent.model import Message, ModelError
from controlplane.benchmark import SolverSpec, SolverTools
from tests.controlplane.test_outage import action
from tests.support.command import Result, check_line, inside
from tests.support.endpoints import Asked, completion, model_server, response

USAGE: dict[str, object] = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 250},
}
PRICES = ("--prices", '{"input": 1, "output": 10}')
"""With these, a reply costs $0.002, and a trial two replies."""
PLAY = ("--benchmark", "tests.support.phonebook", "--model", "m", "--repeats", "2", "--concurrency", "1", "--json")


def playing(asked: Asked, connection: socket.socket) -> bytes:
    del connection
    return response(200, completion(action(asked), **USAGE))


def states(result: Result) -> list[str]:
    return [trial["state"] for trial in result.json["trials"]]


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ((*PRICES, "--run-cost", "0.007"), "the run has spent $0.006, and its next reply may pass its limit of $0.007"),
        (
            ("--max-tokens-run", "3500"),
            "the run has spent 3,300 tokens, and its next reply may pass its limit of 3,500 tokens",
        ),
    ],
)
def test_at_its_limit_a_run_stops_and_a_higher_one_lets_it_go_on(
    tmp_path: Path, limits: tuple[str, ...], told: str
) -> None:
    with model_server(playing) as server:
        first = inside("run", *PLAY, *limits, cwd=tmp_path, OPENAI_BASE_URL=server.url)
        asked = len(server.asked)
        again = inside("resume", "last", "--json", limits[-2], "1000000", cwd=tmp_path, OPENAI_BASE_URL=server.url)
    assert first.code == 4, first.json["error"]
    assert told in first.json["error"]
    assert first.json["error"].endswith(f" {limits[-2]} {2 * float(limits[-1]):g}"), first.json["error"]
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


@pytest.mark.parametrize("limit", [("--run-cost", "0.003"), ("--max-tokens-run", "1500")])
def test_trials_side_by_side_do_not_all_ask_before_one_reply_shows_its_cost(
    tmp_path: Path, limit: tuple[str, str]
) -> None:
    side_by_side = [word if word != "1" else "4" for word in PLAY]
    with model_server(playing) as server:
        cut = inside("run", *side_by_side, *PRICES, *limit, cwd=tmp_path, OPENAI_BASE_URL=server.url)
        assert (cut.code, len(server.asked)) == (4, 1)
        whole = inside("resume", "last", limit[0], "90000", "--json", cwd=tmp_path, OPENAI_BASE_URL=server.url)
    assert (whole.code, set(states(whole)), whole.json["mean_score"]) == (0, {"answered"}, 1.0)


def test_a_fork_is_kept_to_a_cost_limit_although_the_replies_that_it_keeps_cost_nothing(tmp_path: Path) -> None:
    library = Path("docs/examples/library").resolve()
    solution = tomllib.loads(library.with_suffix(".toml").read_text())["reply"][0]["code"]
    looked = json.dumps({"state": "look", "plan": [], "done": False, "code": "print(harness.tree('/'))"})
    solved = json.dumps({"state": "answer", "plan": [], "done": True, "code": solution})

    def counting(asked: Asked, connection: socket.socket) -> bytes:
        del connection
        return response(
            200, completion(solved if "assistant" in json.dumps(asked.body["messages"]) else looked, **USAGE)
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
        fork = ("fork", "parent", "--trial", "overdue", "--step", "2", "--repeats", "3", "--json", "--run-cost")
        whole = inside(*fork, "1", cwd=tmp_path, OPENAI_BASE_URL=server.url)
        cut = inside(*fork, "0.003", cwd=tmp_path, OPENAI_BASE_URL=server.url)
    assert (whole.code, whole.json["mean_score"], whole.json["cost_usd"]) == (0, 1.0, pytest.approx(0.006))
    assert (cut.code, cut.json["cost_usd"]) == (4, pytest.approx(0.002))


class AskingSolver:
    """A solver of another author: asks until it is told to stop, and takes every failure for one of the model."""

    def __init__(self, tools: SolverTools) -> None:
        self._model = tools.model

    def solve(self, session: TrialSession) -> str:
        model = self._model
        assert model is not None
        message = Message(role="user", content=session.instruction)
        try:
            for _ in range(5):
                session.ask(lambda: model.complete([message], "solve"), [message])
        except ModelError as error:
            return f"no model: {error}"
        return "nothing found"


SOLVER = SolverSpec(AskingSolver)


@pytest.mark.parametrize(
    ("asks", "replies"),
    [
        ("[tools.model.complete(said, 'solve') for _ in range(5)]", 0),
        ("session.ask(lambda: [tools.model.complete(said, 'solve') for _ in range(5)][0], said)", 1),
    ],
)
def test_a_solver_cannot_ask_past_its_session_which_counts_what_is_paid(
    asks: str, replies: int, tmp_path: Path
) -> None:
    (tmp_path / "passing_solver.py").write_text(
        "from agent.model import Message\nfrom controlplane.benchmark import SolverSpec\n\n\n"
        "class Passing:\n    def __init__(self, tools):\n        self.tools = tools\n\n"
        "    def solve(self, session):\n        tools, said = self.tools, [Message(role='user', content='?')]\n"
        f"        {asks}\n\n\nSOLVER = SolverSpec(Passing)\n"
    )
    sys.modules.pop("passing_solver", None)
    own = (*PLAY, *PRICES, "--agent", "passing_solver", "--limit", "1", "--run-cost", "1")
    with model_server(playing) as server:
        result = inside("run", *own, cwd=tmp_path, OPENAI_BASE_URL=server.url)
    assert (result.code, len(server.asked)) == (1, 2 * replies)
    assert "session.ask(...), which counts and records it (passing_solver.py, line 11)" in result.out


def test_a_trial_has_a_limit_of_its_own(tmp_path: Path) -> None:
    with model_server(playing) as server:
        result = inside("run", *PLAY, *PRICES, "--trial-cost", "0.003", cwd=tmp_path, OPENAI_BASE_URL=server.url)
    assert set(states(result)) == {"fallback"}
    assert result.code == 4
    assert "--trial-cost" in result.json["trials"][0]["reason"]
    assert result.json["submitted"] is True


def test_an_unknown_price_is_null_and_cannot_be_limited(tmp_path: Path) -> None:
    with model_server(playing) as server:
        free = inside("run", *PLAY, cwd=tmp_path, OPENAI_BASE_URL=server.url)
        asked = len(server.asked)
        limited = inside("run", *PLAY, "--run-cost", "5", cwd=tmp_path, OPENAI_BASE_URL=server.url)
    assert (free.code, free.json["cost_usd"], free.json["cost_per_trial_usd"]) == (0, None, None)
    assert free.json["trials"][0]["cost_usd"] is None
    check_line(limited, 2, "--run-cost: the price of m is unknown, so the limit cannot be kept; give the model's")
    assert len(server.asked) == asked
    assert len(list((tmp_path / "runs").glob("*.jsonl"))) == 1
