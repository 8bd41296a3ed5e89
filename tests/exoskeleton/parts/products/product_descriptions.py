"""Descriptions of products, which are split into their parts: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "list_items",
     "input": {"text": "voltage 18 V, without battery"},
     "expect": {"constraints": [{"text": "voltage 18 V", "negated": False},
                                {"text": "battery", "negated": True}]}}
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.product_functions import (
    ProductDescription,
    split_constraints,
    split_description,
)
from controlplane.benchmarks.shop.products import (
    Constraint,
    Product,
    property_labels,
    property_match,
)
from tests.exoskeleton.answering_functions import Output, answers_part

# Constraints of recorded cases: what a request wants of a product.
#
# "voltage 18 V, without battery" -> {"text": "voltage 18 V", "negated": False},
#                                    {"text": "battery", "negated": True}

RecordedConstraint = Mapping[str, Any]
"""`{"text": "voltage 18 V", "label": "voltage", "value": "18 V", "negated": False}`"""


def constraint_of(recorded: RecordedConstraint) -> Constraint:
    """Return a constraint of a case in this project's form."""
    return Constraint(
        recorded["text"],
        recorded.get("label", ""),
        recorded.get("value", ""),
        recorded.get("negated", False),
    )


# Properties of products, and what fits them: compared with another solver.
#
# A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
# that answers the cases of one part: it takes `input` by its keys, and should return `expect`.
#
#     {"part": "property_match",
#      "input": {"constraint": "voltage 400 V", "key": "rated_voltage_v", "number": "400"},
#      "expect": {"match": True}}


@answers_part("constraints")
def check_constraints(
    constraints: Sequence[RecordedConstraint],
    name: str,
    family: str,
    properties: Mapping[str, object],
) -> Output:
    """Tell which constraints a product fails.

    "without battery": the product "Tarn Drill battery kit" of the family "Tarn Drill" fails it.
    """
    product = Product(
        path="",
        code="",
        name=name,
        brand=family,
        price_cents=None,
        properties={key: str(value) for key, value in properties.items()},
    )
    failed = product.unsatisfied([constraint_of(recorded) for recorded in constraints])
    return {"fits": not failed, "failed": failed}


@answers_part("property_match")
def match_property(
    constraint: str, key: str, number: float | str = "", text: str = ""
) -> Output:
    """Tell whether a property fits a constraint: `rated_voltage_v` of 400 fits `voltage 400 V`.

    `key` is the property's name. Its value is in `number` or, if that is empty, in `text`.
    """
    return {"match": bool(property_match(constraint, key, number or text or ""))}


@answers_part("property_labels")
def label_property(key: str) -> Output:
    """Tell how a request may name a property.

    `disc_diameter_mm` -> `["disc diameter", "diameter"]`
    """
    return {"labels": property_labels(key)}


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
    parsed_description = ProductDescription(
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
