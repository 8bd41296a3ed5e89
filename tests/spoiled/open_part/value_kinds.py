"""Kinds about values: the opposite word, another value than the recorded one, a wrong reason, another record's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import OK, UNSUPPORTED, Truth
from benchmarks.ecom.world.shop_records import Record
from tests.spoiled.pad_changes import saying
from tests.spoiled.played_trial import PlayedTrial
from tests.spoiled.scene import all_records, scene_of
from tests.spoiled.speaking import dressed, spoken
from tests.spoiled.spoil import Kind, Spoil

INSTANT: Final = "%Y-%m-%dT%H:%M:%SZ"
STATUSES: Final = ("requested", "rejected", "closed", "refund_pending", "approved", "settled", "awaiting_verification")


def _wrong_yes_no(trial: PlayedTrial) -> Iterator[Spoil]:
    """The other of the workspace's two words, with the right citations."""
    inputs = trial.truth.inputs
    if "yes" in inputs and "no" in inputs:
        other = inputs["no"] if trial.truth.message == inputs["yes"] else inputs["yes"]
        yield from dressed(trial.right, saying(trial.right.pad, other))


def _other_values(trial: PlayedTrial) -> list[str]:
    """Return values of the right form that are not the recorded one, the most tempting first."""
    truth, world = trial.truth, trial.task.world
    match trial.family:
        case "record-field":
            return _values_of_the_like(trial)
        case "calendar-date":
            day = datetime.strptime(truth.message, truth.inputs["pattern"]).astimezone()
            return [(day + timedelta(days)).strftime(truth.inputs["pattern"]) for days in (-1, 1, 7)]
        case "origin-fact":
            dates = [world.origin.rumour, world.origin.opened_on, world.origin.registered_on, world.origin.named_on]
            fields = [str(each.data().get(truth.inputs["field"], "")) for each in world.stores.values()]
            return [str(each) for each in (fields if truth.inputs["path"] else dates)]
        case "sku-lookup" if truth.outcome == OK:
            return [each.sku for each in world.catalogue.products.values() if each.sku[:4] == truth.message[:4]]
        case "open-branches":
            names = sorted(each.name for each in world.stores.values() if each.city == truth.inputs["city"])
            right = truth.message.split("\n")
            return ["\n".join(each) for each in (names, right[1:], right[:-1], names[:1]) if each]
        case "temporary-files":
            right = truth.message.split("\n")
            return ["\n".join(each) for each in (right[1:], right[:-1], sorted([*right, truth.inputs["outside"]]))]
    return []


def _values_of_the_like(trial: PlayedTrial) -> list[str]:
    """Return other fields of the record that a field is asked of, and the same field of records of its kind."""
    path, field, world = trial.truth.inputs["path"], trial.truth.inputs["field"], trial.task.world
    for records in all_records(world):
        own = next((each for each in records if world.path(each) == path), None)
        if own is not None:
            beside = [str(value) for value in own.data().values() if isinstance(value, str | int)]
            return [*(str(each.data().get(field, "")) for each in records), *beside[::-1]]
    return []


def _wrong_recorded_value(trial: PlayedTrial) -> Iterator[Spoil]:
    """Another value of the same form, with the right citations; an export with a wrong cell."""
    if trial.family == "inventory-export":
        play = trial.play("wrong export", _wrong_export)
        yield from dressed(play, play.pad)
        return
    wrong = [each for each in dict.fromkeys(_other_values(trial)) if each and each != trial.truth.message]
    for value in wrong[:3]:
        yield from dressed(trial.right, saying(trial.right.pad, value))


def _wrong_export(client: ReferenceClient, truth: Truth) -> Answer:
    """Write the table with the last cell of its second row off by one."""
    client.read_cited(truth)
    rows = (truth.changes[truth.inputs["path"]] or "").split("\n")
    cells = rows[1].split(",")
    rows[1] = ",".join([*cells[:-1], str(int(cells[-1]) + 1)])
    client.write(truth.inputs["path"], "\n".join(rows))
    return client.answer(truth, truth.inputs["path"])


