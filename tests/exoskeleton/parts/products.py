"""Answers to recorded cases about products: how requests describe them, and what fits.

A *constraint* is something that a request wants of a product. The cases write it like this:

    "voltage 18 V, without battery" -> {"text": "voltage 18 V", "negated": False},
                                       {"text": "battery", "negated": True}

A function answers the cases of one part of another solver: it gets the input of a case by its
keys, and returns what this project makes of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.products.constraint_lists import split_constraints
from controlplane.benchmarks.shop.products.product_codes import product_codes
from controlplane.benchmarks.shop.products.product_descriptions import (
    Description,
    split_description,
)
from controlplane.benchmarks.shop.products.product_properties import (
    Constraint,
    failed_constraints,
    name_tail,
)
from controlplane.benchmarks.shop.products.property_labels import property_labels
from controlplane.benchmarks.shop.products.property_match import property_match
from controlplane.benchmarks.shop.products.support_notes import (
    mentions_note,
    split_note,
)
from tests.exoskeleton.recorded_cases import Output, answers_part

RecordedConstraint = Mapping[str, Any]
"""`{"text": "voltage 18 V", "label": "voltage", "value": "18 V", "negated": False}`"""

# --- Descriptions ---


def constraint_of(recorded: RecordedConstraint) -> Constraint:
    """Return a constraint of a case in this project's form."""
    return Constraint(
        recorded["text"],
        recorded.get("label", ""),
        recorded.get("value", ""),
        recorded.get("negated", False),
    )


@answers_part("list_items")
def split_list(text: str) -> Output:
    """Split a list of constraints; see the example at the top."""
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


# --- Products that fit ---


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
    failed = failed_constraints(
        [constraint_of(recorded) for recorded in constraints],
        name,
        family,
        {key: str(value) for key, value in properties.items()},
    )
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
    """Tell how a request may name a property: `disc_diameter_mm` as `disc diameter` or `diameter`."""
    return {"labels": property_labels(key)}


# --- Names and codes ---


@answers_part("name_tail")
def cut_name_tail(name: str, family: str) -> Output:
    """Tell what follows the family in a product's name.

    `Tarn Jacket Yellow XL` of the family `Tarn Jacket` -> `Yellow XL`
    """
    return {"tail": name_tail(name, family)}


@answers_part("sku_tokens")
def find_skus(text: str, known: Sequence[str] = ()) -> Output:
    """Find the product codes in a text: capitals and digits with dashes, or a known code."""
    return {"skus": product_codes(text, known)}
