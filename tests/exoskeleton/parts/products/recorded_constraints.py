"""Constraints of recorded cases: what a request wants of a product.

"voltage 18 V, without battery" -> {"text": "voltage 18 V", "negated": False},
                                   {"text": "battery", "negated": True}
"""

from collections.abc import Mapping
from typing import Any

from controlplane.benchmarks.shop.products.product_properties import Constraint

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
