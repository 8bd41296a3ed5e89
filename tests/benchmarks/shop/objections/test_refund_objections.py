"""`/bin/refund approve RETURN` approves the refund for goods that were sent back.

The page on returns says in which status the return must be before. The pre-call check objects to an
approval of a return in another status.
"""

import pytest

from tests.benchmarks.shop.checked_calls import objection_to_run
from tests.benchmarks.shop.functions.customer_records import payment, returned_goods
from tests.benchmarks.shop.functions.written_shop import written_shop

PAGE_IN_SENTENCES = """
Staff approve refunds for returns that are `approved`: `/bin/refund approve <return_id>` sets `pending`.

A return is `requested`, then `approved`, then `pending`, at last `closed`.
"""

PAGE_WITH_LIST = """
A refund is approved only when all of these are true:

- The payment has the status `paid`.
- The return status is `approved`.

Run `/bin/refund approve <return_id>` to approve it. This moves the return on.

The states are `approved` `pending` `closed`.
"""


def objection_to_approval(page: str, *, status: str) -> str:
    """Return what the check says of an approval of return-4, which has this status.

    An employee approves it. The shop has the page as /docs/returns.md, unless it is empty.
    """
    files = {
        "/proc/payments/payment-4.json": payment("payment-4"),
        "/proc/returns/return-4.json": returned_goods("return-4", status),
    }
    if page:
        files["/docs/returns.md"] = page
    shop = written_shop(files, user="emp-4", roles=("employee",))
    return objection_to_run(shop, "refund", "approve", "return-4")


in_sentences_or_a_list = pytest.mark.parametrize(
    "page",
    [
        pytest.param(PAGE_IN_SENTENCES, id="a page in sentences"),
        pytest.param(PAGE_WITH_LIST, id="a page with a list of conditions"),
    ],
)


@in_sentences_or_a_list
def test_an_approval_in_the_status_that_the_page_asks_for_is_not_objected_to(
    page: str,
) -> None:
    assert objection_to_approval(page, status="approved") == ""


@in_sentences_or_a_list
@pytest.mark.parametrize("status", ["pending", "closed"])
def test_an_approval_in_another_status_is_objected_to(page: str, status: str) -> None:
    objection = objection_to_approval(page, status=status)

    assert f"return-4 is `{status}`, and the page asks for `approved`" in objection


@pytest.mark.parametrize("status", ["approved", "closed"])
def test_an_approval_is_not_judged_without_the_page_on_it(status: str) -> None:
    assert objection_to_approval("", status=status) == ""
