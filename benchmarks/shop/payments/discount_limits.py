"""Adds the largest discount that is allowed to the refusal of a larger one.

A customer asks for 20 %, and the shop gives at most 10 %. The refusal must name this limit. The
solver has often noted it ("the maximum is 10 %") and then written only "Not allowed."
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from controlplane.benchmarks.shop.answering.answer_forms import without_outcome_name
from controlplane.gates.submission import UNSUPPORTED

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import Completion


_LARGEST_DISCOUNT: Final = re.compile(
    r"[^.;\n]*\b(?:max(?:imum)?|cap(?:ped)?|limit(?:ed)?|most|up to)\b[^.;\n]*?"
    r"\b\d+(?:[.,]\d+)?\s?%[^.;\n]*",
    re.IGNORECASE,
)
"""A clause of a note that states a limit: `the maximum is 10 %`."""


def with_largest_discount(answer: Completion) -> Completion:
    """Return the refusal of a discount with the largest one allowed, which the notes may state.

    "Not allowed." with the note "the maximum is 10 %" -> "Not allowed. the maximum is 10 %".
    An answer that names a percentage, or is not a refusal, stays the same.
    """
    message = without_outcome_name(answer.message).strip()
    if answer.outcome != UNSUPPORTED or "%" in message:
        return answer
    for note in answer.notes.splitlines():
        clause = _LARGEST_DISCOUNT.search(note)
        if clause is not None:
            text = f"{message} {clause[0].strip()}".strip()
            return answer.model_copy(update={"message": text})
    return answer
