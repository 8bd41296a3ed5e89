"""Kinds about citations: dropped, needless, in part, and of somebody else's records."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from benchmarks.ecom.tasks.task import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.spoiled.pad_changes import reasons_of, with_reasons, without_refs
from tests.spoiled.played_trial import PlayedTrial
from tests.spoiled.scene import named_records, scene_of
from tests.spoiled.script_variants import PartialClient
from tests.spoiled.speaking import right_reading, spoken
from tests.spoiled.spoil import Kind, Spoil
from tests.spoiled.strangers import name_of
from tests.spoiled.wordings import CHOICES, STRANGERS

LEAST_OF_A_SET: Final = 3


def foreign_record(trial: PlayedTrial) -> str:
    """Return the path of the other customer's record that is asked about, or an empty string."""
    inputs, is_foreign = trial.truth.inputs, trial.truth.outcome == DENIED
    if is_foreign and trial.family in ("foreign-basket", "refund-closure", "verification-restart"):
        return inputs.get("basket") or inputs["payment"]
    return ""


def _foreign_as_unsupported(trial: PlayedTrial) -> Iterator[Spoil]:
    """Another customer's record is judged by its state, as if it were the asker's, and cited."""
    path = foreign_record(trial)
    if not path:
        return
    play, scene = right_reading(trial, [path]), scene_of(trial)
    name = named_records(trial.task.world)[path]
    citations = {**reasons_of(play.pad), path: f"record of {name}, with its status"}
    slots = {**scene.slots, "reason": f"the status of {name} does not allow it"}
    yield from spoken(play, with_reasons(play.pad, citations), "blocked", slots, outcome=UNSUPPORTED)


def _foreign_record_cited(trial: PlayedTrial) -> Iterator[Spoil]:
    """The refusal is right, and cites the other customer's record."""
    path = foreign_record(trial)
    if not path:
        return
    play = right_reading(trial, [path])
    name = named_records(trial.task.world)[path]
    citations = {**reasons_of(play.pad), path: f"{name} belongs to another customer"}
    yield from spoken(play, with_reasons(play.pad, citations), "denials", scene_of(trial).slots)


def _set_in_part(trial: PlayedTrial) -> Iterator[Spoil]:
    """Of a set that is enumerated only a part is cited; once all of it was read, once only that part."""
    if trial.truth.outcome not in (OK, CLARIFICATION) or len(trial.truth.records) < LEAST_OF_A_SET:
        return
    records = list(trial.truth.records)
    for each in CHOICES["parts"]:
        kept = set(each.entry(records))
        dropped = [path for path in records if path not in kept]
        yield Spoil(each.title, each.part, trial.right, without_refs(trial.right.pad, dropped))
        client = partial(PartialClient, skipped=dropped)
        play = trial.play(("part", *dropped), trial.reference, client=client)
        yield Spoil(each.title, each.part, play, without_refs(play.pad, dropped))


def _dropped_reference(trial: PlayedTrial) -> Iterator[Spoil]:
    """Something that was read and had to be cited is not cited."""
    refs = list(reasons_of(trial.right.pad))
    for each in CHOICES["drops"]:
        dropped = each.entry(refs)
        if dropped:
            yield Spoil(each.title, each.part, trial.right, without_refs(trial.right.pad, dropped))


def _extra_reference(trial: PlayedTrial) -> Iterator[Spoil]:
    """A record was read and cited that the answer does not rest on."""
    for each in STRANGERS["extras"]:
        paths = each.entry(trial)
        if paths:
            play = right_reading(trial, paths)
            citations = {path: f"record of {name_of(trial, path)}" for path in paths}
            yield Spoil(each.title, each.part, play, with_reasons(play.pad, {**reasons_of(play.pad), **citations}))


KINDS: Final = (
    Kind("foreign-as-unsupported", _foreign_as_unsupported),
    Kind("foreign-record-cited", _foreign_record_cited),
    Kind("set-in-part", _set_in_part),
    Kind("dropped-reference", _dropped_reference),
    Kind("extra-reference", _extra_reference),
)