def _other_details(token: str, said: str, states: Iterable[str]) -> list[str]:
    """Return what is said, with another value in the place of the token, and without any."""
    if token.isdigit():
        others = [str(int(token) + 1), str(int(token) * 2 + 3)]
    elif token[:4].isdigit():
        moment = datetime.strptime(token, INSTANT).astimezone()
        others = [(moment + timedelta(hours=1)).strftime(INSTANT), (moment - timedelta(days=1)).strftime(INSTANT)]
    else:
        others = [each for each in states if each != token][:2]
    return [*(said.replace(token, each) for each in others), "the rules do not allow it"]


def _wrong_detail(trial: PlayedTrial) -> Iterator[Spoil]:
    """The request is rightly called blocked, for a reason that is not the recorded one."""
    truth, scene = trial.truth, scene_of(trial)
    if truth.outcome == UNSUPPORTED and truth.tokens:
        states = [scene.called(each) for each in STATUSES]
        for detail in _other_details(truth.tokens[0], scene.detail, states):
            yield from spoken(trial.right, trial.right.pad, "details", {**scene.slots, "detail": detail})


def _exchanged(trial: PlayedTrial, right: Record, wrong: Record, inputs: Mapping[str, str]) -> Truth:
    """Return the truth with one record in the place of another."""
    truth, world = trial.truth, trial.task.world
    records: dict[str, str] = {}
    for path, why in truth.records.items():
        records |= world.cite([wrong]) if path == world.path(right) else {path: why}
    return replace(truth, records=records, inputs={**truth.inputs, **inputs})


def _misled(trial: PlayedTrial) -> Iterator[Truth]:
    """Yield truths about another branch or product, which the reference solution then answers as if they were asked."""
    truth, world = trial.truth, trial.task.world
    cited = set(truth.records)
    store = next((each for each in world.stores.values() if world.path(each) in cited), None)
    others = [each for each in world.stores.values() if world.path(each) not in cited]
    others.sort(key=lambda each: (store is not None and each.city != store.city, each.id))
    if store is not None and others and trial.family in ("stock-answer", "stock-count", "receipt-rebuy", "staff-count"):
        for other in others[:2]:
            name = other.id if trial.family == "staff-count" else world.path(other)
            misled = _exchanged(trial, store, other, {"store": name})
            if trial.family == "staff-count":
                role = truth.inputs["role"]
                staff = [e for e in world.employees.values() if role in e.roles and e.store_id == other.id]
                misled = replace(misled, records=world.cite([other, *staff]))
            yield misled
    if trial.family == "record-field":
        for records in all_records(world):
            own = next((each for each in records if world.path(each) == truth.inputs["path"]), None)
            strangers = [each for each in records if own is not None and each is not own]
            for each in strangers[:2]:
                assert own is not None
                yield _exchanged(trial, own, each, {"path": world.path(each)})
    if trial.family == "sku-lookup" and truth.outcome == OK:
        own = world.catalogue.products[truth.message]
        kin = [each for each in world.catalogue.family(own.family_id) if each is not own]
        for each in kin[:2]:
            yield _exchanged(trial, own, each, {"skus": each.sku})


def _another_record(trial: PlayedTrial) -> Iterator[Spoil]:
    """Everything is read, cited and computed soundly, for another branch, product or record than is asked about."""
    for number, misled in enumerate(_misled(trial)):
        play = trial.play(("misled", number), trial.reference, truth=misled)
        yield from dressed(play, play.pad)


KINDS: Final = (
    Kind("wrong-yes-no", _wrong_yes_no),
    Kind("wrong-recorded-value", _wrong_recorded_value),
    Kind("wrong-detail", _wrong_detail),
    Kind("another-record", _another_record),
)
