"""Cells of an HTML table that span several rows or columns: each of these gets their text.

In `<td rowspan=2>Alder`, a search that shows only the second row would miss the name. Each case is a
table, and the rows of its Markdown.
"""

import pytest

pytest.importorskip("html5lib")

from tests.benchmarks.files.documents.html.table_rows import markdown_rows


@pytest.mark.parametrize(
    ("table", "expected_rows"),
    [
        pytest.param(
            "<tr><th>Room<th>Seats<tr><td rowspan=2>Alder<td>12<tr><td>14",
            [
                "| Room | Seats |",
                "| --- | --- |",
                "| Alder | 12 |",
                "| Alder | 14 |",
            ],
            id="two rows",
        ),
        pytest.param(
            "<tr><th>Room<th colspan=2>Seats<tr><td>Alder<td>12<td>3",
            [
                "| Room | Seats | Seats |",
                "| --- | --- | --- |",
                "| Alder | 12 | 3 |",
            ],
            id="two columns",
        ),
        pytest.param(
            '<tr><th colspan="2;">Seats<th>Room<tr><td>12<td>3<td>Alder',
            [
                "| Seats | Seats | Room |",
                "| --- | --- | --- |",
                "| 12 | 3 | Alder |",
            ],
            id="number with a sign behind it",
        ),
        # A `colspan` of 100 means the whole table, and a `rowspan` of 0 all further rows.
        pytest.param(
            "<tr><th>a<th>b<th>c"
            "<tr><td colspan=100>All"
            "<tr><td>1<td rowspan=0>2<td>3"
            "<tr><td>4<td>5",
            [
                "| a | b | c |",
                "| --- | --- | --- |",
                "| All | All | All |",
                "| 1 | 2 | 3 |",
                "| 4 | 2 | 5 |",
            ],
            id="all columns, and all further rows",
        ),
        pytest.param(
            "<tr><th>a<th>b<th>c<tr><td>1<td>2<td rowspan=2>3<tr><td>4",
            [
                "| a | b | c |",
                "| --- | --- | --- |",
                "| 1 | 2 | 3 |",
                "| 4 |  | 3 |",
            ],
            id="row with a missing cell",
        ),
    ],
)
def test_cell_that_spans_rows_or_columns_is_repeated_in_each(
    table: str, expected_rows: list[str]
) -> None:
    assert markdown_rows(f"<table>{table}</table>") == expected_rows


def test_spans_that_would_make_too_many_cells_are_not_filled() -> None:
    """A small page must not fill the memory. Filled, this one would have 380,000 cells."""
    html = "<table>" + "<tr><td rowspan=60000 colspan=19>x" * 200 + "</table>"

    last_row = markdown_rows(html)[-1]

    assert last_row.count("x") == 1
