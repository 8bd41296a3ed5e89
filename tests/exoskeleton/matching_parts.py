"""Cases about products and their descriptions."""

from toolkit.matching import (
    Constraint,
    Description,
    Variant,
    failed_constraints,
    name_tail,
    product_codes,
    property_labels,
    property_match,
    repaired_code,
    split_constraints,
    split_description,
)


def constraint_of(given: dict) -> Constraint:
    return Constraint(given["text"], given.get("label", ""), given.get("value", ""), given.get("negated", False))


def constraints(given: dict) -> dict:
    variant = Variant(given["name"], given["family"], {key: str(value) for key, value in given["properties"].items()})
    failed = failed_constraints([constraint_of(each) for each in given["constraints"]], variant)
    return {"fits": not failed, "failed": failed}


def description_split(given: dict) -> dict:
    parsed = given["parsed"]
    found = split_description(
        given["description"],
        Description(
            parsed.get("brand", ""),
            parsed.get("kind", ""),
            parsed.get("family", ""),
            tuple(constraint_of(each) for each in parsed.get("constraints", ())),
        ),
    )
    return {
        "brand": found.brand,
        "kind": found.kind,
        "family": found.family,
        "constraints": [
            {"text": each.text, "label": each.label, "value": each.value, "negated": each.is_negated}
            for each in found.constraints
        ],
    }


PARTS = {
    "property_labels": lambda given: {"labels": property_labels(given["key"])},
    "property_match": lambda given: {
        "match": bool(property_match(given["constraint"], given["key"], given.get("number") or given.get("text") or ""))
    },
    "constraints": constraints,
    "name_tail": lambda given: {"tail": name_tail(given["name"], given["family"])},
    "description_split": description_split,
    "list_items": lambda given: {
        "constraints": [{"text": each.text, "negated": each.is_negated} for each in split_constraints(given["text"])]
    },
    "sku_tokens": lambda given: {"skus": product_codes(given["text"], given.get("known", ()))},
    "sku_repair": lambda given: {"sku": repaired_code(given["read"], given["catalogue"])},
}
