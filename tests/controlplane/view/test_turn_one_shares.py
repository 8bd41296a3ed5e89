"""What turn one is spent on, of a run and of a preview."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import Type

SAMPLE = str(Path(__file__).parents[3] / "runs" / "sample.jsonl")


def test_the_parts_of_a_preview_are_those_of_the_run(type_in: Type) -> None:
    previewed = type_in("benchmarks", "show", "ecom", "--seed", "7", "--turn-one", "basket-checkout.1", "--json").json
    type_in("run", "basket-checkout.1", "--seed", "7", "--quiet")
    recorded = type_in("show", "last", "--turn-one", "--trial", "basket-checkout.1", "--json").json
    assert {**recorded, "trial": ""} == {**previewed, "trial": ""}
    assert sum(each["chars"] for each in recorded["parts"]) == recorded["chars"]
    assert abs(sum(each["share"] for each in recorded["parts"]) - 1) < 0.01


def test_a_recorded_run_of_before_says_what_it_spent(type_in: Type) -> None:
    shown = type_in("show", SAMPLE, "--turn-one")
    assert "the system prompt apart" in shown.out
    trial = type_in("show", SAMPLE, "--turn-one", "--json").json[0]["trial"]
    parts = type_in("show", SAMPLE, "--turn-one", "--trial", trial)
    assert "read /AGENTS.MD" in parts.out
    assert "whole" in parts.out


def test_what_cannot_be_shown_is_refused(type_in: Type) -> None:
    assert type_in("show", SAMPLE, "--trial", "x").code == 2
    assert type_in("benchmarks", "show", "ecom", "--turn-one", "no-such-task").code == 2


def test_turn_one_of_the_embedded_shop_and_the_system_prompt_stay_below_their_bound(type_in: Type) -> None:
    shown = type_in("benchmarks", "show", "ecom", "--turn-one", "all", "--seed", "5", "--json").json
    assert len(shown) > 50
    assert max(each["chars"] + each["system_chars"] for each in shown) <= 20_000
    for each in shown:
        titles = {part["part"] for part in each["parts"]}
        assert {"exec /bin/id", "exec /bin/date", "read /AGENTS.MD", "read /docs/security.md"} <= titles
