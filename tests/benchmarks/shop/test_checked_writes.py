"""The pre-call check of the shop: objections to a file that a script is about to write or delete.

A script may add a line to a basket by writing the basket's file, and it writes tables:

    SKU,2030-01-01,2030-01-02
    VH-LMP-ONE,4,12

The check compares what is written with the shop's records and with what its pages say. An objection
is a text; it is empty if nothing speaks against the write.
"""

import json
from typing import Any, NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.sandbox.interface import Plain
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.checked_calls import (
    OWN_NAMES,
    judge_call,
    objection,
    objection_to_write,
    shop_of,
)


class BasketShop(NamedTuple):
    """A shop with a basket to which a product is to be added."""

    environment: EcomEnvironment
    basket_path: str

    def objection_to_change(self, **changed_fields: Plain) -> str:
        """Judge a write of the basket with these fields changed."""
        changed_basket = {**self.basket(), **changed_fields}
        return objection_to_write(
            self.environment, self.basket_path, json.dumps(changed_basket)
        )

    def basket(self) -> dict[str, Any]:
        """Return the record: `{"id": "basket_0012", "lines": [{"sku": ..., "quantity": 1}]}`."""
        record = json.loads(self.environment.workspace.files[self.basket_path])
        assert isinstance(record, dict)
        return record


@pytest.fixture
def basket_shop() -> BasketShop:
    task = generate_variant("basket-addition: one product fits", "seed 1", OWN_NAMES)
    return BasketShop(shop_of(task), task.truth.for_tests["basket"])


class TestBasketEdits:
    """A script may add a line to a basket by writing its file. Anything else is done by a tool.

    The shop has a basket such as `{"id": "basket_0012", "lines": [{"sku": "VH-1", ...}], ...}`, to
    which a product is to be added.
    """

    def test_an_edit_of_another_field_than_the_lines_is_objected_to(
        self,
        basket_shop: BasketShop,
    ) -> None:
        """A discount is given by the tool `/bin/discount`."""
        text = basket_shop.objection_to_change(discount={"percent": 5})

        assert "the edit changes `discount`" in text

    def test_a_new_line_for_an_unknown_product_is_objected_to(
        self,
        basket_shop: BasketShop,
    ) -> None:
        """The shop has no product with this code."""
        lines = basket_shop.basket()["lines"]
        unknown_line = {"sku": "VH-NO-SUCH", "quantity": 1}

        text = basket_shop.objection_to_change(lines=[*lines, unknown_line])

        assert "VH-NO-SUCH" in text

    def test_a_deletion_of_a_basket_is_objected_to(
        self, basket_shop: BasketShop
    ) -> None:
        """No page of the shop says that a basket may be deleted."""
        text = objection(
            basket_shop.environment, "delete", {"path": basket_shop.basket_path}
        )

        assert "may be deleted" in text


class TableKind(NamedTuple):
    """A kind of task whose right answer writes a table."""

    variant: str
    separator: str
    """What is between two cells."""
    number_column: int
    """The index of a column with numbers of units."""
    subject_column: int
    """The index of the column that tells what a row is about."""


CROSSLIST = TableKind("crosslist", "\t", number_column=9, subject_column=1)
"""A table such as this one, with 13 columns and tabs between them:

    line_no  competitor_code  ...  available_today  ...
    1        CMP-12AB         ...  4                ...
"""
INVENTORY = TableKind("inventory-export", ",", number_column=1, subject_column=0)
"""A table such as this one:

    SKU,2030-01-01,2030-01-02
    VH-LMP-ONE,4,12
"""


class RightTable(NamedTuple):
    """The right table of a task, with its cells."""

    shop: EcomEnvironment
    path: str
    text: str
    separator: str
    header: list[str]
    """The names of the columns: `["SKU", "2030-01-01"]`."""
    rows: list[list[str]]
    """The cells of each row: `[["VH-LMP-ONE", "4"]]`."""

    def objection_with_rows(self, rows: list[list[str]]) -> str:
        """Judge a write of the table that has these rows below its header."""
        lines = [self.separator.join(row) for row in (self.header, *rows)]
        return self.objection_to_text("\n".join(lines))

    def objection_to_text(self, text: str) -> str:
        """Judge a write of this text in the table's place."""
        return objection_to_write(self.shop, self.path, text)


