"""A proposal of new hints that copies values of records is found out.

Ids, names and amounts in the records that trials have read belong to one world. "Look at basket-0123." is
of no use in another world, so such a proposal is refused. VH-POT-12 was in the hints before.
"""

import pytest

from controlplane.improving.proposing import added_values, record_values

HINTS_WITH_AN_ID = {"hints.txt": "Look at VH-POT-12."}
"""The hints before the loop, in which the user has named a record."""


@pytest.fixture
def record_values_of_trials() -> set[str]:
    """The ids, names and amounts in two files that trials have read:
    `{"basket-0123", "Ada Lovelace", "12995", "VH-POT-12", "19.50"}`."""
    record = (
        '{"id": "basket-0123", "owner": {"name": "Ada Lovelace"}, '
        '"cents": 12995, "open": true}'
    )
    table = "sku,price\nVH-POT-12,19.50\n"
    return record_values(record, "/a.json") | record_values(table, "/prices.csv")


def test_values_of_records_are_found_in_a_proposal(
    record_values_of_trials: set[str],
) -> None:
    """They are listed in the order of the proposal. `VH-POT-12` was in the hints before, and
    the words of the last sentence are in no record."""
    proposal = {
        "hints.txt": (
            "Look at VH-POT-12. Ada Lovelace owns `basket-0123`: 12995. "
            "Up to 30 days, by Desk Staff."
        )
    }

    added = added_values(record_values_of_trials, HINTS_WITH_AN_ID, proposal)

    assert added == ["Ada Lovelace", "basket-0123", "12995"]


def test_values_of_records_are_found_in_another_spelling(
    record_values_of_trials: set[str],
) -> None:
    """Upper case, or another sign between the parts of an id, does not hide a copied value."""
    proposal = {"hints.txt": "Look at VH-POT-12. Ask ADA LOVELACE about basket/0123."}

    added = added_values(record_values_of_trials, HINTS_WITH_AN_ID, proposal)

    assert added == ["Ada Lovelace", "basket-0123"]


def test_words_of_documents_are_not_values_of_records() -> None:
    """A document has no records: what it says is the same in every world, so that a hint may
    repeat it."""
    document = "# Refunds\n\nUp to 30 days, by Desk Staff."

    assert record_values(document, "/docs/refunds.md") == set()
