"""Records that the request names, and those that they are linked to, are in the first message.

Records are the files below `/data` of an invented shop: carts, items, payments and employees.
"Check out cart-1." shows `/data/carts/cart-1.json`, the item in it, and its payment. If another user
than the owner of the cart asks, the record is not shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from controlplane.sandbox.interface import Operation, Parameter, Plain, RecordOwners
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import (
    SHOP_FILES,
    SHOP_SCHEMA,
    Shop,
    record_text,
)
from tests.support.books.book_declarations import BOOKS_BY


def sections_of(message: str) -> dict[str, str]:
    """Return the shown files in their order, each path with what comes up to the next section.

    A section begins with `<section title="read /data/carts/cart-1.json">`.
    """
    sections: dict[str, str] = {}
    for part in message.split('<section title="read ')[1:]:
        path, _, text = part.partition('"')
        sections[path] = text
    return sections


class TestNamedRecords:
    """The records that a request names are shown, and those that they are linked to.

    The cart `cart-1` has the item ITEM-A-1. The payment pay-9 has the field `"cart": "cart-1"`.
    """

    @pytest.mark.parametrize(
        "side_by_side",
        [
            pytest.param(False, id="calls one after the other"),
            pytest.param(True, id="calls side by side"),
        ],
    )
    def test_a_named_record_and_linked_records_are_shown_and_can_be_cited(
        self, side_by_side: bool
    ) -> None:
        """The request names cart-1. The cart has the item ITEM-A-1, and the payment pay-9 has the
        cart."""
        shop = Shop(replace(SHOP_SCHEMA, reads_side_by_side=side_by_side))

        trial = OpenedTrial("Check out cart-1.", shop)

        # No record is shown that is not linked to the cart.
        shown_records = [
            path for path in sections_of(trial.message) if "/data/" in path
        ]
        assert shown_records == [
            "/data/carts/cart-1.json",
            "/data/items/ITEM-A-1.json",  # The cart has the item,
            "/data/paid/pay-9.json",  # and the payment has the cart.
        ]
        assert '{"id":"pay-9","cart":"cart-1"}' in trial.message
        white_space_note = "white space is shortened (`read` returns the exact text)"
        assert white_space_note in trial.message
        # What is shown counts as read.
        path = trial.check_citation("/data/paid/pay-9.json", "the payment of cart-1")
        assert path == "/data/paid/pay-9.json"

    def test_a_named_record_is_shown_with_its_long_fields(self) -> None:
        """The record of employee emp-5 has a note of 500 characters."""
        trial = OpenedTrial("Check emp-5.")

        long_note = "n" * 500
        assert f'"note":"{long_note}"}}' in trial.message

    def test_the_journal_tells_of_at_most_40_files_why_they_were_chosen(self) -> None:
        """The request names 80 carts, and the event with the first message has at most 40
        reasons."""
        carts: dict[str, str] = {}
        for number in range(10, 90):
            carts[f"/data/carts/cart-{number}.json"] = record_text(id=f"cart-{number}")
        shop = Shop(files={**SHOP_FILES, **carts})

        trial = OpenedTrial(f"Carts {' '.join(carts)}?", shop)

        assert len(trial.files) <= 40
        assert trial.files[0].reason.startswith("named")
        assert trial.files[0].chars > 0


class ShopThatCutsCarts(Shop):
    """Says of the record of cart-1 that only its beginning was read."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        result = super().call(operation, arguments)
        if operation == "read" and arguments["path"] == "/data/carts/cart-1.json":
            result["truncated"] = True
        return result


READ_ALL = Operation(
    name="read_all",
    parameters=(Parameter("path", "str"),),
    fields=BOOKS_BY.fields,
    summary="all of a file",
    finds=BOOKS_BY.finds,
)
"""A function of the environment, `read_all(path)`, that returns whole files. It is never called here."""


class TestCutRecords:
    """A record that is not shown whole says which function reads the rest.

    It may be cut by the environment, or by the product, if the first message has too little room.
    The environment has a function `read_all(path)`, which returns whole files.
    """

    def test_a_record_that_the_environment_cut_names_the_function_that_reads_on(
        self,
    ) -> None:
        """The environment returns only the beginning of the cart."""
        operations = (*SHOP_SCHEMA.operations, READ_ALL)
        shop = ShopThatCutsCarts(replace(SHOP_SCHEMA, operations=operations))

        trial = OpenedTrial("Check cart-1.", shop)

        shown_cart = sections_of(trial.message)["/data/carts/cart-1.json"]
        assert "It goes on: read_all(path)" in shown_cart

    def test_a_record_without_room_names_the_function_that_reads_on(self) -> None:
        """The record of the employee has more than 500 characters. The message has room for 600 of
        all records together (`ranked_chars`), and the cart has a part of them."""
        operations = (*SHOP_SCHEMA.operations, READ_ALL)
        shop = Shop(replace(SHOP_SCHEMA, operations=operations, ranked_chars=600))

        trial = OpenedTrial("Check cart-1, emp-5.", shop)

        shown_employee = sections_of(trial.message)["/data/staff/emp-5.json"]
        assert "more characters: read_all(path)" in shown_employee


SCHEMA_WITH_OWNERS = replace(
    SHOP_SCHEMA,
    record_owners=RecordOwners(("owner",), "/bin/id", own_only=("customer",)),
)
"""A record belongs to the customer in its field `owner`. A customer sees only own records."""


class ShopOfUser(Shop):
    """A shop whose program `/bin/id` prints the user cust-2 with these roles."""

    def __init__(self, roles: str) -> None:
        super().__init__(SCHEMA_WITH_OWNERS)
        self.roles = roles

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":
            stdout = f"user: cust-2\nroles: {self.roles}\n"
            return {"stdout": stdout, "stderr": "", "exit_code": 0}
        return super().call(operation, arguments)


NOTE_ON_OTHER_OWNER = "cart-1.json (it belongs to somebody else)"


class TestRecordsOfOtherUsers:
    """A customer is shown only the own records, and staff all of them.

    A record belongs to the customer in its field `owner`: cart-1 to cust-1, and cart-2 to cust-2.
    Here the user cust-2 asks, with the roles that the program `/bin/id` prints.
    """

    @pytest.mark.parametrize("roles", ["customer", ""])
    def test_a_record_of_somebody_else_is_not_shown_in_advance(
        self, roles: str
    ) -> None:
        """cart-1 belongs to cust-1. The message says only that it belongs to somebody else."""
        trial = OpenedTrial("Check out cart-1.", ShopOfUser(roles))

        assert '"owner":"cust-1"' not in trial.message
        assert NOTE_ON_OTHER_OWNER in trial.message

    def test_a_record_of_somebody_else_is_shown_to_staff(self) -> None:
        """A clerk sees all records."""
        trial = OpenedTrial("Check out cart-1.", ShopOfUser("customer, clerk"))

        assert '"owner":"cust-1"' in trial.message
        assert NOTE_ON_OTHER_OWNER not in trial.message

    @pytest.mark.parametrize("roles", ["customer", "", "customer, clerk"])
    def test_the_user_s_own_record_is_shown(self, roles: str) -> None:
        """cart-2 belongs to cust-2, who asks."""
        trial = OpenedTrial("Check out cart-2.", ShopOfUser(roles))

        assert '"owner":"cust-2"' in trial.message
