"""Objections to mostly wrong answers of trials in an invented shop, drawn at random."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from controlplane.benchmarks.shop.rule_set import RULE_SET
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.verdicts import Verdict
from tests.gates.judging.revealing.random_shop_trials import RandomTrial, random_trial


class DrawnObjection(NamedTuple):
    """An objection to the answer of a trial that was drawn at random."""

    seed: int
    """The trial is `random_trial(seed)`."""
    submitted_outcome: str
    verdict: Verdict
    """The objecting rule and its reason."""


def objections_that_ask(trial: RandomTrial) -> list[Verdict]:
    """Return the objections to the answer of a trial by rules that ask a model to think again.

    Such a rule may be mistaken, and lets the answer pass when it is submitted again. Rules that
    block are left out: they judge the form of an answer, and may say what is missing.
    """
    judgement = judge(
        trial.submission, trial.evidence, trial.case, rule_sets=(RULE_SET,)
    )
    objections: list[Verdict] = []
    for verdict in judgement.verdicts:
        if verdict.result == "reject" and verdict.enforcement != "block":
            objections.append(verdict)
    return objections


def drawn_objections(first_seed: int, heavy: bool) -> list[DrawnObjection]:
    """Return the objections to the trials of 200 seeds, from `first_seed` on.

    There are 4,000 if `heavy` is True, as in the long variant of the test suite.
    `drawn_objections(0, heavy=False)[0].verdict.reason` is a text such as "No call has shown …".
    """
    trial_count = 4_000 if heavy else 200
    objections: list[DrawnObjection] = []
    for seed in range(first_seed, first_seed + trial_count):
        trial = random_trial(seed)
        for verdict in objections_that_ask(trial):
            objections.append(DrawnObjection(seed, trial.outcome, verdict))
    return objections


in_each_batch = pytest.mark.parametrize(
    "first_seed",
    [
        pytest.param(0, id="first batch"),
        pytest.param(10_000, id="second batch"),
        pytest.param(20_000, id="third batch", marks=pytest.mark.heavy),
        pytest.param(30_000, id="fourth batch", marks=pytest.mark.heavy),
    ],
)
