"""The fields of events that verification compares, and those that only marks protect."""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import event_classes, type_of

FIELDS_OF_PLACE: Final = frozenset({"type", "at_ms", "trial_id", "step", "number"})
"""Fields that identify an event; verification does not concern them."""
UNMARKED: Final = (
    "settings, instructions, initial prompt, system texts, rules, replies with the scripts in them, "
    "results of calls, feedback, refunds, texts of fallback answers, usage, costs, times and scores"
)
"""The fields that `only_marked` returns, described for the user."""


def compared_fields() -> dict[str, tuple[str, ...]]:
    """Return the fields that verification compares, by event type: `{"step": ("output", …), …}`.

    Scripts and gates compute them again, or they follow from other lines of the trial.
    """
    compared: dict[str, tuple[str, ...]] = {}
    for kind in event_classes():
        if kind.compared_by_replay:
            compared[type_of(kind)] = kind.compared_by_replay
    return compared


def only_marked() -> dict[str, list[str]]:
    """Return the fields that verification cannot compute again, by event type.

    These are the fields that are not in `Event.compared_by_replay`. Only the mark
    of each line protects them: a signature with a key that only this user has.
    The same holds for calls of the initial prompt, steps that a limit ended,
    and texts of fallback answers.
    """
    marked: dict[str, list[str]] = {}
    for kind in event_classes():
        names = (
            kind.model_fields.keys() - FIELDS_OF_PLACE - set(kind.compared_by_replay)
        )
        if names:
            marked[type_of(kind)] = sorted(names)
    return marked
