"""Kinds kept apart, about values, classes and citations. Who writes or changes a gate or a rule does not read this."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from benchmarks.ecom.tasks.task import CLARIFICATION, DENIED, UNSUPPORTED
from tests.spoiled.pad_changes import reasons_of, saying, with_reasons, without, without_refs
from tests.spoiled.played_trial import PlayedTrial
from tests.spoiled.scene import named_records, scene_of
from tests.spoiled.script_variants import PartialClient
from tests.spoiled.speaking import dressed, in_two_citations, right_reading, spoken, unchanged
from tests.spoiled.spoil import Kind, Spoil
from tests.spoiled.wordings import CHOICES, WORDINGS

COUNTS: Final = ("price-count", "stock-count", "staff-count")
NO_ROOM: Final = 1
"""Characters of turn one that leave no room for any document but the rules."""


def _wrong_number(trial: PlayedTrial) -> Iterator[Spoil]:
    """A count that is off, in the demanded form and with the right citations."""
    if trial.family not in COUNTS:
        return
    pattern = trial.truth.inputs.get("pattern", "%d")
    right = int("".join(each for each in trial.truth.message if each.isdigit()))
    for count in (right + 1, right - 1, 0, right + 3):
        if count >= 0 and count != right:
            yield from dressed(trial.right, saying(trial.right.pad, pattern % count))


def _near_misses_for_a_no(trial: PlayedTrial) -> Iterator[Spoil]:
    """A no that cites the products which nearly fit: a wrong no, or a right one that cites what does not fit."""
    if trial.family != "product-existence":
        return
    inputs, world = trial.truth.inputs, trial.task.world
    near = [path for path in inputs["paths"].split("\n") if path not in trial.truth.records]
    play = right_reading(trial, near)
    names = named_records(world)
    for paths in (near, near[:1]):
        cited = {path: f"{names[path]} does not have it" for path in paths}
        if cited:
            yield from dressed(play, with_reasons(saying(play.pad, inputs["no"]), cited))


def _ok_for_clarification(trial: PlayedTrial) -> Iterator[Spoil]:
    """Several fit; the answer lists them, or picks one, and is called an answer."""
    if trial.truth.outcome == CLARIFICATION:
        slots = scene_of(trial).slots
        yield from unchanged(trial.right, trial.right.pad, "listings", slots)
        yield from unchanged(trial.right, trial.right.pad, "questions", slots)


def _refusal_for_clarification(trial: PlayedTrial) -> Iterator[Spoil]:
    """Several fit; the answer refuses in place of asking."""
    if trial.truth.outcome == CLARIFICATION:
        slots = {**scene_of(trial).slots, "reason": "several records fit the request"}
        yield from in_two_citations(
            trial, UNSUPPORTED, lambda play, pad: spoken(play, pad, "blocked", slots, outcome=UNSUPPORTED)
        )
        yield from in_two_citations(
            trial, DENIED, lambda play, pad: spoken(play, pad, "denials", slots, outcome=DENIED)
        )


def _other_refusal(trial: PlayedTrial) -> Iterator[Spoil]:
    """A refusal is due, and another one is given, or a question in its place."""
    outcome, scene = trial.truth.outcome, scene_of(trial)
    if outcome not in (DENIED, UNSUPPORTED):
        return
    play, slots = trial.right, {**scene.slots, "reason": scene.detail or "this is not something that can be done here"}
    other, table = (UNSUPPORTED, "blocked") if outcome == DENIED else (DENIED, "denials")
    yield from in_two_citations(trial, other, lambda play, pad: spoken(play, pad, table, slots, outcome=other))
    yield from spoken(play, play.pad, "vague-questions", slots, outcome=CLARIFICATION)


def _empty_reason(trial: PlayedTrial) -> Iterator[Spoil]:
    """One citation has a reason that names nothing of what stands in the file."""
    refs = reasons_of(trial.right.pad)
    for path in list(refs)[:2]:
        for each in WORDINGS["empty-reasons"]:
            pad = with_reasons(trial.right.pad, {**refs, path: each.entry})
            yield Spoil(each.title, each.part, trial.right, pad, is_wrong_unseen=True)


def _unread_reference(trial: PlayedTrial) -> Iterator[Spoil]:
    """What had to be cited was neither read nor cited: records that the script left out, documents not shown."""
    refs = list(reasons_of(trial.right.pad))
    for each in CHOICES["drops"]:
        dropped = tuple(each.entry(refs))
        if not dropped:
            continue
        room = {"opening_chars": NO_ROOM} if not all(path.startswith("/proc/") for path in dropped) else {}
        client = partial(PartialClient, skipped=dropped)
        play = trial.play(("unread", dropped), trial.reference, client=client, **room)
        pad = without_refs(without(play.pad, "tokens"), dropped)
        if not all(play.has_touched(path) for path in dropped):
            yield Spoil(each.title, each.part, play, pad)


KINDS: Final = (
    Kind("wrong-number", _wrong_number),
    Kind("near-misses-for-a-no", _near_misses_for_a_no),
    Kind("ok-for-clarification", _ok_for_clarification),
    Kind("refusal-for-clarification", _refusal_for_clarification),
    Kind("other-refusal", _other_refusal),
    Kind("empty-reason", _empty_reason),
    Kind("unread-reference", _unread_reference),
)
