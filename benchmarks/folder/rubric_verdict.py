"""A model's verdict on a trial by a rubric: a score, and faults with quotations.

    {"faults": [{"quote": "signed on Monday", "fault": "the day is wrong"}], "score": 0.5}

A verdict counts only if each quotation occurs in what the model has seen, and if a score
below 1 has at least one fault.
"""

from __future__ import annotations

from pydantic import Field

from controlplane.agent.model import Frozen
from controlplane.gates.text_folding import bare_text


class Fault(Frozen):
    """A fault, and a quotation that shows it."""

    quote: str
    fault: str


class RubricVerdict(Frozen):
    """The reply of a rubric's model."""

    faults: list[Fault]
    score: float = Field(ge=0, le=1)


def verdict_in(reply: str) -> RubricVerdict | None:
    """Return the verdict in a reply; None if it has another form.

    Text around the JSON object, such as "Here is my verdict:", is ignored.
    """
    json_text = reply[reply.find("{") : reply.rfind("}") + 1]
    try:
        return RubricVerdict.model_validate_json(json_text)
    except ValueError:
        return None


def objection_to(verdict: RubricVerdict | None, quotable_text: str) -> str:
    """Return what to tell the model if its verdict is invalid; empty if it is valid.

    None means that its reply was no verdict. `quotable_text` is what the model may quote, as
    `bare_text` returns it: without differences of case and spaces.
    """
    if verdict is None:
        return "Reply with one JSON object with faults and score alone."
    for fault in verdict.faults:
        quote = bare_text(fault.quote)
        if not quote or quote not in quotable_text:
            return (
                f"Quote each fault word by word: {fault.quote!r:.200} "
                "stands neither in the answer nor in the rubric."
            )
    has_faults = bool(verdict.faults)
    is_below_1 = verdict.score < 1
    if has_faults != is_below_1:
        return "Quote each fault word by word: a score is below 1 if there is a fault."
    return ""
