"""Proposals of new hints: the text of a model's reply, and values that must not be in it.

Ids, names and amounts in the records that trials have read belong to one world. A proposal that adds
such a value to the hints is refused: "Look at basket-0123." is of no use in another world.
"""

import pytest

from controlplane.improving.proposing.instance_data import added_values, record_values
from controlplane.improving.proposing.model_proposer import text_in

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


class TestValuesOfRecords:
    """A proposal of new hints copies values of records that trials have read.

    A file of the trials has the id "basket-0123", the name "Ada Lovelace" and the amount 12995;
    another one has the id VH-POT-12, which is in the hints already.
    """

    def test_values_of_records_are_found_in_a_proposal(
        self, record_values_of_trials: set[str]
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
        self, record_values_of_trials: set[str]
    ) -> None:
        """Upper case, or another sign between the parts of an id, does not hide a copied value."""
        proposal = {
            "hints.txt": "Look at VH-POT-12. Ask ADA LOVELACE about basket/0123."
        }

        added = added_values(record_values_of_trials, HINTS_WITH_AN_ID, proposal)

        assert added == ["Ada Lovelace", "basket-0123"]

    def test_words_of_documents_are_not_values_of_records(self) -> None:
        """A document has no records: what it says is the same in every world, so that a hint may
        repeat it."""
        document = "# Refunds\n\nUp to 30 days, by Desk Staff."

        assert record_values(document, "/docs/refunds.md") == set()


class TestReplies:
    """A model, the proposer, replies with the new text of a file of hints."""

    @pytest.mark.parametrize(
        "reply",
        [
            pytest.param("new\nline", id="without a last line end"),
            pytest.param("\n```md\nnew\nline\n```\n", id="in a code fence"),
            pytest.param("new\nline\n\n", id="with an empty line"),
            pytest.param("new\r\nline\r\n", id="with CRLF"),
        ],
    )
    def test_the_text_of_a_reply_is_found_in_every_form(self, reply: str) -> None:
        """The proposer replies with the new text of a file, with or without a code fence around
        it."""
        assert text_in(reply) == "new\nline\n"

    def test_the_text_of_a_reply_can_always_be_written_to_a_file(self) -> None:
        """A lone surrogate, half of a UTF-16 character, cannot be encoded in UTF-8."""
        text_in("new\nline \ud800").encode()
