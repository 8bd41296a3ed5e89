"""The journal line of a whole step, which has the numbers of its calls instead of the calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from controlplane.agent.events import (
    IN_REPLY_LINE,
    NOT_IN_LINES,
    CallEvent,
    CallRecord,
    Citation,
    ConversationOpened,
    Event,
    StepDone,
    fields_marked,
    type_of,
)
from controlplane.agent.record.trial_step import (
    TrialStep,
    entry_fields,
)

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
    """Return the fields of `event` as written in its line. `restore_parts` does the reverse."""
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
            fields[name] = _line_numbers(value)
        elif kind is not StepDone or name not in _FIELDS_IN_REPLY_LINE:
            fields[name] = value
    return fields


def _line_numbers(parts: Sequence[object]) -> list[int]:
    """Return the numbers of the lines that the parts have, in order: `[0, 1]` for two calls."""
    return list(range(len(parts)))


def restore_parts(
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
