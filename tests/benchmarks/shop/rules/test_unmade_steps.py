"""The rule `unmade_step`: no success is reported without the step that the cited page describes.

An answer that cites a basket and the page on buying reports a purchase. So the tool that this page
names, `/bin/checkout`, must have been run.
"""

import pytest

from controlplane.benchmarks.shop.rule_set import unmade_step
from tests.benchmarks.shop.rules.single_rules import objection
from tests.benchmarks.shop.trial_traces import Trace

BASKET = "/proc/carts/basket_0001.json"
PAYMENT = "/proc/ledger/pay_0001.json"
BUYING_PAGE = "/docs/buying.md"


def trace_of_reads() -> Trace:
    """Return the trace of a trial that has read the page, a basket and a payment."""
    trace = Trace("user: cust_0001\nroles: customer")
    trace.read(
        BUYING_PAGE, "# Buying\n\nA basket is bought by `/bin/checkout <basket_id>`.\n"
    )
    trace.read(BASKET, {"id": "basket_0001", "status": "active"})
    trace.read(PAYMENT, {"id": "pay_0001"})
    return trace


def test_a_purchase_that_was_not_made_is_objected_to() -> None:
    trace = trace_of_reads()

    fault = objection(unmade_step, trace, "It is done.", cited=(BASKET, BUYING_PAGE))

    assert "/bin/checkout" in fault


def test_a_purchase_that_was_made_is_allowed() -> None:
    trace = trace_of_reads()
    trace.run("/bin/checkout", "basket_0001")

    fault = objection(unmade_step, trace, "It is done.", cited=(BASKET, BUYING_PAGE))

    assert fault == ""


@pytest.mark.parametrize(
    "cited",
    [
        pytest.param((BASKET,), id="no page"),
        pytest.param((BUYING_PAGE,), id="no record"),
        pytest.param((PAYMENT, BUYING_PAGE), id="a record that the tool does not take"),
    ],
)
@pytest.mark.parametrize("is_bought", [False, True])
def test_success_with_other_citations_needs_no_purchase(
    cited: tuple[str, ...], is_bought: bool
) -> None:
    trace = trace_of_reads()
    if is_bought:
        trace.run("/bin/checkout", "basket_0001")

    assert objection(unmade_step, trace, "It is done.", cited=cited) == ""
