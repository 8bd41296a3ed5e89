"""Descriptions of products, which are split into their parts: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "list_items",
     "input": {"text": "voltage 18 V, without battery"},
     "expect": {"constraints": [{"text": "voltage 18 V", "negated": False},
                                {"text": "battery", "negated": True}]}}
"""

from collections.abc import Mapping
from typing import Any

from controlplane.benchmarks.shop.product_functions import (
    Description,
    split_constraints,
    split_description,
)
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.products.recorded_constraints import (
    RecordedConstraint,
    constraint_of,
)


@answers_part("list_items")
def split_list(text: str) -> Output:
    """Split a list of constraints, each of which a product meets or, if it is negated, lacks."""
    constraints: list[RecordedConstraint] = []
    for part in split_constraints(text):
        constraints.append({"text": part.text, "negated": part.is_negated})
    return {"constraints": constraints}


@answers_part("description_split")
def split_product_description(description: str, parsed: Mapping[str, Any]) -> Output:
    """Split a description such as "the Glue from Gorm that has colour red" into its parts.

    `parsed` is how a model has split it: `{"brand": "Gorm", "kind": "Glue"}`. It may be wrong.
    """
    parsed_constraints = parsed.get("constraints", ())
    parsed_description = Description(
        parsed.get("brand", ""),
        parsed.get("kind", ""),
        parsed.get("family", ""),
        tuple(constraint_of(recorded) for recorded in parsed_constraints),
    )

    split = split_description(description, parsed_description)

    constraints: list[RecordedConstraint] = []
    for part in split.constraints:
        constraints.append(
            {
                "text": part.text,
                "label": part.label,
                "value": part.value,
                "negated": part.is_negated,
            }
        )
    return {
        "brand": split.brand,
        "kind": split.kind,
        "family": split.family,
        "constraints": constraints,
    }
