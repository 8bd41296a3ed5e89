"""Converts HTML to Markdown, with every row of a table complete.

In a page, one cell `North` may stand beside three rows. A search that shows only the third
row would miss it. So a cell that spans rows or columns is repeated in each of them.

The parser follows the HTML standard, as browsers do: end tags may be missing where the
standard allows it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Final, cast

from bs4 import BeautifulSoup, Tag
from markdownify import ATX
from markitdown import DocumentConverterResult, StreamInfo
from markitdown.converters import DocxConverter, HtmlConverter
from markitdown.converters._markdownify import _CustomMarkdownify

MOST_SPAN_COPIES: Final = 50_000
"""The most cells that spans may add to a document. A cell can claim thousands of rows."""
NOT_SHOWN: Final = ("script", "style", "template")
"""Elements whose content browsers do not show as text."""
WIDE_SPAN: Final = 20
"""A cell with a larger `colspan`, such as 100, is meant to span the whole table: authors who do
not know the number of columns write any large number."""


def html_to_markdown(html: str) -> str:
    """Return the text of an HTML page as Markdown."""
    soup = BeautifulSoup(html, "html5lib")
    for element in soup(NOT_SHOWN):
        element.extract()
    # Change the page so that the converter makes readable tables of it.
    _unfold_layout_tables(soup)
    _join_row_groups(soup)
    _fill_spans(soup)
    body = soup.find("body") or soup
    try:
        markdown = _MarkdownWriter(heading_style=ATX).convert_soup(body)
    # The elements are nested too deeply for a recursive converter.
    except RecursionError:
        markdown = body.get_text("\n", strip=True)
    return str(markdown).strip()


class _MarkdownWriter(_CustomMarkdownify):
    """Writes Markdown and escapes pipes, so that they do not end a table's cell."""

    # The casts are there because the library declares no types for these methods.

    def convert_td(self, el: Any, text: str, parent_tags: Any) -> str:
        """Return a cell with its pipes escaped."""
        cell = cast("Any", super()).convert_td(el, _escape_pipes(text), parent_tags)
        return str(cell)

    def convert_th(self, el: Any, text: str, parent_tags: Any) -> str:
        """Return a heading cell with its pipes escaped."""
        cell = cast("Any", super()).convert_th(el, _escape_pipes(text), parent_tags)
        return str(cell)


def _escape_pipes(text: str) -> str:
    """Return a text with each pipe escaped once. Some may be escaped already."""
    return text.replace("\\|", "|").replace("|", "\\|")


def _unfold_layout_tables(soup: BeautifulSoup) -> None:
    """Replace tables that contain tables by blocks: they only lay out a page or a mail."""
    for table in soup("table"):
        if table.find("table") is None:
            continue
        for row in _rows_of(table):
            for cell in _cells_of(row):
                cell.name = "div"
            row.name = "div"
        for group in table.find_all(("thead", "tbody", "tfoot"), recursive=False):
            group.name = "div"
        table.name = "div"


def _join_row_groups(soup: BeautifulSoup) -> None:
    """Move all rows of a table into its first body. Markdown would give each group a header."""
    for table in soup("table"):
        first_body = table.find("tbody", recursive=False)
        if first_body is None:
            continue
        for group in table.find_all(("tbody", "tfoot"), recursive=False):
            if group is not first_body:
                for row in group.find_all("tr", recursive=False):
                    first_body.append(row.extract())
                group.extract()


def _rows_of(table: Tag) -> list[Tag]:
    """Return the rows of a table, except those of nested tables."""
    rows = []
    for row in table.find_all("tr"):
        if row.find_parent("table") is table:
            rows.append(row)
    return rows


def _fill_spans(soup: BeautifulSoup) -> None:
    """Copy each spanning cell into all rows and columns that it spans.

    If a table would exceed `MOST_SPAN_COPIES`, it and all later ones stay as they are.
    """
    remaining_copies = MOST_SPAN_COPIES
    for table in soup("table"):
        rows = _rows_of(table)
        copies = _span_copies(rows)
        remaining_copies -= copies
        if remaining_copies < 0:
            return
        if copies:
            _fill_table(rows)


