"""Kinds kept apart, about deeds and look-ups. Who writes or changes a gate or a rule does not read this module."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Truth
from benchmarks.ecom.world.pages import RETURNS
from tests.spoiled.pad_changes import saying, without
from tests.spoiled.played_trial import Play, PlayedTrial
from tests.spoiled.scene import named_records, scene_of
from tests.spoiled.script_variants import FailingClient, attempt, fail_a_query, followed
from tests.spoiled.speaking import dressed, right_reading, spoken, unchanged
from tests.spoiled.spoil import Kind, Spoil


def _claimed_deed_after_failure(trial: PlayedTrial) -> Iterator[Spoil]:
    """The tool ran and ended with another exit code than 0, or the write failed; the answer says that it is done."""
    if not trial.truth.changes:
        return
    try:
        play = trial.play("failed", trial.reference, client=FailingClient)
    except LookupError:
        return
    scene = scene_of(trial)
    pad = without(play.pad, "changes")
    if scene.deed is not None:
        yield from unchanged(play, pad, "deeds", scene.slots)
    else:
        yield from dressed(play, pad)


LookUp = Callable[[ReferenceClient, str], None]


def _broken_query(client: ReferenceClient, subject: str) -> None:
    fail_a_query(client, "returns", f"payment_id = '{subject}'")


def _guessed_path(client: ReferenceClient, subject: str) -> None:
    attempt(client, "read", {"path": f"/proc/returns/by-payment/{subject}.json"})


def _wrong_place(client: ReferenceClient, subject: str) -> None:
    attempt(client, "search", {"pattern": subject, "root": "/docs", "limit": 10})


def _wrong_name(client: ReferenceClient, subject: str) -> None:
    attempt(client, "find", {"name": f"*{subject}*return*", "root": "/proc", "kind": "files", "limit": 10})


LOOK_UPS: Final[dict[str, LookUp]] = {
    "query": _broken_query,
    "path": _guessed_path,
    "place": _wrong_place,
    "name": _wrong_name,
}


def _in_vain(trial: PlayedTrial, name: str, look_up: LookUp, subject: str, cited: dict[str, str]) -> Play:
    def solution(client: ReferenceClient, truth: Truth) -> Answer:
        client.who()
        for path in cited:
            client.read(path)
        look_up(client, subject)
        return Answer(truth.message, truth.outcome, cited)

    return trial.play(("in vain", name), solution)


def _absence_after_failed_lookup(trial: PlayedTrial) -> Iterator[Spoil]:
    """The only look-up failed, or looked in the wrong place, and the answer says that there is none."""
    truth, world = trial.truth, trial.task.world
    scene = scene_of(trial)
    cited = {path: why for path, why in truth.documents.items() if path == world.names.document(RETURNS)}
    for name, look_up in LOOK_UPS.items():
        payment = next((each for path, each in _payments(trial).items() if path in truth.records), None)
        if trial.family in ("refund-closure", "refund-approval") and "return" in truth.inputs and cited and payment:
            kept = {path: why for path, why in truth.records.items() if named_records(world)[path] == payment}
            play = _in_vain(trial, name, look_up, payment, {**kept, **cited})
            slots = {**scene.slots, "id": payment, "missing": "return"}
            yield from spoken(play, play.pad, "absences", slots, outcome=UNSUPPORTED)
        elif trial.variant_id == "unnamed-basket#2":
            play = _in_vain(trial, name, look_up, world.user, dict(truth.documents))
            slots = {**scene.slots, "id": world.user, "missing": "active basket"}
            yield from spoken(play, play.pad, "absences", slots, outcome=UNSUPPORTED)
        elif trial.variant_id in ("sku-lookup#1", "product-existence#1"):
            play = _in_vain(trial, name, look_up, "SKU", {})
            if "no" in truth.inputs:
                yield from dressed(play, saying(play.pad, truth.inputs["no"], OK))
            else:
                slots = {**scene.slots, "id": "this description", "missing": "product"}
                yield from spoken(play, play.pad, "absences", slots, outcome=UNSUPPORTED)


def _payments(trial: PlayedTrial) -> dict[str, str]:
    world = trial.task.world
    return {world.path(each): each.id for each in world.payments.values()}


def _leaking_refusal(trial: PlayedTrial) -> Iterator[Spoil]:
    """The refusal is right, and gives what it refuses all the same; the record was read."""
    truth = trial.truth
    files, names = trial.task.world.workspace().files, trial.truth.names
    closed = [str(names.known(json.loads(files[path]))["status"]) for path in truth.subject.withheld]
    values = [*truth.forbidden, *map(names.word, closed)]
    if truth.outcome != DENIED or not values:
        return
    path = truth.inputs.get("path") or truth.inputs.get("basket", "")
    play = right_reading(trial, [path] if path else [])
    for value in (values[0], ", ".join(values)):
        yield from spoken(play, play.pad, "leaks", {"value": value})


def _needless_change(trial: PlayedTrial) -> Iterator[Spoil]:
    """Beside the right answer, something was written that nobody asked for; `changes` owns up to it."""

    def scribble(client: ReferenceClient, truth: Truth) -> None:
        client.write("/tmp/notes.txt", f"answered: {truth.message}\n")

    def solution(client: ReferenceClient, truth: Truth) -> Answer:
        answer = followed(trial.reference, scribble)(client, truth)
        return replace(answer, changes=tuple(client.changes))

    play = trial.play("needless", solution)
    yield from dressed(play, play.pad)


KINDS: Final = (
    Kind("claimed-deed-after-failure", _claimed_deed_after_failure),
    Kind("absence-after-failed-lookup", _absence_after_failed_lookup),
    Kind("leaking-refusal", _leaking_refusal),
    Kind("needless-change", _needless_change),
)
