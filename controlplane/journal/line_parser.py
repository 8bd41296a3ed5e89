"""Turns the lines of a journal into events, and the events of whole steps into lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from controlplane.agent.events import (
    IN_REPLY_LINE,
    NOT_IN_LINES,
    CallEvent,
    CallRecord,
    Citation,
    ConversationOpened,
    Event,
    StepDone,
    StepEvent,
    TrialStarted,
    event_classes,
    fields_marked,
    type_of,
)
from controlplane.agent.record.trial_step import (
    TrialStep,
    entry_fields,
)
from controlplane.journal.run_events import JOURNAL_EVENT, JournalEvent
from controlplane.journal.stored_texts import REFERENCE_BYTES, StoredTexts, resolved
from controlplane.sandbox.interface import bounds, parse_json

# The journal line of a whole step, which has the numbers of its calls instead of the calls.

# Each call, citation and submission of a step has a line of its own, as has the model's
# reply. The line of the whole step comes last, and repeats none of them: it has only
# their numbers, from 0. So a step of two calls has these lines:
#
#     {…,"type":"call","step":3,"number":0,…}
#     {…,"type":"call","step":3,"number":1,…}
#     {…,"type":"step","step":3,"calls":[0,1],…}
#
# The initial prompt is written in the same way: it is step 0, whose calls come before
# the line of the whole prompt, the event `ConversationOpened`.
#
# The class of an event marks such fields with `Annotated[…, IN_OWN_LINES]`. Fields with
# `IN_REPLY_LINE`, such as `cost_usd`, are only in the line of the model's reply.


_EVENTS_OF_STEPS: Final = (ConversationOpened, StepDone)
_FIELDS_IN_REPLY_LINE: Final = fields_marked(StepDone, IN_REPLY_LINE)
_FIELDS_OF_CALL_NOT_IN_LINES: Final = fields_marked(CallEvent, NOT_IN_LINES)
"""The fields of a call that its line does not have, such as `may_change`."""


def fields_to_write(event: Event) -> dict[str, Any]:
    """Return the fields of `event` as written in its line. `_restore_parts` does the reverse."""
    kind = type(event)
    if kind is CallEvent:
        call_fields = dict(event.__dict__)
        for name in _FIELDS_OF_CALL_NOT_IN_LINES:
            del call_fields[name]
        return call_fields
    if kind not in _EVENTS_OF_STEPS:
        return event.__dict__
    fields: dict[str, Any] = {}
    for name, value in event.__dict__.items():
        if name in entry_fields(kind):
            fields[name] = list(range(len(value)))
        elif kind is not StepDone or name not in _FIELDS_IN_REPLY_LINE:
            fields[name] = value
    return fields


def _restore_parts(
    fields: dict[str, Any], step: TrialStep, *, with_calls: bool = True
) -> None:
    """Replace the part numbers in `fields`, read from a step's line, by the parts themselves.

    For example `{"calls": [0]}` becomes `{"calls": (CallRecord(…),)}`. `step` has the
    parts, from lines before. Without `with_calls`, the calls and citations become empty.
    The line of a whole step also gets the model's reply.

    Raises `ValueError` for wrong numbers.
    """
    is_step = fields["type"] == type_of(StepDone)
    event_class = StepDone if is_step else ConversationOpened
    for name, kind in entry_fields(event_class).items():
        if with_calls or kind not in (CallRecord, Citation):
            _restore(fields, name, step.entries_of(kind))
        elif name in fields:
            fields[name] = ()
    if is_step:
        fields.update(step.reply_fields)


def _restore(fields: dict[str, Any], name: str, parts: Sequence[object]) -> None:
    """Replace the numbers in the field `name`, if the line has it, by the parts that they name.

    This changes `fields`: `{"calls": [1, 0]}` gets the second and the first of `parts`. Raises `ValueError` if the field is not a list,
    or has an unknown number or a number twice.
    """
    if name not in fields:
        return
    numbers = fields[name]
    msg = f"its {name} do not name lines before it, each once"
    if not isinstance(numbers, list):
        raise ValueError(msg)  # noqa: TRY004 - like any other line that is damaged
    chosen: dict[int, object] = {}  # by number, to notice one that comes twice
    for number in numbers:
        if not isinstance(number, int) or number in chosen:
            raise ValueError(msg)
        if not 0 <= number < len(parts):
            raise ValueError(msg)
        chosen[number] = parts[number]
    fields[name] = tuple(chosen.values())


# Turns the lines of a journal into events.

_KNOWN: Final = frozenset(type_of(kind).encode() for kind in event_classes())
"""The types of all events."""
_COUNTED: Final = frozenset(
    type_of(kind).encode() for kind in event_classes() if kind.in_totals
)
"""The types of the events that the totals need."""
_COUNTED_WITHOUT_TEXTS: Final = (b"step", b"model_replied", b"submission_judged")
"""Of these, the totals do not need the long texts, such as scripts and replies."""


def is_known(event_type: bytes) -> bool:
    """Return True if this version has a class for the events of a type, such as `b"step"`."""
    return event_type in _KNOWN


class LineParser:
    """Turns lines into events. It gets the lines of a trial in order.

    What a step did is written while it runs. The step's last line does not repeat it:

        {"type":"call","step":3,"number":0,"operation":"read",…}
        {"type":"call","step":3,"number":1,…}
        {"type":"step","step":3,"calls":[0,1],…}

    So the parser collects the first lines of each trial's step. In the event of the last
    line, the calls themselves take the place of their numbers (`_restore_parts`).
    """

    def __init__(self, texts: StoredTexts) -> None:
        self._texts = texts
        self._steps: dict[str, TrialStep] = {}
        """Each trial's unfinished step, by trial id."""

    def event_of(
        self, line: bytes, *, with_texts: bool = True, with_calls: bool = True
    ) -> JournalEvent:
        """Return the event in a line. Raises `ValueError` and `KeyError`.

        - `with_texts`: if False, references to stored texts (long strings that have a
          line of their own) are not replaced by the texts.
        - `with_calls`: if False, the event of a whole step has no calls and citations.
        """
        fields = fields_of(line)
        # Most lines have no reference, and searching all their values for one would be slow.
        if with_texts and REFERENCE_BYTES in line:
            fields = resolved(fields, self._texts.stored)
        trial_id = str(fields.get("trial_id"))
        # The last line of a step. That of step 0, the initial prompt, has a type of its own.
        if fields.get("type") in ("step", "conversation_opened"):
            step = self._steps.pop(trial_id, TrialStep())
            _restore_parts(fields, step, with_calls=with_calls)
        event = JOURNAL_EVENT.validate_python(fields)
        # Update the trial's unfinished step if the event belongs to it.
        if isinstance(event, TrialStarted) and trial_id in self._steps:
            # The attempt before was interrupted in a step.
            if event.begins_anew:
                del self._steps[trial_id]
            else:
                self._steps[trial_id].begin_attempt(event)
        elif isinstance(event, StepEvent) and event.entry is not None:
            open_step = self._steps.get(trial_id)
            if open_step is None or open_step.number != event.step:
                open_step = TrialStep(event.step)
                self._steps[trial_id] = open_step
            open_step.add(event)
        return event

    def counted_event_of(self, line: bytes, event_type: bytes) -> JournalEvent | None:
        """Return the event in a line with the fields that the totals need, or None.

        None means that the totals do not need such events. `event_type` is empty if it
        could not be found without parsing the line. Raises as `event_of` does.
        """
        if event_type and event_type not in _COUNTED:
            return None
        with_texts = event_type not in _COUNTED_WITHOUT_TEXTS
        return self.event_of(line, with_texts=with_texts, with_calls=False)


def fields_of(line: bytes) -> dict[str, Any]:
    """Return the fields of a line, without hashes and signature (`mark`). Raises `ValueError`."""
    fields = parse_json(line, most_bytes=bounds.MOST_LINE_BYTES)
    if not isinstance(fields, dict):
        msg = "it is not a JSON object"
        raise ValueError(msg)  # noqa: TRY004 - like any other line that is not a journal's
    del fields["prev"], fields["hash"]
    fields.pop("mark", None)
    return fields


def fault_of_line(error: Exception) -> str:
    """Describe the fault of a line in a few words."""
    if isinstance(error, KeyError):
        return "it refers to a text that no earlier line holds"
    if not isinstance(error, ValidationError):
        return str(error)
    fault = error.errors()[0]
    if fault["type"] == "union_tag_invalid":
        return f"there is no event {fault['ctx']['tag']!r}; is it of a newer version?"
    where = f"{fault['loc'][-1]}: " if fault["loc"] else ""
    return f"{where}{fault['msg']}"