def right_table(kind: TableKind, wordings: str) -> RightTable:
    """Return the table that the right answer to a task writes, split into its cells.

    `wordings` chooses how the shop's pages say their rules.
    """
    task = generate_variant(kind.variant, "seed 1", WorldSettings(wordings=wordings))
    ((path, text),) = task.truth.changes.items()
    assert text is not None
    header, *rows = [line.split(kind.separator) for line in text.splitlines()]
    return RightTable(shop_of(task), path, text, kind.separator, header, rows)


@pytest.mark.parametrize("wordings", ["known", "unseen"])
@pytest.mark.parametrize("kind", [CROSSLIST, INVENTORY], ids=lambda kind: kind.variant)
class TestTables:
    """The check computes each cell of a table from the records, and objects to one that differs.

    A crosslist tells which products fit a competitor's request. An inventory export tells the stock
    of products on some days. Each test is for both, and for pages in two wordings. Objections say:

        line 3: `2030-01-01` is '6', and the records give '4' (see /proc/...)
        the table has 2 rows, and 3 are due; no row is about VH-LMP-ONE (see /proc/...)
    """

    def test_the_right_table_is_not_objected_to(
        self, kind: TableKind, wordings: str
    ) -> None:
        table = right_table(kind, wordings)

        assert table.objection_to_text(table.text) == ""

    def test_a_cell_against_the_records_is_named(
        self, kind: TableKind, wordings: str
    ) -> None:
        """The last row has two units too many in one column."""
        table = right_table(kind, wordings)
        *first_rows, last_row = table.rows
        wrong_cell = str(int(last_row[kind.number_column]) + 2)
        wrong_row = list(last_row)
        wrong_row[kind.number_column] = wrong_cell

        text = table.objection_with_rows([*first_rows, wrong_row])

        line_number = len(table.rows)  # The header does not count.
        column_name = table.header[kind.number_column]
        assert f"line {line_number}: `{column_name}` is '{wrong_cell}'" in text

    def test_a_row_for_an_unknown_product_is_objected_to(
        self, kind: TableKind, wordings: str
    ) -> None:
        """The shop has no product with the code `NO-SUCH`, whichever table is due."""
        table = right_table(kind, wordings)

        text = table.objection_to_text("SKU,2030-01-01\nNO-SUCH,3\n")

        assert "no product is called" in text

    def test_a_missing_first_row_is_named(self, kind: TableKind, wordings: str) -> None:
        """The objection names what the missing row is about."""
        table = right_table(kind, wordings)
        first_row, *other_rows = table.rows

        text = table.objection_with_rows(other_rows)

        subject = first_row[kind.subject_column]
        assert f"are due; no row is about {subject} (" in text

    def test_a_missing_last_row_is_objected_to(
        self, kind: TableKind, wordings: str
    ) -> None:
        """The table is complete but for its end."""
        table = right_table(kind, wordings)

        text = table.objection_with_rows(table.rows[:-1])

        assert "are due; no row" in text


class TestShopWithoutPages:
    """Without pages, the check cannot know what the columns of a table mean.

    The folders and fields of this shop have the code's own names (`OWN_NAMES`).
    """

    def test_an_export_is_not_judged_in_a_shop_without_pages(self) -> None:
        """A note says why there is no objection."""
        task = generate_variant("inventory-export", "seed 1", OWN_NAMES)
        shop = shop_of(task)
        for path in list(shop.workspace.files):
            if path.startswith("/docs/"):
                del shop.workspace.files[path]
        ((path, export),) = task.truth.changes.items()

        result = judge_call(shop, "write", {"path": path, "content": export})

        assert result["value"] == ""
        assert "without documents" in str(result["notes"])
