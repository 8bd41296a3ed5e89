"""The rule `lacking_role`: who lacks the role that a page demands is denied the request.

By the page, only the role `discount_manager` grants a discount. The outcome "unsupported" is for requests
that cannot be met for another reason.
"""

from controlplane.benchmarks.shop.rule_set import lacking_role
from controlplane.gates.submission import DENIED, UNSUPPORTED
from tests.benchmarks.shop.rules.single_rules import objection
from tests.benchmarks.shop.trial_traces import Trace

DISCOUNT_PAGE = "/docs/discounts.md"


def trace_with_page(*, roles: str) -> Trace:
    """Return a trace that has read the page. The user has these roles, as `/bin/id` prints them."""
    trace = Trace(f"user: emp_0001\nroles: {roles}")
    trace.read(DISCOUNT_PAGE, "Only staff with the role `discount_manager` grants one.")
    # The record of another employee, who has the role
    trace.read(
        "/proc/staff/emp_0002.json", {"id": "emp_0002", "roles": ["discount_manager"]}
    )
    return trace


def test_unsupported_for_lack_of_a_role_is_objected_to() -> None:
    trace = trace_with_page(roles="employee, packer")

    fault = objection(
        lacking_role, trace, "No.", cited=(DISCOUNT_PAGE,), outcome=UNSUPPORTED
    )

    assert "`discount_manager`" in fault


def test_a_denial_for_lack_of_a_role_is_allowed() -> None:
    trace = trace_with_page(roles="employee, packer")

    fault = objection(
        lacking_role, trace, "No.", cited=(DISCOUNT_PAGE,), outcome=DENIED
    )

    assert fault == ""


def test_unsupported_is_allowed_if_the_user_has_the_role() -> None:
    """The discount must have failed for another reason."""
    trace = trace_with_page(roles="employee, discount_manager")

    fault = objection(
        lacking_role, trace, "No.", cited=(DISCOUNT_PAGE,), outcome=UNSUPPORTED
    )

    assert fault == ""
