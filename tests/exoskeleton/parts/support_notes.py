"""Support notes: what a customer says of a product, last a claim that may be wrong.

Recorded cases say how a note is parted. A test calls the function below with a case's `input`, and
compares what it returns with `expect`:

    {"part": "note_claim",
     "input": {"id": "support-note",
               "description": "the Sander that has motor kind brushless and supports voice control",
               "constraints": [{"text": "motor kind brushless"}]},
     "expect": {"base": ["motor kind brushless"], "extra": [], "claim": "voice control"}}
"""

from collections.abc import Sequence

from controlplane.benchmarks.shop.product_functions import mentions_note, split_note
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.products.product_descriptions import RecordedConstraint


@answers_part("note_claim")
def split_support_note(
    id: str,
    description: str,
    constraints: Sequence[RecordedConstraint],
) -> Output:
    """Part a description into what describes the product and what the customer only claims.

    Of the `constraints`, those in `base` describe the product, and those in `extra` are claimed.
    `claim` is a claim that is none of the `constraints`. Only a description whose `id` has the
    word "note" or "claim" is parted; every other one claims nothing.
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
