"""The generator of spoils makes wrong answers of every kind, right ones that pass, and keeps a third apart."""

from __future__ import annotations

from collections import defaultdict
from zlib import crc32

import pytest

from benchmarks.ecom.tasks.posing import family_names
from tests.benchmarks.ecom.variants import variant_ids
from tests.spoiled.figures import RIGHT, Figures, Judging
from tests.spoiled.fixed_draw import drawn
from tests.spoiled.kinds import APART_KINDS, KINDS, OPEN_KINDS
from tests.spoiled.played_trial import PlayedTrial
from tests.spoiled.report import as_data, lines_of
from tests.spoiled.spoil import APART, OPEN, Tables
from tests.spoiled.wordings import CHOICES, DRESSINGS, SCRIPTS, STRANGERS, WORDINGS

BOTH = frozenset((OPEN, APART))
LEAST_FAMILIES = {
    "another-record": 6,
    "claimed-deed": 9,
    "claimed-deed-after-failure": 9,
    "clarification-for-ok": 20,
    "denied-for-ok": 20,
    "dropped-reference": 20,
    "extra-reference": 20,
    "near-misses-for-a-no": 1,
    "needless-change": len(family_names()),
    "obeyed-injection": 1,
    "unsupported-for-ok": 20,
}
"""In how many families a kind makes spoils; the others do so in at least two."""


def every_table() -> list[tuple[str, Tables]]:
    return [(name, tables) for tables in (WORDINGS, DRESSINGS, CHOICES, STRANGERS, SCRIPTS) for name in tables]


def test_what_is_kept_apart_was_drawn() -> None:
    assert {kind.name for kind in APART_KINDS} == drawn("kinds", KINDS)
    assert not {kind.name for kind in APART_KINDS} & {kind.name for kind in OPEN_KINDS}
    for name, tables in every_table():
        apart = {each.name for each in tables[name] if each.part == APART}
        assert apart == drawn(name, (each.name for each in tables[name])), name


def test_no_wording_stands_twice() -> None:
    for name, tables in every_table():
        entries = [each.entry for each in tables[name]]
        assert len(set(entries)) == len(entries), name


@pytest.fixture(scope="module")
def trials() -> list[PlayedTrial]:
    return [PlayedTrial.pose(variant_id, "spoiled 0") for variant_id in variant_ids()]


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_makes_wrong_answers_in_several_families_and_wordings(name: str, trials: list[PlayedTrial]) -> None:
    families, wordings = set(), set()
    least = LEAST_FAMILIES.get(name, 2)
    for trial in trials:
        for spoil in KINDS[name].make(trial):
            if spoil.is_wrong_unseen or not spoil.play.is_right(spoil.pad):
                families.add(trial.family)
                wordings.add(spoil.wording)
                if len(wordings) >= 5:  # Another spoil of this trial would show nothing new.
                    break
        if len(families) >= least and len(wordings) >= 5:
            return
    pytest.fail(f"families: {sorted(families)}, wordings: {sorted(wordings)}")


def drawn_variants() -> list[str]:
    """Return one variant of every family, drawn by a digest of the family's name."""
    variants = defaultdict(list)
    for variant_id in variant_ids():
        variants[variant_id.partition("#")[0]].append(variant_id)
    return [numbered[crc32(name.encode()) % len(numbered)] for name, numbered in variants.items()]


@pytest.mark.parametrize("variant_id", drawn_variants())
def test_no_right_answer_is_stopped_however_it_is_worded(variant_id: str) -> None:
    figures = Judging(BOTH, frozenset((RIGHT,))).judge(variant_id, range(1))
    assert sum(figures.total.values()) >= 20
    assert figures.stopped.total() == 0, "\n".join(map(str, figures.examples))


@pytest.mark.heavy
@pytest.mark.parametrize("variant_id", variant_ids())
def test_no_right_answer_is_stopped_over_fifty_seeds(variant_id: str) -> None:
    figures = Judging(BOTH, frozenset((RIGHT,))).judge(variant_id, range(50))
    assert figures.stopped.total() == 0, "\n".join(map(str, figures.examples))


@pytest.fixture(scope="module")
def figures() -> Figures:
    found = Figures()
    for variant_id in ("refund-closure#1", "stock-count#1", "staff-contact#1"):
        found += Judging(BOTH, frozenset((*KINDS, RIGHT)), examples=2).judge(variant_id, range(1))
    return found


def test_only_what_is_open_is_kept_in_words(figures: Figures) -> None:
    wordings = defaultdict(set)
    for part, kind, wording, _ in figures.total:
        wordings[part].add((kind, wording))
    assert wordings[OPEN]
    assert wordings[APART]
    assert not wordings[OPEN] & wordings[APART]
    assert {(each.kind, each.wording) for each in figures.examples} <= wordings[OPEN]


def test_the_report_tells_every_kind_and_no_wording_of_the_part_kept_apart(figures: Figures) -> None:
    lines = "\n".join(lines_of(figures, [APART]))
    for part, kind, _, _ in figures.total:
        assert kind in lines or part == OPEN or kind == RIGHT
    assert " wordings: lowest " in lines
    assert not any(each.entry in lines for name in WORDINGS for each in WORDINGS[name] if len(each.entry) > 15)


def test_figures_add_up(figures: Figures) -> None:
    rows = as_data(figures)["rows"]
    assert isinstance(rows, list)
    assert sum(each["total"] for each in rows) == figures.total.total()
    assert sum(each["stopped"] for each in rows) == figures.stopped.total()
    assert sum(counted.total() for counted in figures.rules.values()) == figures.stopped.total()
    assert all(figures.stopped[key] <= count for key, count in figures.total.items())


def test_a_trace_is_what_its_script_did() -> None:
    trial = PlayedTrial.pose("refund-closure#1", "spoiled 0")
    assert [each.path for each in trial.right.recorder.evidence_log.view().changes] == ["/bin/refund"]
    assert trial.right.is_right(trial.right.pad)
    assert not trial.idle.recorder.evidence_log.view().changes
    assert not trial.idle.is_right(trial.idle.pad)
    failed = list(KINDS["claimed-deed-after-failure"].make(trial))
    executions = failed[0].play.recorder.evidence_log.view().executions
    assert [each.exit_code for each in executions if each.path == "/bin/refund"] == [1]
    assert not failed[0].play.recorder.evidence_log.view().changes
