"""Thousands of answers of real models, with the scores that a grader gave them.

They are not part of the project, and without them the tests are skipped.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from controlplane.gates.recorded_answers import judge_recorded, read_scored
from controlplane.gates.worker_judging import load_rule_set
from tests.support.command import ROOT

RECORDED = ROOT.parent / "shared/recorded/answers-dev.jsonl"
needs_real_answers = pytest.mark.skipif(
    not RECORDED.exists(), reason=f"{RECORDED} is not there"
)


def objections_to_right_answers(
    reword: Callable[[str], str], *, heavy: bool
) -> list[str]:
    """Return what the gates object to in right answers to other instructions: `[]`, if nothing.

    `reword("How many?")` returns the other instruction, such as "Hi, how many?". 100 answers are
    judged, or 400 if `heavy` is True, as in the long variant of the test suite.
    """
    right_answers = [answer for answer in read_scored(RECORDED) if answer.score == 1.0]
    sample_size = 400 if heavy else 100
    sample = random.Random(7).sample(right_answers, sample_size)
    rule_sets = (load_rule_set("ecom"),)

    objections: list[str] = []
    for answer in sample:
        reworded = replace(answer, task_text=reword(answer.task_text))
        judgement = judge_recorded(reworded, rule_sets)
        if not judgement.accepted:
            objections.append(f"{answer.id}: {judgement.message}")
    return objections
