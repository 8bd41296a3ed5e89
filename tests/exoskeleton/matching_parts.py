"""Cases about products and their descriptions."""

from toolkit.matching import (
    Constraint,
    Variant,
    failed_constraints,
    name_tail,
    product_codes,
    property_labels,
    property_match,
)


def constraint_of(given: dict) -> Constraint:
    return Constraint(given["text"], given.get("label", ""), given.get("value", ""), given.get("negated", False))


def constraints(given: dict) -> dict:
    variant = Variant(given["name"], given["family"], {key: str(value) for key, value in given["properties"].items()})
    failed = failed_constraints([constraint_of(each) for each in given["constraints"]], variant)
    return {"fits": not failed, "failed": failed}


PARTS = {
    "property_labels": lambda given: {"labels": property_labels(given["key"])},
    "property_match": lambda given: {
        "match": bool(property_match(given["constraint"], given["key"], given.get("number") or given.get("text") or ""))
    },
    "constraints": constraints,
    "name_tail": lambda given: {"tail": name_tail(given["name"], given["family"])},
    "sku_tokens": lambda given: {"skus": product_codes(given["text"], given.get("known", ()))},
}
