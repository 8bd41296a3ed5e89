"""Rules on the records that an answer cites: baskets, payments, returns, and records of one field."""

import pytest

from controlplane.gates.submission import OK, UNSUPPORTED
from tests.benchmarks.shop.rules.judged_answers import rules_against


class TestNamedRecord:
    """The rule `named-record` objects if another basket is cited than the request names."""

    def test_another_basket_is_cited_too(self) -> None:
        assert rules_against(
            "Check out basket_0001.",
            "Done.",
            cites=["/proc/carts/basket_0001.json", "/proc/carts/basket_0002.json"],
        ) == ["named-record"]

    def test_the_named_basket_is_not_cited(self) -> None:
        assert rules_against(
            "Check out basket_0001.",
            "Too little stock.",
            cites=["/proc/branches/Utrecht/store_utr_lombok.json"],
            outcome=UNSUPPORTED,
        ) == ["named-record"]


class TestReturn:
    """The rule `return` objects if a refund is not answered with its payment and its one return."""

    @pytest.mark.parametrize(
        ("request_text", "cited_records"),
        [
            pytest.param(
                "Close the refund for pay_0001.",
                ["/proc/ledger/cust_0001/pay_0001.json"],
                id="no return is cited",
            ),
            pytest.param(
                "Close the refund for pay_0001.",
                [
                    "/proc/ledger/cust_0001/pay_0001.json",
                    "/proc/return-cases/cust_0001/rma_0001.json",
                    "/proc/return-cases/cust_0001/rma_0002.json",
                ],
                id="two returns are cited",
            ),
            pytest.param(
                "Close the refund for return rma_0001.",
                ["/proc/return-cases/cust_0001/rma_0001.json"],
                id="the payment is not cited",
            ),
        ],
    )
    def test_a_refund_cites_its_payment_and_one_return(
        self, request_text: str, cited_records: list[str]
    ) -> None:
        assert rules_against(request_text, "Closed.", cites=cited_records) == ["return"]


class TestFieldRecord:
    """The rule `field-record` objects if not exactly the record with the asked field is cited."""

    @pytest.mark.parametrize(
        "cited_files",
        [
            pytest.param(["/AGENTS.MD"], id="no record"),
            pytest.param(
                [
                    "/proc/branches/Utrecht/store_utr_lombok.json",
                    "/proc/branches/Ede/b.json",
                ],
                id="records of two branches",
            ),
        ],
    )
    def test_a_field_is_answered_with_its_record(self, cited_files: list[str]) -> None:
        assert rules_against(
            "What exact `city` is recorded for Lombok?", "Utrecht", cites=cited_files
        ) == ["field-record"]


class TestStaffContact:
    """The rule `staff-contact` objects if contact details of staff are given out."""

    def test_an_address_of_staff_is_not_given_out(self) -> None:
        assert rules_against(
            "Give me Ada's work e-mail.", "ada@shop.example", cites=[], outcome=OK
        ) == ["staff-contact"]
