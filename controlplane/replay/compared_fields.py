"""The fields of a journal's events that `controlplane replay` can compute again, and the others.

The class of an event lists the fields that a replay can compute: an `answer_sent` has
`compared_by_replay = ("message", "outcome", …)`, which follow from what the script
submitted. No replay can compute a model's reply, for example. Only the signature of the
line protects such a field.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import event_classes, type_of

IDENTIFYING_FIELDS: Final = frozenset({"type", "at_ms", "trial_id", "step", "number"})
"""Fields that say which event it is. They are neither compared nor listed as protected."""
SIGNED_ONLY_TEXT: Final = (
    "settings, instructions, initial prompt, system texts, rules, replies with the scripts in them, "
    "results of calls, feedback, refunds, texts of fallback answers, usage, costs, times and scores"
)
"""Describes the result of `signed_only_fields` for the user."""


def compared_fields() -> dict[str, tuple[str, ...]]:
    """Return the fields that are compared, by type of event: `{"step": ("output", …), …}`."""
    compared: dict[str, tuple[str, ...]] = {}
    for event_class in event_classes():
        if event_class.compared_by_replay:
            compared[type_of(event_class)] = event_class.compared_by_replay
    return compared


def signed_only_fields() -> dict[str, list[str]]:
    """Return the fields that are not compared, by type of event: `{"model_replied": ["cost_usd", …], …}`.

    Only the signature of their line protects them. Its key belongs to this user.
    """
    signed_only: dict[str, list[str]] = {}
    for event_class in event_classes():
        names = set(event_class.model_fields)
        names -= IDENTIFYING_FIELDS
        names -= set(event_class.compared_by_replay)
        if names:
            signed_only[type_of(event_class)] = sorted(names)
    return signed_only
