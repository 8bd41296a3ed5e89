"""What a first request is spent on, of a run and of a preview."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.ecom.tasks.posing import task_ids
from tests.support.command import Type, check_line

SAMPLE = str(Path(__file__).parents[3] / "runs" / "sample.jsonl")


def test_the_parts_of_a_preview_are_those_of_the_run(type_in: Type) -> None:
    previewed = type_in("benchmarks", "show", "ecom", "--seed", "7", "--turn-one", "basket-checkout.1", "--json").json
    type_in("run", "basket-checkout.1", "--seed", "7", "--quiet")
    recorded = type_in("show", "last", "--turn-one", "--trial", "basket-checkout.1", "--json").json
    assert {**recorded, "trial": ""} == {**previewed, "trial": ""}
    assert sum(part["chars"] for part in recorded["parts"]) == recorded["chars"]
    assert recorded["chars"] == recorded["system_chars"] + recorded["turn_one_chars"]
    assert abs(sum(part["share"] for part in recorded["parts"]) - 1) < 0.01
    named = {(part["message"], part["part"]) for part in recorded["parts"]}
    assert named >= {("system prompt", "The harness"), ("system prompt", "Answering"), ("turn one", "instruction")}


def test_own_prompts_and_hints_are_parts_of_it(type_in: Type, tmp_path: Path) -> None:
    (tmp_path / "hints.txt").write_text("Be brief.\n")
    options = ("--hints", "hints.txt", "--turn-one", "open-branches.1")
    told = type_in("benchmarks", "show", "ecom", *options, "--json").json
    assert ("hints", 10) in {(part["part"], part["chars"]) for part in told["parts"]}
    assert re.search(
        r"\b10 +0\.[01]% +whole +system prompt +hints\n", type_in("benchmarks", "show", "ecom", *options).out
    )
    wrong = type_in("benchmarks", "show", "ecom", "--prompt", "gone", "--turn-one", "open-branches.1")
    check_line(wrong, 2, "--prompt: there is no folder gone")


def test_a_recorded_run_of_before_says_what_it_spent(type_in: Type) -> None:
    shown = type_in("show", SAMPLE, "--turn-one")
    assert "characters of a first request" in shown.out
    trial = type_in("show", SAMPLE, "--turn-one", "--json").json[0]["trial"]
    parts = type_in("show", SAMPLE, "--turn-one", "--trial", trial)
    assert "read /AGENTS.MD" in parts.out
    assert "whole" in parts.out


def test_what_cannot_be_shown_is_refused(type_in: Type) -> None:
    assert type_in("show", SAMPLE, "--trial", "x").code == 2
    assert type_in("benchmarks", "show", "ecom", "--turn-one", "no-such-task").code == 2


def test_turn_one_of_the_embedded_shop_and_the_system_prompt_stay_below_their_bound(type_in: Type, heavy: bool) -> None:
    words = ("benchmarks", "show", "ecom", "--seed", "5", "--json", "--turn-one")
    shown = type_in(*words, "all").json if heavy else [type_in(*words, each).json for each in task_ids()[::25]]
    assert len(shown) > (50 if heavy else 3)
    assert max(each["chars"] for each in shown) <= 21_700
    for each in shown:
        titles = {part["part"] for part in each["parts"]}
        assert {"exec /bin/id", "exec /bin/date", "read /AGENTS.MD", "read /docs/security.md"} <= titles
