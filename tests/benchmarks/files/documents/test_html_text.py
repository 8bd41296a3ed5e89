"""HTML as browsers read it, as Markdown."""

import pytest

pytest.importorskip("html5lib")

from controlplane.benchmarks.files.documents.html_text import (
    MOST_SPAN_COPIES,
    html_to_markdown,
)


def rows_of(html: str) -> list[str]:
    """Return the lines of the Markdown that are rows of tables."""
    return [
        line for line in html_to_markdown(html).splitlines() if line.startswith("|")
    ]


def test_end_tags_may_be_left_out() -> None:
    html = "<title>T</title><table><tr><th>Room<th>Seats<tr><td>Alder<td>12</table><ul><li>a<li>b</ul><p>End"
    assert html_to_markdown(html) == (
        "| Room | Seats |\n| --- | --- |\n| Alder | 12 |\n\n* a\n* b\n\nEnd"
    )


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (
            "<tr><th>Room<th>Seats<tr><td rowspan=2>Alder<td>12<tr><td>14",
            ["| Room | Seats |", "| --- | --- |", "| Alder | 12 |", "| Alder | 14 |"],
        ),
        (
            "<tr><th>Room<th colspan=2>Seats<tr><td>Alder<td>12<td>3",
            ["| Room | Seats | Seats |", "| --- | --- | --- |", "| Alder | 12 | 3 |"],
        ),
        (
            "<tr><th>a<th>b<th>c<tr><td colspan=100>All<tr><td>1<td rowspan=0>2<td>3<tr><td>4<td>5",
            [
                "| a | b | c |",
                "| --- | --- | --- |",
                "| All | All | All |",
                "| 1 | 2 | 3 |",
                "| 4 | 2 | 5 |",
            ],
        ),
        (
            "<tr><th>a<th>b<th>c<tr><td>1<td>2<td rowspan=2>3<tr><td>4",
            ["| a | b | c |", "| --- | --- | --- |", "| 1 | 2 | 3 |", "| 4 |  | 3 |"],
        ),
    ],
)
def test_a_spanning_cell_stands_in_each_row_and_column(
    table: str, rows: list[str]
) -> None:
    assert rows_of(f"<table>{table}</table>") == rows


def test_groups_of_rows_are_one_table() -> None:
    groups = "<tbody><tr><td>A<td>1<tbody><tr><td>B<td>2<tfoot><tr><td>Total<td>3"
    table = f"<table><caption>Stock<thead><tr><th>Item<th>Cost{groups}</table>"

    assert rows_of(table) == [
        "| Item | Cost |",
        "| --- | --- |",
        "| A | 1 |",
        "| B | 2 |",
        "| Total | 3 |",
    ]


def test_a_pipe_in_a_cell_is_escaped() -> None:
    assert rows_of("<table><tr><th>n<tr><td>cheap | fast <code>a|b</code></table>")[
        -1
    ] == (r"| cheap \| fast `a\|b` |")


def test_a_table_that_lays_out_others_is_no_table() -> None:
    html = "<table><tr><td><p>Dear Ines</p><table><tr><th>Sum<th>5</table></table>Bye"
    assert html_to_markdown(html) == "Dear Ines\n\n| Sum | 5 |\n| --- | --- |\n\nBye"


def test_spans_that_would_make_millions_of_cells_are_not_filled() -> None:
    html = "<table>" + "<tr><td rowspan=60000 colspan=19>x" * 5_000 + "</table>"
    assert len(rows_of(html)) < MOST_SPAN_COPIES
