"""A kind of request has wordings: patterns with an example and a counterexample each.

    Wording(..., example="Please refund my payment.", counterexample="My last refund went well.")

The pattern must find the example, and the kind must not find the counterexample.
"""

import pytest
import re2

from controlplane.benchmarks.shop import (
    rule_set as file_requests,
)
from controlplane.benchmarks.shop import (
    rule_set as product_questions,
)
from controlplane.benchmarks.shop.requests import (
    basket_requests,
    payment_requests,
)
from controlplane.benchmarks.shop.requests import (
    basket_requests as staff_questions,
)
from controlplane.benchmarks.shop.requests import (
    payment_requests as record_questions,
)
from controlplane.benchmarks.shop.requests import (
    payment_requests as stock_questions,
)
from controlplane.benchmarks.shop.requests.request_kind import RequestKind, Wording

MODULES_OF_KINDS = (
    basket_requests,
    file_requests,
    payment_requests,
    product_questions,
    record_questions,
    staff_questions,
    stock_questions,
)


def wordings_of_all_kinds() -> list[tuple[RequestKind, Wording]]:
    """Return each kind of these modules with each of its wordings."""
    wordings = []
    for module in MODULES_OF_KINDS:
        for kind in vars(module).values():
            if isinstance(kind, RequestKind):
                wordings += [(kind, wording) for wording in kind.wordings]
    return wordings


def example_of(value: object) -> str | None:
    """Return the example of a wording, by which its case is named."""
    return value.example if isinstance(value, Wording) else None


@pytest.mark.parametrize(("kind", "wording"), wordings_of_all_kinds(), ids=example_of)
def test_a_kind_is_found_in_each_example_and_in_no_counterexample(
    kind: RequestKind, wording: Wording
) -> None:
    assert re2.search(f"(?i){wording.pattern}", wording.example)
    assert kind.find(wording.example)
    assert not kind.find(wording.counterexample)
