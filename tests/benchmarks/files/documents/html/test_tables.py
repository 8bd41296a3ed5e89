"""Tables of an HTML page become rows of Markdown, whatever parts and signs they have in HTML.

As in a browser, end tags may be missing. `markdown_rows(html)` are the lines of the Markdown that
are rows of tables: `| Alder | 12 |`.
"""

import pytest

pytest.importorskip("html5lib")

from controlplane.benchmarks.files.documents.document_texts import html_to_markdown
from tests.benchmarks.files.documents.html.table_rows import markdown_rows


def test_missing_end_tags_are_added() -> None:
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


def test_groups_of_rows_become_one_table() -> None:
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


def test_pipe_in_a_cell_is_escaped() -> None:
    """An unescaped pipe would end the cell."""
    html = "<table><tr><th>n<tr><td>cheap | fast <code>a|b</code></table>"

    last_row = markdown_rows(html)[-1]

    assert last_row == r"| cheap \| fast `a\|b` |"


def test_table_that_only_arranges_the_page_is_not_shown_as_a_table() -> None:
    """Mails put their text and the real tables into the cells of an outer table."""
    html = "<table><tr><td><p>Dear Ines</p><table><tr><th>Sum<th>5</table></table>Bye"

    assert html_to_markdown(html) == "Dear Ines\n\n| Sum | 5 |\n| --- | --- |\n\nBye"
