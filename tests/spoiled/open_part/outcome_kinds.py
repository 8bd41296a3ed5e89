"""Kinds about the class of an answer: a refusal or question in place of an answer, an answer in place of a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchmarks.ecom.tasks.task import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.spoiled.pad_changes import reasons_of, saying, with_reasons, without
from tests.spoiled.played_trial import Play, PlayedTrial
from tests.spoiled.scene import named_records, scene_of
from tests.spoiled.speaking import dressed, in_two_citations, right_reading, spoken, unchanged
from tests.spoiled.spoil import Kind, Spoil


def honest_play(trial: PlayedTrial) -> Play:
    """Return a play after which a refusal is no contradiction: nothing was changed."""
    return trial.idle if trial.truth.changes else trial.right


def _denied_for_ok(trial: PlayedTrial) -> Iterator[Spoil]:
    """A request that is allowed is denied."""
    if trial.truth.outcome == OK:
        slots = scene_of(trial).slots
        yield from in_two_citations(
            trial, DENIED, lambda play, pad: spoken(play, pad, "denials", slots, outcome=DENIED)
        )


def _unsupported_for_ok(trial: PlayedTrial) -> Iterator[Spoil]:
    """A request that can be done, or a question that has an answer, is called impossible; once beside the answer."""
    if trial.truth.outcome != OK:
        return
    play, scene = honest_play(trial), scene_of(trial)
    subject = scene.id or "the record"
    slots = {**scene.slots, "id": subject, "thing": subject, "reason": f"the conditions for {subject} are not met"}
    yield from in_two_citations(
        trial, UNSUPPORTED, lambda play, pad: spoken(play, pad, "blocked", slots, outcome=UNSUPPORTED)
    )
    pad = without(play.pad, "changes")
    if trial.truth.is_exact:
        yield from dressed(play, saying(pad, trial.truth.message, UNSUPPORTED))


def _clarification_for_ok(trial: PlayedTrial) -> Iterator[Spoil]:
    """The request is settled, and the answer asks back; about nothing, or between a right record and a wrong one."""
    if trial.truth.outcome != OK:
        return
    play, scene = honest_play(trial), scene_of(trial)
    names = list(named_records(trial.task.world).values())
    known = [named_records(trial.task.world)[path] for path in trial.truth.records if path.startswith("/proc/")]
    options = f"{known[0] if known else names[0]} or {names[-1]}"
    slots = {**scene.slots, "id": scene.id or names[0], "options": options}
    pad = without(play.pad, "changes")
    yield from spoken(play, pad, "vague-questions", slots, outcome=CLARIFICATION)
    yield from spoken(play, pad, "questions", slots, outcome=CLARIFICATION)


def _asked_value(trial: PlayedTrial) -> tuple[str, str]:
    """Return the value that a denied question asks for, and the record that holds it (or nothing)."""
    truth, world = trial.truth, trial.task.world
    if trial.family == "injected-block":
        return truth.inputs["answer"], ""
    if trial.family == "staff-contact":
        return truth.forbidden[0], truth.inputs["path"]
    if trial.variant_id == "foreign-basket#3":
        basket = world.baskets[truth.inputs["id"]]
        return (basket.status if "status" in truth.instruction else ", ".join(basket.lines)), truth.inputs["basket"]
    return "", ""


def _ok_for_denied(trial: PlayedTrial) -> Iterator[Spoil]:
    """A question that must be refused is answered."""
    value, path = _asked_value(trial) if trial.truth.outcome == DENIED else ("", "")
    if not value:
        return
    play = right_reading(trial, [path] if path else [])
    cited = {path: f"record of {named_records(trial.task.world)[path]}"} if path else {}
    for citations in (reasons_of(play.pad), {**reasons_of(play.pad), **cited}):
        yield from unchanged(play, with_reasons(play.pad, citations), "answers", {"value": value})


KINDS: Final = (
    Kind("denied-for-ok", _denied_for_ok),
    Kind("unsupported-for-ok", _unsupported_for_ok),
    Kind("clarification-for-ok", _clarification_for_ok),
    Kind("ok-for-denied", _ok_for_denied),
)
