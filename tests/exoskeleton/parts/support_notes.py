"""Answers to recorded cases about support notes, which may say something wrong of a product.

    note_claim   "the tarp that has colour sand and is waterproof", constraints ["colour sand"]
                 -> the product has "colour sand"; "waterproof" is only claimed

A case is a recorded input of another solver with its output. `@answers_part` marks the function that
answers the cases of one part: it gets the input by its keys, and returns this project's output.
"""

from collections.abc import Sequence

from controlplane.benchmarks.shop.products.support_notes import (
    mentions_note,
    split_note,
)
from tests.exoskeleton.parts.recorded_constraints import RecordedConstraint
from tests.exoskeleton.recorded_cases import Output, answers_part


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
