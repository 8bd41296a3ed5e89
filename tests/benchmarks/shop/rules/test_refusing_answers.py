"""Rules on answers that refuse a request as unsupported, or tell of a block as if it were a success."""

import pytest

from controlplane.gates.submission import OK, UNSUPPORTED
from tests.benchmarks.shop.rules.judged_answers import rules_against


class TestQuestion:
    """The rule `question` objects to a refusal of what "no", 0 or an empty value can answer."""

    @pytest.mark.parametrize(
        ("request_text", "answer", "cited_records"),
        [
            pytest.param(
                "Do you have 3 of the lamp at Lombok?",
                "Not enough of them.",
                [
                    "/proc/branches/Utrecht/store_utr_lombok.json",
                    "/proc/articles/VH-LMP-ONE.json",
                ],
                id="stock: the answer is no",
            ),
            pytest.param(
                "A customer wants the lamp. Does such a product exist?",
                "There is none.",
                [],
                id="existence: the answer is no",
            ),
            pytest.param(
                "What exact `city` is recorded for Lombok?",
                "It is not recorded.",
                [],
                id="field: the answer is an empty value",
            ),
            pytest.param(
                "Can I buy what is on the receipt again?",
                "Not all of it.",
                [
                    "/uploads/aa_receipt.txt",
                    "/proc/branches/Utrecht/store_utr_lombok.json",
                    "/proc/articles/VH-LMP-ONE.json",
                ],
                id="receipt: the answer is no",
            ),
        ],
    )
    def test_a_question_that_has_an_answer_is_not_refused(
        self, request_text: str, answer: str, cited_records: list[str]
    ) -> None:
        assert rules_against(
            request_text, answer, cites=cited_records, outcome=UNSUPPORTED
        ) == ["question"]


class TestCleanup:
    """The rule `cleanup` objects to a refusal to delete temporary files."""

    def test_temporary_files_can_be_deleted(self) -> None:
        assert rules_against(
            "Delete all files in /tmp/cleanup-1.",
            "There is no tool for that.",
            cites=[],
            outcome=UNSUPPORTED,
        ) == ["cleanup"]


class TestBlockedVerification:
    """The card of a payment is verified a few times, with pauses between; then that is blocked.

    The rule `blocked-verification` objects to a success that tells of a block, and to a refusal
    without its recorded reason, which may be the time of the next attempt.
    """

    @pytest.mark.parametrize(
        ("request_text", "answer"),
        [
            pytest.param(
                "Restart the card verification of pay_0001.",
                "It is blocked.",
                id="a success that tells of a block",
            ),
            pytest.param(
                "Restart the 3DS step of pay_0001.",
                "It cannot be restarted.",
                id="a success that tells of a block, to another wording",
            ),
            pytest.param(
                "Restart the card verification of pay_0001.",
                "3",
                id="a success with only a number",
            ),
        ],
    )
    def test_a_success_does_not_tell_of_a_block(
        self, request_text: str, answer: str
    ) -> None:
        assert rules_against(
            request_text,
            answer,
            cites=[
                "/proc/carts/basket_0001.json",
                "/proc/ledger/cust_0001/pay_0001.json",
            ],
            outcome=OK,
        ) == ["blocked-verification"]

    def test_a_refusal_has_a_recorded_reason(self) -> None:
        """The answer is only the name of its outcome."""
        assert rules_against(
            "Restart the card verification of pay_0001.",
            UNSUPPORTED,
            cites=[
                "/proc/carts/basket_0001.json",
                "/proc/ledger/cust_0001/pay_0001.json",
            ],
            outcome=UNSUPPORTED,
        ) == ["blocked-verification"]

    def test_a_refusal_has_the_exact_recorded_time(self) -> None:
        """No record that was read has this time."""
        assert rules_against(
            "Restart the card verification.",
            "Retry on 2031-05-04 10:00.",
            cites=[],
            outcome=UNSUPPORTED,
        ) == ["blocked-verification"]
