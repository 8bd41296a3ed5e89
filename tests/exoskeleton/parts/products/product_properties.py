"""Properties of products, and what fits them: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "property_match",
     "input": {"constraint": "voltage 400 V", "key": "rated_voltage_v", "number": "400"},
     "expect": {"match": True}}
"""

from collections.abc import Mapping, Sequence

from controlplane.benchmarks.shop.products.product_properties import (
    failed_constraints,
    property_labels,
    property_match,
)
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.products.recorded_constraints import (
    RecordedConstraint,
    constraint_of,
)


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
    """Tell how a request may name a property.

    `disc_diameter_mm` -> `["disc diameter", "diameter"]`
    """
    return {"labels": property_labels(key)}