def _span_copies(rows: list[Tag]) -> int:
    """Return the number of cells that the spans of a table would add."""
    copies = 0
    width = _width_of(rows)
    for number, row in enumerate(rows):
        for cell in _cells_of(row):
            height = _row_span(cell, len(rows) - number)
            copies += height * _column_span(cell, width) - 1
    return copies


def _width_of(rows: list[Tag]) -> int:
    """Return the number of columns of a table: that of its widest row."""
    width = 1
    for row in rows:
        columns = 0
        for cell in _cells_of(row):
            # A cell that spans the whole table does not tell its width. Count one column.
            columns += _column_span(cell, whole_width=1)
        width = max(width, columns)
    return width


def _cells_of(row: Tag) -> list[Tag]:
    return list(row.find_all(("td", "th"), recursive=False))


@dataclass(frozen=True, slots=True)
class _CellFromAbove:
    """A cell that also fills its column in the rows below."""

    cell: Tag
    rows_below: int
    """The number of rows that it still fills. An entry with 0 is not kept."""


def _fill_table(rows: list[Tag]) -> None:
    """Fill the spans of one table: a cell over two rows and three columns becomes six cells."""
    table_width = _width_of(rows)
    cells_from_above: dict[int, _CellFromAbove] = {}
    for number, row in enumerate(rows):
        _fill_row(row, cells_from_above, len(rows) - number, table_width)


def _fill_row(
    row: Tag,
    cells_from_above: dict[int, _CellFromAbove],
    remaining_rows: int,
    table_width: int,
) -> None:
    """Fill the columns of one row from left to right.

    `cells_from_above` has the cells above that span into this row, by column. It is
    updated for the next row.
    """
    own_cells = _cells_of(row)
    for cell in own_cells:
        cell.extract()
    last_column_from_above = max(cells_from_above, default=-1)
    column = 0
    while own_cells or column <= last_column_from_above:
        if column in cells_from_above:
            from_above = cells_from_above.pop(column)
            row.append(copy.copy(from_above.cell))
            rows_below = from_above.rows_below - 1
            if rows_below > 0:  # It also fills the next row.
                cells_from_above[column] = _CellFromAbove(from_above.cell, rows_below)
            column += 1
        elif own_cells:
            cell = own_cells.pop(0)
            rows_below = _row_span(cell, remaining_rows) - 1
            width = _column_span(cell, max(table_width - column, 1))
            del cell["rowspan"]
            del cell["colspan"]
            for spanned_column in range(column, column + width):
                is_first_column = spanned_column == column
                row.append(cell if is_first_column else copy.copy(cell))
                if rows_below > 0:
                    cells_from_above[spanned_column] = _CellFromAbove(cell, rows_below)
            column += width
        else:
            # The row has no cell here, but a cell from above fills a later column.
            row.append(Tag(name="td"))
            column += 1


def _row_span(cell: Tag, remaining_rows: int) -> int:
    """Return the number of rows that a cell spans; 0 means all remaining rows, by the standard."""
    span = _number(cell.get("rowspan"))
    if span == 0:
        return remaining_rows
    return min(span, remaining_rows)


def _column_span(cell: Tag, whole_width: int) -> int:
    """Return the number of columns that a cell spans: `whole_width` if it spans the whole table."""
    span = max(_number(cell.get("colspan")), 1)
    if span > WIDE_SPAN:
        return whole_width
    return span


def _number(attribute: Any) -> int:
    """Return the number in an attribute; 1 if it is not a number of at most six digits."""
    text = str(attribute or "1").strip()
    if text.isdecimal() and len(text) <= 6:
        return int(text)
    return 1


class _StandardHtmlConverter(HtmlConverter):
    """Makes markitdown's DOCX converter use this module for the HTML that it creates."""

    def convert_string(
        self, html_content: str, *, url: str | None = None, **options: Any
    ) -> DocumentConverterResult:
        """Return the Markdown of HTML."""
        return DocumentConverterResult(markdown=html_to_markdown(html_content))


_docx_converter: Final[Any] = cast("Any", DocxConverter)()  # It has no types.
_docx_converter._html_converter = _StandardHtmlConverter()


def docx_to_markdown(file: Any) -> str:
    """Return the text of a DOCX file as Markdown."""
    return str(_docx_converter.convert(file, StreamInfo(extension=".docx")).markdown)
