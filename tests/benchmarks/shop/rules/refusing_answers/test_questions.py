"""A question that "no", 0 or an empty value can answer must not be refused.

The outcome UNSUPPORTED says that the shop cannot do what is asked. `rules_against` returns the rules
that object to an answer: `["question"]`, if it refuses "Does such a product exist?".
"""

import pytest

from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.shop.rules.judged_answers import rules_against


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
    request_text: str, answer: str, cited_records: list[str]
) -> None:
    assert rules_against(
        request_text, answer, cites=cited_records, outcome=UNSUPPORTED
    ) == ["question"]
