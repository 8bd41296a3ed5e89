"""Cases about products and their descriptions."""

from toolkit.matching import (
    Constraint,
    Description,
    failed_constraints,
    name_tail,
    note_claim,
    product_codes,
    property_labels,
    property_match,
    split_constraints,
    split_description,
)
from toolkit.stock import repaired_code


def constraint_of(given: dict) -> Constraint:
    return Constraint(given["text"], given.get("label", ""), given.get("value", ""), given.get("negated", False))


def constraints(given: dict) -> dict:
    properties = {key: str(value) for key, value in given["properties"].items()}
    asked = [constraint_of(constraint) for constraint in given["constraints"]]
    failed = failed_constraints(asked, given["name"], given["family"], properties)
    return {"fits": not failed, "failed": failed}


def description_split(given: dict) -> dict:
    parsed = given["parsed"]
    found = split_description(
        given["description"],
        Description(
            parsed.get("brand", ""),
            parsed.get("kind", ""),
            parsed.get("family", ""),
            tuple(constraint_of(said) for said in parsed.get("constraints", ())),
        ),
    )
    return {
        "brand": found.brand,
        "kind": found.kind,
        "family": found.family,
        "constraints": [
            {"text": cut.text, "label": cut.label, "value": cut.value, "negated": cut.is_negated}
            for cut in found.constraints
        ],
    }


def claim_of(given: dict) -> dict:
    found = note_claim(given["id"], given["description"], [said["text"] for said in given["constraints"]])
    return {"base": list(found.base), "extra": list(found.extra), "claim": found.claim}


PARTS = {
    "property_labels": lambda given: {"labels": property_labels(given["key"])},
    "property_match": lambda given: {
        "match": bool(property_match(given["constraint"], given["key"], given.get("number") or given.get("text") or ""))
    },
    "constraints": constraints,
    "name_tail": lambda given: {"tail": name_tail(given["name"], given["family"])},
    "description_split": description_split,
    "list_items": lambda given: {
        "constraints": [{"text": cut.text, "negated": cut.is_negated} for cut in split_constraints(given["text"])]
    },
    "note_claim": claim_of,
    "sku_repair": lambda given: {"sku": repaired_code(given["read"], given["catalogue"])},
    "sku_tokens": lambda given: {"skus": product_codes(given["text"], given.get("known", ()))},
}
