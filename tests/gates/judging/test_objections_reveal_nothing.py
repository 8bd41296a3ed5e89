"""Objections must not give the right answer away.

A model that submits wrong answers gets objections to them. If an objection named the right
outcome, or a value of a record, the model could copy it instead of reading. The tests draw
hundreds of trials in an invented shop at random, with mostly wrong answers, and read all
objections to them.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from controlplane.benchmarks.shop.rule_set import RULE_SET
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.submission import OUTCOMES
from controlplane.gates.verdicts import Verdict
from tests.gates.judging.random_shop_trials import RandomTrial, random_trial
from tests.gates.judging.secret_records import SECRET_VALUES


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


class TestDrawnTrials:
    """The drawn trials are of use only if not always the same rules object to them.

    There are rules for purchases, refunds, counts and other requests, more than ten in all.
    """

    @in_each_batch
    def test_many_rules_object_to_the_drawn_trials(
        self, first_seed: int, heavy: bool
    ) -> None:
        objecting_rules: set[str] = set()
        for objection in drawn_objections(first_seed, heavy):
            objecting_rules.add(objection.verdict.key)

        assert len(objecting_rules) > 10


class TestWordsOfObjections:
    """An objection must not name the right outcome, or a value of a record.

    A model could submit the outcome, or copy the value into its answer, instead of thinking
    about it or reading the record. `drawn_objections` returns the objections to the answers of
    200 trials, which read some records of an invented shop, with mostly wrong answers.
    """

    @in_each_batch
    def test_an_objection_names_no_outcome_but_the_submitted_one(
        self, first_seed: int, heavy: bool
    ) -> None:
        for seed, submitted_outcome, verdict in drawn_objections(first_seed, heavy):
            other_words = verdict.reason.replace(submitted_outcome, "")

            for outcome in OUTCOMES:
                assert outcome not in other_words, (seed, verdict)

    @in_each_batch
    def test_an_objection_names_no_value_that_occurs_only_in_records(
        self, first_seed: int, heavy: bool
    ) -> None:
        """Such a value is a word with `zq`, or an odd number such as 48213 cents."""
        for seed, _outcome, verdict in drawn_objections(first_seed, heavy):
            if verdict.key == "5":
                continue  # Gate 5 may quote the submitted reason, which has words of the record.

            for value in SECRET_VALUES:
                assert value not in verdict.reason, (seed, verdict)
