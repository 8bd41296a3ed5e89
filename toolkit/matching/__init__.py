"""Matches what people say of products with what records hold."""

from toolkit.matching.constraints import Constraint, Variant, failed_constraints, name_tail
from toolkit.matching.descriptions import Description, split_constraints, split_description
from toolkit.matching.product_codes import product_codes, repaired_code
from toolkit.matching.property_labels import property_labels
from toolkit.matching.property_match import property_match

__all__ = [
    "Constraint",
    "Description",
    "Variant",
    "failed_constraints",
    "name_tail",
    "product_codes",
    "property_labels",
    "property_match",
    "repaired_code",
    "split_constraints",
    "split_description",
]
