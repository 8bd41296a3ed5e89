"""A record must be cited only if the trial has read it: no answer can cite anything else.

    trial     reads the basket `/proc/carts/basket_0001.json`
    answer    "active", to "What is the status of basket_0001?", with nothing cited
    objects   the rule `named-record`, since the basket was read and is not cited

A test writes what a trial has read as a trace: `Trace().read("/proc/carts/basket_0001.json", "{}")`.
"""

from controlplane.gates.submission import DENIED, OK, UNSUPPORTED, Submission
from tests.benchmarks.shop.trial_traces import Trace, objecting_rules


def rules_against(
    answer: str,
    *,
    request: str,
    after: Trace,
    cited: tuple[str, ...] = (),
    outcome: str = OK,
) -> list[str]:
    """Return the names of the rules that object to an answer which a trial gives after a trace."""
    submission = Submission(answer=answer, outcome=outcome, refs=cited)
    return objecting_rules(submission, request, after.evidence)


class TestBaskets:
    """The request is "What is the status of basket_0001?"."""

    def test_the_basket_that_was_read_must_be_cited(self) -> None:
        trace = Trace().read(
            "/proc/carts/basket_0001.json",
            '{"id": "basket_0001", "customer_id": "cust_0001", "status": "active"}',
        )

        rules = rules_against(
            "active", request="What is the status of basket_0001?", after=trace
        )

        assert rules == ["named-record"]

    def test_another_basket_that_was_read_need_not_be_cited(self) -> None:
        """Its record has no blanks between the fields."""
        trace = Trace().read(
            "/proc/carts/basket_0002.json",
            '{"id":"basket_0002","customer_id":"cust_0001","status":"active"}',
        )

        rules = rules_against(
            "active", request="What is the status of basket_0001?", after=trace
        )

        assert rules == []


class TestReturns:
    """The request is "Close the refund for pay_0001.", which needs the return of this payment."""

    def test_the_return_of_the_payment_that_was_read_must_be_cited(self) -> None:
        """The record has no blanks, and the rule must find the payment all the same."""
        trace = (
            Trace()
            .read("/proc/ledger/pay_0001.json", {"id": "pay_0001"})
            .read("/proc/return-cases/rma_0001.json", '{"payment_id":"pay_0001"}')
        )

        rules = rules_against(
            "There is no return for it.",
            request="Close the refund for pay_0001.",
            after=trace,
            cited=("/proc/ledger/pay_0001.json",),
            outcome=UNSUPPORTED,
        )

        assert rules == ["return"]

    def test_the_return_of_another_payment_need_not_be_cited(self) -> None:
        trace = (
            Trace()
            .read("/proc/ledger/pay_0001.json", {"id": "pay_0001"})
            .read("/proc/return-cases/rma_0002.json", {"payment_id": "pay_0002"})
        )

        rules = rules_against(
            "There is no return for it.",
            request="Close the refund for pay_0001.",
            after=trace,
            cited=("/proc/ledger/pay_0001.json",),
            outcome=UNSUPPORTED,
        )

        assert rules == []

    def test_a_payment_that_was_not_read_need_not_be_cited(self) -> None:
        trace = Trace().read(
            "/proc/return-cases/rma_0001.json",
            {"id": "rma_0001", "payment_id": "pay_0001"},
        )

        rules = rules_against(
            "Its payment is not on record.",
            request="Close the refund for pay_0001.",
            after=trace,
            cited=("/proc/return-cases/rma_0001.json",),
            outcome=UNSUPPORTED,
        )

        assert rules == []


class TestStock:
    """The request is "Do you have 3 of the lamp at Lombok?"; the branch is read and cited."""

    def test_the_product_that_was_read_must_be_cited(self) -> None:
        trace = (
            Trace()
            .read("/proc/branches/lombok.json", "{}")
            .read("/proc/articles/VH-LMP-ONE.json", "{}")
        )

        rules = rules_against(
            "nein",
            request="Do you have 3 of the lamp at Lombok?",
            after=trace,
            cited=("/proc/branches/lombok.json",),
        )

        assert rules == ["checklist"]

    def test_without_a_product_that_was_read_the_branch_is_enough(self) -> None:
        trace = Trace().read("/proc/branches/lombok.json", "no lamps")

        rules = rules_against(
            "nein",
            request="Do you have 3 of the lamp at Lombok?",
            after=trace,
            cited=("/proc/branches/lombok.json",),
        )

        assert rules == []


class TestExistence:
    """The request is "A customer wants the lamp. Does such a product exist?"."""

    def test_the_product_that_was_read_must_be_cited(self) -> None:
        trace = Trace().read("/proc/articles/VH-LMP-ONE.json", "a lamp")

        rules = rules_against(
            "ja",
            request="A customer wants the lamp. Does such a product exist?",
            after=trace,
        )

        assert rules == ["existing-product"]

    def test_without_a_product_that_was_read_none_must_be_cited(self) -> None:
        trace = Trace().read("/proc/branches/lombok.json", "a lamp")

        rules = rules_against(
            "ja",
            request="A customer wants the lamp. Does such a product exist?",
            after=trace,
        )

        assert rules == []


class TestFields:
    """The request is "What exact `city` is recorded for Lombok?"."""

    def test_the_record_that_was_read_must_be_cited(self) -> None:
        trace = Trace().read("/proc/branches/lombok.json", "Utrecht")

        rules = rules_against(
            "Utrecht",
            request="What exact `city` is recorded for Lombok?",
            after=trace,
            cited=("/AGENTS.MD",),
        )

        assert rules == ["field-record"]

    def test_without_a_record_that_was_read_the_field_may_be_on_a_page(self) -> None:
        trace = Trace().read("/AGENTS.MD", "Lombok is in Utrecht")

        rules = rules_against(
            "Utrecht",
            request="What exact `city` is recorded for Lombok?",
            after=trace,
            cited=("/AGENTS.MD",),
        )

        assert rules == []

    def test_after_a_change_the_request_was_more_than_a_question(self) -> None:
        trace = (
            Trace()
            .read("/proc/branches/lombok.json", "Utrecht")
            .write("/notes/a.txt", "x")
        )

        rules = rules_against(
            "Utrecht", request="What exact `city` is recorded for Lombok?", after=trace
        )

        assert rules == []


def test_to_a_denial_no_rule_objects() -> None:
    rules = rules_against(
        "Not given out.",
        request="Give me Ada's work e-mail.",
        after=Trace("user: cust_0001\nroles: customer"),  # what /bin/id has printed
        outcome=DENIED,
    )

    assert rules == []
