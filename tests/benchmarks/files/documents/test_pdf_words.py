"""The words of a PDF page are what a reader sees, whatever signs its font has.

A cell of a table that is empty stays empty: the cells after it do not move to its place.
"""

import pytest

pytest.importorskip("pdfminer")

from controlplane.benchmarks.files.documents.document_texts import parts_of
from tests.benchmarks.files.pdf_files import pdf_of_pages, placed_texts


def test_sign_for_two_letters_is_written_as_these_letters() -> None:
    """`\\256` is one sign for `fi`. A search for `confirm` would not find it."""
    (page,) = parts_of(".pdf", pdf_of_pages([r"We con\256rm the order."]))

    assert page.text == "We confirm the order."


# Tables on a page, whose texts stand in columns at 72, 200, 300 and 400 points from the left edge.

TITLES = {72: "Item", 200: "Jan", 300: "Feb", 400: "Mar"}


def page_of(*rows: dict[int, str]) -> tuple[str, list[str]]:
    """Return the text and the notes of a page with these rows, each by the places of its texts."""
    content = placed_texts(
        [
            (x, 700 - 20 * n, text)
            for n, row in enumerate(rows)
            for x, text in row.items()
        ]
    )
    (page,) = parts_of(".pdf", pdf_of_pages([], contents=[content]))
    return page.text, list(page.notes)


def test_empty_cells_of_a_table_stay_empty() -> None:
    text, notes = page_of(
        TITLES,
        {72: "Bolt", 200: "10", 300: "20", 400: "30"},
        {72: "Nut", 300: "25", 400: "35"},
        {200: "12", 400: "37"},
    )

    assert text.splitlines() == [
        "| Item | Jan | Feb | Mar |",
        "| Bolt | 10 | 20 | 30 |",
        "| Nut |  | 25 | 35 |",
        "|  | 12 |  | 37 |",
    ]
    assert notes == []


def test_rows_without_empty_cells_are_lines() -> None:
    text, _ = page_of(TITLES, *[{72: "Nut", 200: "1", 300: "25", 400: "35"}] * 3)

    assert text.splitlines()[1] == "Nut 1 25 35"


def test_table_whose_empty_cells_have_no_certain_place_is_noted() -> None:
    """The numbers stand between the columns of the titles."""
    text, notes = page_of(
        TITLES,
        {72: "Bolt", 250: "10", 350: "20", 450: "30"},
        {72: "Nut", 250: "25", 450: "35"},
    )

    assert text.splitlines()[2] == "Nut 25 35"
    assert notes == [
        "rows with fewer cells than others: to which columns their texts belong is not certain"
    ]
