"""Played trials whose submissions are judged again under each mutant: right answers pass, wrong ones are stopped.

For `gate_mutants.py` alone. Every task is played once, while the session is collected, in a world of changing names and
wordings; a mutant's process inherits what was played and only judges. That a right answer passes and a wrong one is
wrong is known by construction. What stops a wrong one is taken from a judgement without any change: each gate and rule
that rejects it there has to reject it again, or a neighbour would hide that one of them fails.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from zlib import crc32

import pytest

from benchmarks.ecom.world.profiles import WorldSettings
from gates import Judgement
from tests.bench.mutant_trials import forked
from tests.benchmarks.ecom.variants import variant_ids
from tests.spoiled.kinds import KINDS
from tests.spoiled.paraphrases import paraphrases
from tests.spoiled.played_trial import PlayedTrial
from tests.spoiled.spoil import Spoil

WORLDS = (
    WorldSettings(names="own"),
    WorldSettings(names="random", wordings="unseen"),
    WorldSettings(names="own", wordings="unseen"),
    WorldSettings(names="random"),
)
SEED = "judged again"
RIGHT_ANSWERS = 6
WRONG_OF_A_KIND = 2


@dataclass
class Submitted:
    """One submission of a played trial."""

    name: str
    spoil: Spoil
    is_right: bool
    rejected_by: frozenset[str] = frozenset()
    """The gates and rules that reject it without any change."""

    def judgement(self) -> Judgement:
        """Judge it as the exit would."""
        return self.spoil.play.judge(self.spoil.pad)


@dataclass
class JudgedTrial:
    """The submissions of one task that was played."""

    variant_id: str
    submitted: list[Submitted] = field(default_factory=list)


def played(variant_id: str, settings: WorldSettings) -> JudgedTrial:
    """Play a task in every way, and choose some right and some wrong submissions of each kind."""
    trial = PlayedTrial.pose(variant_id, SEED, settings=settings)
    found = JudgedTrial(variant_id)
    right = (each for each in _shuffled(paraphrases(trial)) if each.play.is_right(each.pad))
    found.submitted += [Submitted(f"right: {each.wording}", each, True) for each in islice(right, RIGHT_ANSWERS)]
    for kind in KINDS.values():
        made = _shuffled(kind.make(trial))
        wrong = (each for each in made if each.is_wrong_unseen or not each.play.is_right(each.pad))
        chosen = islice(wrong, WRONG_OF_A_KIND)
        found.submitted += [Submitted(f"{kind.name}: {each.wording}", each, False) for each in chosen]
    return found


def _shuffled(spoils: Iterator[Spoil]) -> list[Spoil]:
    return sorted(spoils, key=lambda each: crc32(f"{each.wording}|{sorted(each.pad.items())}".encode()))


def rejecting(judgement: Judgement) -> frozenset[str]:
    """Return the names of the gates and rules that reject."""
    return frozenset(each.name for each in judgement.verdicts if each.rejects)


def with_verdicts(trials: list[JudgedTrial]) -> list[JudgedTrial]:
    """Note what rejects each submission, and leave out those that are misjudged.

    They are judged in another process, so that no result of a function is held here.
    """

    def judged() -> list[list[frozenset[str]]]:
        return [[rejecting(each.judgement()) for each in trial.submitted] for trial in trials]

    verdicts = forked(judged)
    assert verdicts is not None, "the trials cannot be judged"
    for trial, found in zip(trials, verdicts, strict=True):
        for each, rejected_by in zip(trial.submitted, found, strict=True):
            each.rejected_by = rejected_by
        trial.submitted = [each for each in trial.submitted if each.is_right != bool(each.rejected_by)]
    return trials


def _all_played() -> list[JudgedTrial]:
    """Play every task unobserved: what a mutant may change is called again by the judgements."""
    trace = sys.gettrace()
    sys.settrace(None)
    worlds = [(name, WORLDS[number % len(WORLDS)]) for number, name in enumerate(variant_ids())]
    trials = with_verdicts([played(*each) for each in worlds])
    sys.settrace(trace)
    return trials


TRIALS = _all_played()


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.variant_id)
def test_right_answers_pass_and_wrong_ones_are_stopped_by_the_same_rules(trial: JudgedTrial) -> None:
    for each in trial.submitted:
        found = rejecting(each.judgement())
        missing = each.rejected_by - found
        assert not missing, f"{each.name}: not rejected by {', '.join(sorted(missing))}"
        assert not each.is_right or not found, f"{each.name}: rejected by {', '.join(sorted(found))}"
