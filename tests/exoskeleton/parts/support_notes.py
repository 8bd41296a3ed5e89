"""Support notes, which may claim something wrong of a product: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "note_claim",
     "input": {"id": "support-note",
               "description": "the Sander that has motor kind brushless and supports voice control",
               "constraints": [{"text": "motor kind brushless"}]},
     "expect": {"base": ["motor kind brushless"], "extra": [], "claim": "voice control"}}
"""

from collections.abc import Sequence

from controlplane.benchmarks.shop.products.support_notes import (
    mentions_note,
    split_note,
)
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.products.recorded_constraints import RecordedConstraint


@answers_part("note_claim")
def split_support_note(
    id: str,
    description: str,
    constraints: Sequence[RecordedConstraint],
) -> Output:
    """Split a support note, such as "the sand tarp and is waterproof"; `id` says if it is one.

    `base` are the constraints that describe the product ("colour sand"), `extra` are those that
    the note only claims, and `claim` is a claim that is none of the constraints ("waterproof").
    """
    constraint_texts = [recorded["text"] for recorded in constraints]
    note = split_note(description, constraint_texts, is_note=mentions_note(id))
    extra_constraints: list[str] = []
    other_claims: list[str] = []
    for claim in note.claims:
        if claim in constraint_texts:
            extra_constraints.append(claim)
        else:
            other_claims.append(claim)
    return {
        "base": list(note.constraints),
        "extra": extra_constraints,
        "claim": "".join(other_claims),
    }
