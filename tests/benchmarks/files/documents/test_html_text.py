"""Converting HTML pages to Markdown, with every row of a table complete.

A cell may span several rows: `<td rowspan=2>Alder`. It is repeated in each of them, so that a
search which shows only the second row does not miss it. As in a browser, end tags may be missing.
"""

import pytest

pytest.importorskip("html5lib")

from controlplane.benchmarks.files.documents.html.html_spans import MOST_SPAN_COPIES
from controlplane.benchmarks.files.documents.html.html_text import html_to_markdown


def markdown_rows(html: str) -> list[str]:
    """Return the lines of the Markdown that are rows of tables: `| Alder | 12 |`."""
    lines = html_to_markdown(html).splitlines()
    return [line for line in lines if line.startswith("|")]


class TestTables:
    """A table becomes rows of Markdown, whatever parts and signs it has in HTML.

    `markdown_rows(html)` are the lines of the Markdown that are rows of tables: `| Alder | 12 |`.
    """

    def test_missing_end_tags_are_added(self) -> None:
        """HTML may leave out the end tags of cells, list items and paragraphs."""
        html = (
            "<title>T</title>"
            "<table><tr><th>Room<th>Seats<tr><td>Alder<td>12</table>"
            "<ul><li>a<li>b</ul>"
            "<p>End"
        )

        assert html_to_markdown(html) == (
            "| Room | Seats |\n| --- | --- |\n| Alder | 12 |\n\n* a\n* b\n\nEnd"
        )

    def test_groups_of_rows_become_one_table(self) -> None:
        """HTML divides a table into a head, bodies and a foot. Markdown has only rows."""
        html = (
            "<table><caption>Stock"
            "<thead><tr><th>Item<th>Cost"
            "<tbody><tr><td>A<td>1"
            "<tbody><tr><td>B<td>2"
            "<tfoot><tr><td>Total<td>3"
            "</table>"
        )

        assert markdown_rows(html) == [
            "| Item | Cost |",
            "| --- | --- |",
            "| A | 1 |",
            "| B | 2 |",
            "| Total | 3 |",
        ]

    def test_pipe_in_a_cell_is_escaped(self) -> None:
        """An unescaped pipe would end the cell."""
        html = "<table><tr><th>n<tr><td>cheap | fast <code>a|b</code></table>"

        last_row = markdown_rows(html)[-1]

        assert last_row == r"| cheap \| fast `a\|b` |"

    def test_table_that_only_arranges_the_page_is_not_shown_as_a_table(self) -> None:
        """Mails put their text and the real tables into the cells of an outer table."""
        html = (
            "<table><tr><td><p>Dear Ines</p><table><tr><th>Sum<th>5</table></table>Bye"
        )

        assert (
            html_to_markdown(html) == "Dear Ines\n\n| Sum | 5 |\n| --- | --- |\n\nBye"
        )


class TestSpans:
    """A cell that spans rows or columns is repeated in each of them.

    Each case is a table, and the rows of its Markdown.
    """

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
        self, table: str, expected_rows: list[str]
    ) -> None:
        assert markdown_rows(f"<table>{table}</table>") == expected_rows

    def test_spans_that_would_make_millions_of_cells_are_not_filled(self) -> None:
        """A small page must not fill the memory."""
        html = "<table>" + "<tr><td rowspan=60000 colspan=19>x" * 5_000 + "</table>"

        assert len(markdown_rows(html)) < MOST_SPAN_COPIES
