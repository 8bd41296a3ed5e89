"""Prepares the tables of an HTML page for Markdown, which knows only one plain kind of table.

Mails and old pages lay out their texts by tables inside tables; these become blocks. And a
table may have several groups of rows (`<tbody>`), which become one, since a converter would
write a header for each of them.
"""

from __future__ import annotations

from bs4 import BeautifulSoup, Tag


def unfold_layout_tables(soup: BeautifulSoup) -> None:
    """Replace tables that contain tables by blocks (`<div>`): they only lay out a page or a mail.

    The inner tables stay. They may be tables of data.
    """
    for table in soup("table"):
        if table.find("table") is None:
            continue
        for row in rows_of(table):
            for cell in cells_of(row):
                cell.name = "div"
            row.name = "div"
        for group in table.find_all(("thead", "tbody", "tfoot"), recursive=False):
            group.name = "div"
        table.name = "div"


def join_row_groups(soup: BeautifulSoup) -> None:
    """Move all rows of each table into its first body.

    `<tbody>A</tbody><tbody>B</tbody><tfoot>C</tfoot>` -> `<tbody>ABC</tbody>`. Otherwise the
    converter would write a header for each group of rows.
    """
    for table in soup("table"):
        first_body = table.find("tbody", recursive=False)
        if first_body is None:
            continue
        for group in table.find_all(("tbody", "tfoot"), recursive=False):
            if group is not first_body:
                for row in group.find_all("tr", recursive=False):
                    first_body.append(row.extract())
                group.extract()


def rows_of(table: Tag) -> list[Tag]:
    """Return the rows (`<tr>`) of a table, except those of tables inside it."""
    rows = []
    for row in table.find_all("tr"):
        if row.find_parent("table") is table:
            rows.append(row)
    return rows


def cells_of(row: Tag) -> list[Tag]:
    """Return the cells of a row (`<td>` and `<th>`), except those of tables inside it."""
    return list(row.find_all(("td", "th"), recursive=False))
