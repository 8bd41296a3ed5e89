"""What a run is expected to take, by what earlier runs of its tasks took."""

from pathlib import Path

import pytest

from controlplane.view.cost_estimate import CostEstimate, estimate_cost, estimate_text
from tests.controlplane.test_spending_limits import PRICES, playing
from tests.support.command import Type
from tests.support.endpoints import model_server
from tests.support.scored_journal import scored_journal

RUN = ("run", "ada", "grace", "--benchmark", "tests.support.phonebook", "--model", "m", "--concurrency", "1")


def test_a_run_says_before_it_starts_what_earlier_ones_of_its_tasks_took(type_in: Type, tmp_path: Path) -> None:
    with model_server(playing) as server:
        where = {"OPENAI_BASE_URL": server.url}
        first = type_in(*RUN, *PRICES, **where)
        cut_short = type_in(*RUN, *PRICES, "--trial-cost", "0.001", **where)
        assert first.err.splitlines()[0] == (
            "estimate  unknown: no journal here has trials of these tasks with this model"
        )
        again = type_in(*RUN, "--repeats", "2", "--run-cost", "0.009", *PRICES, **where)
        told = type_in(*RUN[:1], *RUN[3:], *PRICES, "--json", **where).json["estimate"]
        other = type_in(*RUN, *PRICES, "--model", "n", "--json", **where).json["estimate"]
    assert cut_short.code == 4
    # Two replies a trial, each of 1,100 tokens and $0.002.
    assert again.err.splitlines()[0] == (
        "estimate  about 8,800 tokens, $0.0160, for 4 trials, by 1 earlier run; that is more than --run-cost 0.009"
    )
    assert told == {"trials": 3, "known_trials": 2, "runs": 2, "tokens": 4400, "cost_usd": pytest.approx(0.008)}
    assert other == {"trials": 2, "known_trials": 0, "runs": 0, "tokens": None, "cost_usd": None}


def test_where_no_endpoint_is_asked_there_is_none(type_in: Type) -> None:
    assert type_in("run", "open-branches.1", "--json").json["estimate"] is None


def test_a_task_without_history_and_a_journal_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    scored_journal(tmp_path / "a.jsonl", {"t1": [1.0, 0.0]})
    (tmp_path / "b.jsonl").write_text("no journal")
    found = estimate_cost(tmp_path, ["t1", "t1", "t2"], benchmark="ecom", model="m")
    assert (found.trials, found.known_trials) == (3, 2)
    assert found.cost_usd == pytest.approx(0.02)
    assert estimate_text(found, None).endswith("for 2 of 3 trials, by 1 earlier run; unknown for 1 trial")


def test_an_unknown_price_is_said_to_be_unknown() -> None:
    text = estimate_text(CostEstimate(2, 2, 1, 5000, None), 0.1)
    assert text == "estimate  about 5,000 tokens, cost unknown, for 2 trials, by 1 earlier run"
