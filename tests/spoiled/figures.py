"""Judges the spoils and paraphrases of trials, and counts what was stopped, by what."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from zlib import crc32

from benchmarks.ecom.world.generator import DEFAULTS
from benchmarks.ecom.world.profiles import WorldSettings
from gates.verdict import Judgement
from tests.spoiled.kinds import KINDS, PART_OF
from tests.spoiled.paraphrases import paraphrases
from tests.spoiled.played_trial import PlayedTrial
from tests.spoiled.spoil import APART, Spoil

Key = tuple[str, str, str, str]
"""Part, kind, wording and family."""
RIGHT = "right"
"""The kind under which paraphrases are counted."""


@dataclass(frozen=True, slots=True)
class Example:
    """One judged submission in words."""

    kind: str
    wording: str
    variant_id: str
    seed: str
    instruction: str
    outcome: str
    answer: str
    refs: tuple[str, ...]
    changes: str
    stopped_by: str

    def __str__(self) -> str:
        cited = ", ".join(self.refs)
        return (
            f"{self.kind} / {self.wording}, {self.variant_id}, seed {self.seed}\n    asked: {self.instruction!r}\n"
            f"    {self.outcome}: {self.answer!r}\n    cites: {cited}\n    changes: {self.changes}\n"
            f"    {self.stopped_by or 'not stopped'}"
        )


@dataclass
class Figures:
    """Counts; `+=` adds those of other trials."""

    total: Counter[Key] = field(default_factory=Counter)
    stopped: Counter[Key] = field(default_factory=Counter)
    dropped: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By part and kind: spoils that the grader passes, and paraphrases that it does not."""
    rules: defaultdict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """By part and kind: the first gate or rule that stopped a submission."""
    examples: list[Example] = field(default_factory=list)
    """Of the open part alone: missed spoils, caught ones, and paraphrases that were stopped."""
    trials: int = 0

    def __iadd__(self, other: Figures) -> Figures:
        self.total += other.total
        self.stopped += other.stopped
        self.dropped += other.dropped
        for key, counted in other.rules.items():
            self.rules[key] += counted
        self.examples += other.examples
        self.trials += other.trials
        return self


@dataclass(frozen=True)
class Judging:
    """What is to be judged, and how much of it is kept in words."""

    parts: frozenset[str]
    kinds: frozenset[str]
    examples: int = 0
    """Of each kind and each verdict, in each trial."""
    every: int = 1
    """One of so many submissions is judged, drawn by a hash of what it is."""
    settings: WorldSettings = DEFAULTS
    """The worlds in which it is judged."""

    def judge(self, variant_id: str, seeds: Iterable[int]) -> Figures:
        """Judge everything that is made of one task over these seeds."""
        figures = Figures()
        for seed in seeds:
            trial = PlayedTrial.pose(variant_id, f"spoiled {seed}", settings=self.settings)
            for name in sorted(self.kinds):
                made = paraphrases(trial) if name == RIGHT else KINDS[name].make(trial)
                for number, spoil in enumerate(made):
                    drawn = crc32(f"{name}|{spoil.wording}|{variant_id}|{seed}|{number}".encode())
                    if drawn % self.every == 0:
                        self._count(figures, trial, name, spoil)
            figures.trials += 1
        return figures

    def _count(self, figures: Figures, trial: PlayedTrial, kind: str, spoil: Spoil) -> None:
        part = APART if PART_OF.get(kind) == APART else spoil.part
        if part not in self.parts:
            return
        is_right = spoil.play.is_right(spoil.pad) and not spoil.is_wrong_unseen
        if is_right != (kind == RIGHT):
            figures.dropped[part, kind] += 1
            return
        judged = spoil.play.judge(spoil.pad)
        key = (part, kind, spoil.wording, trial.family)
        figures.total[key] += 1
        if not judged.accepted:
            figures.stopped[key] += 1
            figures.rules[part, kind][_first_rule(judged)] += 1
        if part != APART:
            self._keep(figures, trial, kind, spoil, judged)

    def _keep(self, figures: Figures, trial: PlayedTrial, kind: str, spoil: Spoil, judged: Judgement) -> None:
        alike = (each for each in figures.examples if each.kind == kind and bool(each.stopped_by) != judged.accepted)
        if sum(1 for _ in alike) >= (self.examples if kind != RIGHT or judged.accepted else max(self.examples, 1)):
            return
        figures.examples.append(
            Example(
                kind,
                spoil.wording,
                trial.variant_id,
                trial.seed,
                trial.truth.instruction,
                judged.outcome,
                judged.answer,
                judged.refs,
                str(spoil.pad.get("changes", "not declared")),
                judged.message,
            )
        )


def _first_rule(judged: Judgement) -> str:
    return next(verdict.key for verdict in judged.verdicts if verdict.result == "reject")
