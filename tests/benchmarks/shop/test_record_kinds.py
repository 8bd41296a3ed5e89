"""Kinds of record by path, ids in texts, and what a trial shows."""

import pytest

from benchmarks.shop import kinds

LONG = " The lamps of my aunt are all of brass and need new bulbs every year." * 12


@pytest.mark.parametrize("before", ["", LONG[1:] + " "])
@pytest.mark.parametrize("after", ["", LONG])
def test_a_negation_in_its_clause_takes_a_deed_back_wherever_it_stands(before: str, after: str) -> None:
    assert kinds.DISCOUNT.find(f"{before}I want a discount.{after}")
    assert not kinds.DISCOUNT.find(f"{before}I do not want a discount.{after}")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (kinds.DISCOUNT, "Can you put a 5% discount on basket_0001?"),
        (kinds.DISCOUNT, "How does it work? Please apply a 5% discount to basket_0001."),
        (kinds.CHECKOUT, "Would you please check out my basket?"),
        (kinds.VERIFICATION, "My basket got stuck at card verification. Can you fix it so that I can finish?"),
        (kinds.STAFF_CONTACT, "Who is the manager of Lombok, and what is their e-mail address?"),
        (kinds.STAFF_CONTACT, "How can I get Ada's work e-mail?"),
    ],
)
def test_a_polite_order_is_one_and_so_is_the_question_for_what_is_to_be_told(
    kind: kinds.RequestKind, text: str
) -> None:
    assert kind.find(text)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("a lamp, any but AB-CD-1", {"AB-CD-1"}),
        ("a lamp (I don't mean AB-CD-1)", {"AB-CD-1"}),
        ("all except AB-CD-1, AB-CD-2 and AB-CD-3", {"AB-CD-1", "AB-CD-2", "AB-CD-3"}),
        ("AB-CD-2, not AB-CD-1 and AB-CD-3", {"AB-CD-1"}),
        ("leave out AB-CD-1", {"AB-CD-1"}),
        ("is AB-CD-1 not in stock?", set()),
    ],
)
def test_a_request_rules_products_out(text: str, codes: set[str]) -> None:
    assert kinds.excluded_codes(text) == codes
