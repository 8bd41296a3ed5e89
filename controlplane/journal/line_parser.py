"""Turns the lines of a journal into events."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError

from controlplane.agent.events import StepEvent, TrialStarted, event_classes, type_of
from controlplane.agent.record.trial_step import TrialStep
from controlplane.journal.run_events import JOURNAL_EVENT, JournalEvent
from controlplane.journal.step_parts import restore_parts
from controlplane.journal.stored_texts import REFERENCE_BYTES, StoredTexts
from controlplane.journal.text_references import resolved
from controlplane.sandbox.interface import bounds, parse_json

_COUNTED: Final = frozenset(
    type_of(kind).encode() for kind in event_classes() if kind.in_totals
)
"""The types of the events that the totals need."""
_COUNTED_WITHOUT_TEXTS: Final = (b"step", b"model_replied", b"submission_judged")
"""Of these, the totals do not need the long texts, such as scripts and replies."""


class LineParser:
    """Turns lines into events. It gets the lines of a trial in order.

    What a step did is written while it runs. The step's last line does not repeat it:

        {"type":"call","step":3,"number":0,"operation":"read",…}
        {"type":"call","step":3,"number":1,…}
        {"type":"step","step":3,"calls":[0,1],…}

    So the parser collects the first lines of each trial's step. In the event of the last
    line, the calls themselves take the place of their numbers (`restore_parts`).
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
            fields = resolved(fields, self._texts.text_of)
        trial_id = str(fields.get("trial_id"))
        # The last line of a step. That of step 0, the initial prompt, has a type of its own.
        if fields.get("type") in ("step", "conversation_opened"):
            step = self._steps.pop(trial_id, TrialStep())
            restore_parts(fields, step, with_calls=with_calls)
        event = JOURNAL_EVENT.validate_python(fields)
        self._add_to_step(event, trial_id)
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

    def _add_to_step(self, event: JournalEvent, trial_id: str) -> None:
        """Update the trial's unfinished step if the event belongs to it."""
        if isinstance(event, TrialStarted) and trial_id in self._steps:
            # The attempt before was interrupted in a step.
            if event.begins_anew:
                del self._steps[trial_id]
            else:
                self._steps[trial_id].begin_attempt(event)
        elif isinstance(event, StepEvent) and event.entry is not None:
            step = self._steps.get(trial_id)
            if step is None or step.number != event.step:
                step = TrialStep(event.step)
                self._steps[trial_id] = step
            step.add(event)


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
