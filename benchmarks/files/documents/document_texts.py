"""Converts documents to text in an isolated process, the worker.

A document may come from anyone, and its format may be used to attack a library. The worker
imports this module, with all libraries, before it isolates itself. No other module imports
it, because the libraries take seconds to load.
"""

from __future__ import annotations

import codecs
import copy
import json
import os
import re
import sqlite3
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from decimal import Decimal
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from encodings.aliases import aliases
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, Final, cast
from zipfile import ZipFile

# NumPy, which MarkItDown imports, would start threads, and the process may start none.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import re2
from bs4 import BeautifulSoup, Tag
from bs4.element import PageElement
from markdownify import ATX
from markitdown import DocumentConverterResult, StreamInfo
from markitdown.converters import DocxConverter, HtmlConverter
from markitdown.converters._markdownify import _CustomMarkdownify
from openpyxl import Workbook
from openpyxl.xml.functions import fromstring, tostring

from controlplane.benchmarks.files.documents import pdf_text
from controlplane.benchmarks.files.documents.conversion import DocumentPart
from controlplane.benchmarks.files.documents.spreadsheets import csv_text, sheets_of
from controlplane.benchmarks.files.sources.file_suffixes import DOCUMENT_SUFFIXES
from controlplane.benchmarks.files.tables.csv_files import written_value
from controlplane.sandbox.interface import CallError, error_codes
from controlplane.sandbox.interface.foreign_documents import read_json

# Converts Parquet files and SQLite databases to CSV.
#
# Their numbers have a type, but in CSV a number such as `1.234` could also be read as 1,234. So
# it is written in a form that can be read in one way only: `1.2340`.

_PARQUET: Final = "memory://table.parquet"
"""The in-memory file from which DuckDB reads a Parquet file."""
_FETCHED_ROWS: Final = 10_000
"""The number of rows that are fetched from DuckDB at once."""


def _parquet_csv(data: bytes) -> str:
    """Return a Parquet file as CSV."""
    return csv_text(_with_written_numbers(_parquet_rows(data)))


def _sqlite_csv(data: bytes) -> dict[str, str]:
    """Return each table of an SQLite database as CSV, by its name.

    Raises `ValueError` if `data` is not such a database.
    """
    if not data.startswith(b"SQLite format 3\0"):
        msg = "it is not an SQLite database"
        raise ValueError(msg)
    texts = {}
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(data)
        database.text_factory = lambda text: text.decode("utf-8", "replace")
        tables = database.execute(
            "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"
        )
        for (name,) in tables.fetchall():
            texts[name] = csv_text(_with_written_numbers(_table_rows(database, name)))
    return texts


def _parquet_rows(data: bytes) -> Iterator[Sequence[Any]]:
    """Yield the column names of a Parquet file, then its rows."""
    # DuckDB is imported only if the extra is installed.
    from controlplane.benchmarks.files.tables.table_database import database, files

    files.pipe(_PARQUET, data)  # Writes the file in memory, from which DuckDB reads it.
    cursor = database.execute("select * from read_parquet(?)", [_PARQUET])
    yield [column[0] for column in cursor.description]
    while rows := cursor.fetchmany(_FETCHED_ROWS):
        yield from rows


def _table_rows(database: sqlite3.Connection, name: str) -> Iterator[Sequence[Any]]:
    """Yield the column names of a table, then its rows, without binary values."""
    quoted_name = name.replace('"', '""')
    rows = database.execute(f'select * from "{quoted_name}"')
    yield [column[0] for column in rows.description]
    for row in rows:
        yield ["" if isinstance(cell, bytes) else cell for cell in row]


def _with_written_numbers(rows: Iterable[Sequence[Any]]) -> Iterator[list[Any]]:
    """Yield rows whose numbers cannot be misread: `1.234` becomes `1.2340`.

    An `int` has no decimal point, and stays as it is.
    """
    for row in rows:
        yield [
            written_value(cell) if isinstance(cell, float | Decimal) else cell
            for cell in row
        ]


# Prepares the tables of an HTML page for Markdown, which knows only one plain kind of table.
#
# Mails and old pages lay out their texts by tables inside tables; these become blocks. A table may
# have several groups of rows (`<tbody>`), which become one, since a converter would write a header
# for each of them. And one cell `North` may stand beside three rows: `<td rowspan="3">North</td>`.
# A search that shows only the third row would miss it. So that cell becomes three cells, and each
# row is complete.

_WIDE_SPAN: Final = 20
"""A cell with a larger `colspan`, such as 100, is meant to span the whole table.

Authors who do not know the number of columns write any large number.
"""
_SPAN: Final = re.compile(r"\s*[+]?(\d{1,6})(?!\d)", re.ASCII)
_MOST_SPAN_COPIES: Final = 50_000
"""The most cells that spans may add to a document. A cell can claim thousands of rows."""
_MOST_ROWS_IN_A_CELL: Final = 10
"""The most rows of a table that is shown as the text of a cell."""


def _make_tables_plain(soup: BeautifulSoup) -> None:
    """Make of each table one group of rows with complete cells, or blocks if it lays out the page."""
    remaining_copies = _MOST_SPAN_COPIES
    for table in soup("table"):
        if table.parent is None:  # It became the text of a cell.
            continue
        rows = _rows_of(table)
        if table.find("table") is not None and not _fold_inner_tables(table, rows):
            groups = table.find_all(("thead", "tbody", "tfoot"), recursive=False)
            cells = [cell for row in rows for cell in _cells_of(row)]
            for element in (table, *groups, *rows, *cells):
                element.name = "div"
            continue
        first_body = table.find("tbody", recursive=False)
        for group in table.find_all(("tbody", "tfoot"), recursive=False):
            if first_body is not None and group is not first_body:
                for row in group.find_all("tr", recursive=False):
                    first_body.append(row.extract())
                group.extract()
        # If a table would exceed the limit, it and all later ones stay as they are.
        if remaining_copies >= 0:
            remaining_copies -= _fill_spans(rows, remaining_copies)


def _rows_of(table: Tag) -> list[Tag]:
    """Return the rows (`<tr>`) of a table, except those of tables inside it."""
    return [row for row in table("tr") if row.find_parent("table") is table]


def _cells_of(row: Tag) -> list[Tag]:
    """Return the cells of a row (`<td>` and `<th>`), except those of tables inside it."""
    return list(row.find_all(("td", "th"), recursive=False))


def _fold_inner_tables(table: Tag, rows: list[Tag]) -> bool:
    """Make small tables in the cells of a table of data into texts: `Size 5 m; Colour red`.

    Return False if it is no such table: its first row has no headings.
    """
    inner_tables = [(inner, _rows_of(inner)) for inner in table("table")]
    has_header = bool(rows) and len(rows[0].find_all("th", recursive=False)) > 1
    if not has_header or any(
        len(inner) > _MOST_ROWS_IN_A_CELL for _, inner in inner_tables
    ):
        return False
    for inner, inner_rows in inner_tables:
        texts = [row.get_text(" ", strip=True) for row in inner_rows]
        inner.replace_with(f" {'; '.join(filter(None, texts))} ")
    return True


def _number(attribute: Any) -> int:
    """Return the number in an attribute, such as `rowspan`: `"3"` -> 3, `"2;"` -> 2, None -> 1.

    As in browsers, what follows the digits does not count. Without digits, or with more than six,
    it is 1.
    """
    match = _SPAN.match(str(attribute or ""))
    return int(match[1]) if match else 1


def _fill_spans(rows: list[Tag], most_copies: int) -> int:
    """Copy each spanning cell of a table into all rows and columns that it spans.

        <tr> <td rowspan="2">North</td> <td>May</td>  <td>5</td> </tr>
        <tr>                            <td>June</td> <td>7</td> </tr>

    The second row becomes `<td>North</td> <td>June</td> <td>7</td>`. Return the number of copies.
    If it is greater than `most_copies`, the table stays as it is.
    """
    cells = [cell for row in rows for cell in _cells_of(row)]
    if not any(cell.has_attr("rowspan") or cell.has_attr("colspan") for cell in cells):
        return 0
    # A cell that spans the whole table does not tell its width. It counts as one column.
    spans = [
        [max(_number(cell.get("colspan")), 1) for cell in _cells_of(row)]
        for row in rows
    ]
    table_width = max(
        (sum(1 if span > _WIDE_SPAN else span for span in row) for row in spans),
        default=0,
    )
    grid: list[dict[int, Tag]] = [{} for _ in rows]
    """The cells of each row, by column."""
    copies = 0
    for number, (row, row_spans) in enumerate(zip(rows, spans, strict=True)):
        column = 0
        for cell, span in zip(_cells_of(row), row_spans, strict=True):
            while column in grid[number]:
                column += 1
            # By the standard, `rowspan="0"` means all remaining rows of the table.
            height = min(_number(cell.get("rowspan")) or len(rows), len(rows) - number)
            width = max(table_width - column, 1) if span > _WIDE_SPAN else span
            copies += height * width - 1
            if copies > most_copies:
                return copies
            for grid_row in grid[number : number + height]:
                for spanned_column in range(column, column + width):
                    grid_row[spanned_column] = cell
            column += width
    for cell in cells:
        cell.extract()
    for row, grid_row in zip(rows, grid, strict=True):
        for column in range(max(grid_row, default=-1) + 1):
            # The row may have no cell here, while a cell from above fills a later column.
            spanning_cell = grid_row.get(column)
            cell = Tag(name="td") if spanning_cell is None else copy.copy(spanning_cell)
            del cell["rowspan"]
            del cell["colspan"]
            row.append(cell)
    return copies


# Converts HTML to Markdown, with every row of a table complete.
#
# A page is shown to a model as text, by lines: a search for `North` shows the line with it. So
# tables become rows of Markdown in which each cell is repeated where it belongs.
# The parser follows the HTML standard, as browsers do: end tags may be missing where the standard
# allows it.

_NOT_SHOWN: Final = ("script", "style", "template")
"""Elements whose content browsers do not show as text."""


def html_to_markdown(html: str) -> str:
    """Return the text of an HTML page as Markdown: `<h1>Fees</h1>` -> `# Fees`."""
    soup = BeautifulSoup(html, "html5lib")
    _remove_hidden_classes(soup)
    for element in soup(_NOT_SHOWN):
        element.extract()
    _apply_styles(soup)
    _show_forms(soup)
    _keep_texts_apart(soup)
    # Change the page so that the converter makes readable tables of it.
    _make_tables_plain(soup)
    body = soup.find("body") or soup
    try:
        markdown = _MarkdownWriter(heading_style=ATX).convert_soup(body)
    # The elements are nested too deeply for a recursive converter.
    except RecursionError:
        markdown = body.get_text("\n", strip=True)
    return str(markdown).strip()


_STYLE: Final = re2.compile(r"(?i)(display|visibility|vertical-align)\s*:\s*([a-z-]+)")
"""A part of a `style` that decides whether and where a text is shown: `display: none`."""
_APART: Final = (
    *("option", "select", "textarea", "button", "output", "progress", "meter"),
    *("summary", "noscript", "legend", "object", "svg"),
)
"""Elements that browsers show apart from the text beside them."""
_BLOCKS: Final = (
    *(
        "address",
        "aside",
        "center",
        "details",
        "dialog",
        "dir",
        "fieldset",
        "figure",
        "footer",
    ),
    *("form", "header", "hgroup", "main", "menu", "nav", "search"),
)
"""Blocks of a page that the converter takes for a part of a line."""
_FIELDS_WITHOUT_TEXT: Final = ("hidden", "password", "checkbox", "radio", "image")

_INLINE: Final = ("span", "a", "b", "i", "em", "strong", "small", "sup", "sub", "label")
"""Elements within a line."""


_MEDIA_RULES: Final = re2.compile(r"@media[^{]*\{([^{}]*\{[^}]*\})*[^{}]*\}")
"""The rules of a style sheet for some devices only, such as printers."""
_HIDING_RULE: Final = re2.compile(
    r"(?i)(?:^|[};,])\s*(?:\w+)?[.]([\w-]+)\s*\{[^}]*"
    r"(?:display\s*:\s*none|visibility\s*:\s*hidden)"
)
"""A rule that hides the elements of a class: `.sort-key { display: none }`."""


def _remove_hidden_classes(soup: BeautifulSoup) -> None:
    """Remove what the page's style sheets hide within a line, by its class."""
    for sheet in soup("style"):
        rules = _MEDIA_RULES.sub("", str(sheet.string or ""))
        for name in _HIDING_RULE.findall(rules):
            for element in soup(_INLINE, class_=name):
                element.extract()


def _apply_styles(soup: BeautifulSoup) -> None:
    """Remove what a page hides within a line, and use elements for raised and separate texts.

    A hidden block stays: a script of the page may show it when somebody clicks.
    """
    for element in soup(_INLINE, hidden=True):
        element.extract()
    for element in soup(_INLINE, style=True):
        for name, value in _STYLE.findall(str(element["style"])):
            match name.lower(), value.lower():
                case ("display", "none") | ("visibility", "hidden"):
                    element.extract()
                case ("display", "block" | "flex" | "grid") if element.name == "span":
                    element.name = "div"
                case ("vertical-align", "super" | "text-top"):
                    element.name = "sup"
                case ("vertical-align", "sub" | "text-bottom"):
                    element.name = "sub"


def _show_forms(soup: BeautifulSoup) -> None:
    """Write what the fields of a form hold as text, and of a list with a choice only the chosen."""
    for field in soup("input", value=True):
        if str(field.get("type")).lower() not in _FIELDS_WITHOUT_TEXT:
            field.name = "output"
            field.string = str(field["value"])
    for choices in soup("select"):
        if choices.find("option", selected=True) is not None:
            for option in choices("option", selected=False):
                option.extract()


def _text_beside(neighbour: PageElement | None) -> str:
    """Return the text of what stands in the same line as an element; empty for a block."""
    if isinstance(neighbour, Tag):
        is_in_line = neighbour.name in (*_INLINE, *_APART)
        return neighbour.get_text() if is_in_line else ""
    return str(neighbour or "")


def _keep_texts_apart(soup: BeautifulSoup) -> None:
    """Put signs between texts that a browser shows in different places, without a blank there.

    `12<small>99</small>` -> `12 99`, `<msup><mn>10</mn><mn>3</mn></msup>` -> `10^3`.
    """
    for element in soup(_BLOCKS):
        element.name = "div"
    for element in soup(_APART):
        text = element.get_text()
        if _text_beside(element.previous_sibling)[-1:].isalnum() and text[:1].isalnum():
            element.insert_before(" ")
        if text[-1:].isalnum() and _text_beside(element.next_sibling)[:1].isalnum():
            element.insert_after(" ")
    for element in soup("small"):
        before = _text_beside(element.previous_sibling)
        if before[-1:].isdecimal() and element.get_text()[:1].isdecimal():
            element.insert_before(" ")
    for reading in soup("rt"):
        if reading.find_previous_sibling("rp") is None:
            reading.insert_before("(")
            reading.insert_after(")")
    for name, signs in (
        ("msup", "^"),
        ("msub", "_"),
        ("mfrac", "/"),
        ("msubsup", "_^"),
    ):
        for formula in soup(name):
            operands = formula.find_all(True, recursive=False)
            for operand, sign in zip(operands[1:], signs, strict=False):
                operand.insert_before(sign)
    for text in soup.find_all(
        string=lambda text: text is not None and "\u00ad" in text
    ):
        text.replace_with(
            text.replace("\u00ad", "")
        )  # a place for a hyphen, which is not shown


_LENGTH_AT_END: Final = re.compile(r"(?:^|[\W\d_])(?:[cdkm]?m|ft|in|yd|mi)$")
"""A unit of length at the end of a text, whose square is a unit, too: `5 m`, `30km`."""


class _MarkdownWriter(_CustomMarkdownify):
    """Writes Markdown in which no table's cell ends at a pipe, and no number grows by an exponent."""

    # The casts are there because the library declares no types for these methods.

    def convert_td(self, el: Any, text: str, parent_tags: Any) -> str:
        """Return a cell with its pipes escaped."""
        cell = cast("Any", super()).convert_td(el, _escape_pipes(text), parent_tags)
        return str(cell)

    def convert_th(self, el: Any, text: str, parent_tags: Any) -> str:
        """Return a heading cell with its pipes escaped."""
        cell = cast("Any", super()).convert_th(el, _escape_pipes(text), parent_tags)
        return str(cell)

    def convert_sup(self, el: Any, text: str, parent_tags: Any) -> str:
        """Return a raised text: `^3` for the second part of `10<sup>3</sup>`."""
        return _apart_from_numbers(el, text, "^")

    def convert_sub(self, el: Any, text: str, parent_tags: Any) -> str:
        """Return a lowered text: `_2` for the second part of `1001<sub>2</sub>`."""
        return _apart_from_numbers(el, text, "_")


def _apart_from_numbers(script: Tag, text: str, mark: str) -> str:
    """Return a raised or lowered text such that no digits beside it seem to be one number.

    `10<sup>3</sup>` -> `10^3`, and so is the mark of a footnote: `12^1`. `CO<sub>2</sub>`,
    `5 m<sup>2</sup>` and `1<sup>st</sup>` stay as people write them: `CO2`, `5 m2`, `1st`.
    """
    if not any(character.isdecimal() for character in text):
        return text
    before = str(script.find_previous(string=True) or "")
    after = str(script.find_next_sibling(string=True) or "")
    is_raised = mark == "^"
    is_numerator = is_raised and text.isdecimal() and after[:1] in ("/", "⁄")
    if is_numerator and before[-1:].isdecimal():  # `1<sup>1</sup>/<sub>2</sub>`
        return f" {text}"
    is_unit = text in ("2", "3") and _LENGTH_AT_END.search(before) is not None
    joins_word = is_unit or (before[-1:].isalpha() and not is_raised)
    if script.previous_sibling is not None and before[-1:].isalnum() and not joins_word:
        text = f"{mark}{text}"
    follows_directly = script.next_sibling is not None and after == str(
        script.next_sibling
    )
    if follows_directly and after[:1].isdecimal():
        text += " "
    return text


def _escape_pipes(text: str) -> str:
    r"""Return a text with each pipe escaped once: `a|b\|c` -> `a\|b\|c`."""
    return text.replace("\\|", "|").replace("|", "\\|")


# Converts DOCX files (Word) to Markdown, with every row of a table complete.
#
# The library markitdown converts DOCX to HTML, and that to Markdown. Its second step would leave
# cells empty that a merged cell covers. So it is replaced by the conversion of HTML
# above, which repeats the merged cell.


class _StandardHtmlConverter(HtmlConverter):
    """Makes markitdown's DOCX converter use this module for the HTML that it creates."""

    def convert_string(
        self, html_content: str, *, url: str | None = None, **options: Any
    ) -> DocumentConverterResult:
        """Return the Markdown of HTML."""
        return DocumentConverterResult(markdown=html_to_markdown(html_content))


_docx_converter: Final[Any] = cast("Any", DocxConverter)()  # It has no types.
_docx_converter._html_converter = _StandardHtmlConverter()


_WITH_COMMENTS: Final = "comment-reference => sup"
"""Makes the library show comments below the text, as it shows footnotes."""
_MOST_MARGIN_CHARS: Final = 300
_PAGE_MARGIN: Final = re.compile(r"word/(?:header|footer)\d*\.xml")


def _docx_part(data: bytes) -> DocumentPart:
    """Return the text of a DOCX file as Markdown, and what its pages show or hide besides."""
    data, hidden_texts = _without_hidden_texts(data)
    converted = _docx_converter.convert(
        BytesIO(data), StreamInfo(extension=".docx"), style_map=_WITH_COMMENTS
    )
    margins = []
    with ZipFile(BytesIO(data)) as archive:
        for name in sorted(filter(_PAGE_MARGIN.fullmatch, archive.namelist())):
            paragraphs = fromstring(archive.read(name)).iterfind(".//{*}p")
            texts = ["".join(paragraph.itertext()) for paragraph in paragraphs]
            margins.append(" ".join(" ".join(texts).split()))
    shown_margins = "; ".join(dict.fromkeys(filter(None, margins)))
    notes = []
    if shown_margins:
        notes.append(f"above or below each page: {shown_margins[:_MOST_MARGIN_CHARS]}")
    if hidden_texts:
        shown_texts = "; ".join(hidden_texts)[:_MOST_MARGIN_CHARS]
        notes.append(f"hidden text, which is left out: {shown_texts}")
    return DocumentPart("", str(converted.markdown), tuple(notes))


_DOCX_TEXT: Final = "word/document.xml"
_DOCX_STYLES: Final = "word/styles.xml"
_HIDDEN: Final = b"vanish"


def _without_hidden_texts(data: bytes) -> tuple[bytes, list[str]]:
    """Return a DOCX file without what its author has hidden, and the hidden texts.

    A run of text is hidden by its own properties, or by the style of its characters or paragraph.
    """
    with ZipFile(BytesIO(data)) as archive:
        names = archive.namelist()
        files = {
            name: archive.read(name)
            for name in (_DOCX_TEXT, _DOCX_STYLES)
            if name in names
        }
        if not any(_HIDDEN in text for text in files.values()):
            return data, []
        hidden_styles = set()
        if _DOCX_STYLES in files:
            for style in fromstring(files[_DOCX_STYLES]).iterfind("{*}style"):
                if _hides(style.find("{*}rPr")):
                    hidden_styles.add(_value(style, "styleId"))
        root = fromstring(files[_DOCX_TEXT])
        texts = []
        for paragraph in root.iterfind(".//{*}p"):
            paragraph_style = paragraph.find("{*}pPr/{*}pStyle")
            for run in paragraph.iterfind(".//{*}r"):
                hides = _hides(run.find("{*}rPr"))
                if hides is None:
                    styles = (run.find("{*}rPr/{*}rStyle"), paragraph_style)
                    hides = any(
                        style is not None and _value(style, "val") in hidden_styles
                        for style in styles
                    )
                for text in run.findall("{*}t") if hides else ():
                    texts.append(text.text or "")
                    run.remove(text)
        shown = BytesIO()
        with ZipFile(shown, "w") as shown_archive:
            for name in names:
                is_text = name == _DOCX_TEXT
                content = tostring(root) if is_text else archive.read(name)
                shown_archive.writestr(name, content)
    return shown.getvalue(), [text.strip() for text in texts if text.strip()]


def _value(element: Any, name: str) -> str:
    """Return an attribute of an element of a DOCX file, whatever its name space."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return ""


def _hides(properties: Any) -> bool | None:
    """Return whether properties hide a text; None if they do not say it."""
    hiding = None if properties is None else properties.find("{*}vanish")
    if hiding is None:
        return None
    return _value(hiding, "val") not in ("0", "false", "off")


# Converts mail to text: the main headers with the body, and each attachment.
#
# A mail often has its text twice, plain and as HTML. Only the plain one is used, so that a search
# does not find it twice. Attachments come with any name and any encoding. Each text, and each document such
# as `bill.pdf`, becomes a part of its own; anything else, such as an image, is only named. A file may
# have one mail (`.eml`), or many (`.mbox`).

_HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")
# Where a line may begin a mail: after an empty line, or at the start of the file.
_AFTER_EMPTY_LINE: Final = rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))"
# A header such as `Subject:` follows. Otherwise a sentence that begins with "From" would do.
_BEFORE_HEADER: Final = rb"(?=[\w-]+:)"
_MAIL_START: Final = re.compile(_AFTER_EMPTY_LINE + rb"From [^\n]*\n" + _BEFORE_HEADER)
"""The line before each mail in an mbox file: `From ines@example.org Mon Jan 5 2026`."""
_TYPED_SUFFIXES: Final = {"message/rfc822": ".eml", "text/html": ".html"}
"""The suffixes for attachments of these types, regardless of their names."""
_MAX_MAIL_LEVELS: Final = 3
"""The most nested mails whose attachments are read. A mail can contain itself many times."""


def _mails_of(data: bytes) -> list[bytes]:
    """Return the mails in an mbox file, without the lines that divide them (`_MAIL_START`)."""
    return _MAIL_START.split(data)[1:]


def _mail_parts(data: bytes, name: str, mail_level: int) -> list[DocumentPart]:
    """Return the parts of a mail: its text, named `name`, and its attachments.

    The text names the attachments: `Attachment: bill.pdf, 20,480 bytes`. If a file has only one
    mail, `name` is `message`, and attachments keep their names, such as `bill.pdf`. If it has
    several, the mail's name comes first: `message-2-bill.pdf`.
    """
    mail = message_from_bytes(data, policy=policy.default)
    assert isinstance(mail, EmailMessage)
    lines = []
    for header in _HEADERS:
        for value in mail.get_all(header, ()):
            lines.append(f"{header}: {value}")
    body = mail.get_body(("plain", "html"))
    attachments = [part for part in _leaves(mail, body) if part is not body]
    parts: list[DocumentPart] = []
    for number, attachment in enumerate(attachments, start=1):
        type_suffix = _TYPED_SUFFIXES.get(attachment.get_content_type(), "")
        file_name = attachment.get_filename() or f"attachment-{number}{type_suffix}"
        file_name = file_name.replace("/", "-")
        suffix = type_suffix or Path(file_name).suffix.lower()
        # A report that a mail could not be delivered is a `message`. A `multipart` here has
        # no parts, because the mail is damaged.
        main_type = attachment.get_content_maintype()
        is_text = main_type in ("text", "message", "multipart") and not type_suffix
        content = _bytes_of(attachment)
        if suffix == ".html" and not is_text:
            # The mail names the character set, not the document. So pass it on in UTF-8.
            content = _decoded(attachment).encode()
        lines.append(f"Attachment: {file_name}, {len(content):,} bytes")
        place = file_name if name == "message" else f"{name}-{file_name}"
        if is_text:
            parts.append(DocumentPart(place, _decoded(attachment)))
        elif suffix in DOCUMENT_SUFFIXES and mail_level < _MAX_MAIL_LEVELS:
            parts += _attached_parts(place, suffix, content, mail_level + 1)
    text = "\n".join([*lines, "", _body_text(body)])
    return [DocumentPart(name, text), *parts]


def _attached_parts(
    place: str, suffix: str, data: bytes, mail_level: int
) -> list[DocumentPart]:
    """Return the parts of an attached document. If it cannot be read, its text says why.

    Their places begin with `place`: `bill.pdf/page-1`.
    """
    try:
        inner_parts = parts_of(suffix, data, mail_level)
    except CallError as error:
        return [DocumentPart(place, f"({error.message})")]
    except Exception as error:  # noqa: BLE001 - a library's parser may raise anything for a broken file
        return [DocumentPart(place, f"({_reason_of(suffix, data, error)})")]
    parts = []
    for part in inner_parts:
        inner_place = f"{place}/{part.place}" if part.place else place
        parts.append(DocumentPart(inner_place, part.text, part.notes))
    return parts


def _bytes_of(part: MIMEPart) -> bytes:
    """Return the content of a part, or that of all parts in it, such as an attached mail."""
    if part.is_multipart():
        return b"\n".join(below.as_bytes() for below in part.iter_parts())
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes)
    return data


def _decoded(part: MIMEPart) -> str:
    """Return the text of a part. If its character set is unknown, read it as Latin-1."""
    data = _bytes_of(part)
    try:
        text = data.decode(part.get_content_charset("utf-8"))
    except (LookupError, UnicodeDecodeError):
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")


def _body_text(body: MIMEPart | None) -> str:
    """Return the text of a mail; HTML becomes Markdown. Empty if the mail has no text."""
    if body is None:
        return ""
    text = _decoded(body)
    if body.get_content_type() == "text/html":
        return html_to_markdown(text)
    return text


def _leaves(part: MIMEPart, body: MIMEPart | None) -> Iterator[MIMEPart]:
    """Yield the parts of a mail that have no parts, or are mails themselves: body, attachments.

    `part` is the mail or a part that contains others, and `body` the text that is used. A
    `multipart/alternative` part has the same text in several forms, such as plain text and
    HTML. If one of them is `body`, the others are left out.
    """
    is_container = part.get_content_maintype() == "multipart" and part.is_multipart()
    if not is_container:
        yield part
        return
    contains_body = any(part_inside is body for part_inside in part.walk())
    has_forms_of_body = part.get_content_subtype() == "alternative" and contains_body
    for part_below in part.iter_parts():
        for leaf in _leaves(part_below, body):
            if has_forms_of_body and _is_other_text(leaf, body):
                continue
            yield leaf


def _is_other_text(leaf: MIMEPart, body: MIMEPart | None) -> bool:
    """Return True if a part is a text other than the body, and not an attachment."""
    is_text = leaf.get_content_maintype() == "text"
    return is_text and leaf is not body and not leaf.is_attachment()


# Converts notebooks to text: what each cell says, and what it printed.
#
# A notebook is JSON with every line of a cell in quotation marks, and pictures in base64. A search
# should find what a reader of the notebook sees.


def _notebook_text(data: bytes) -> str:
    """Return the cells of a notebook, each below a line with its number: `[cell 2, code]`.

    Below a cell of code is `[output of cell 2]`. Of pictures, only the type is shown. Raises
    `ValueError` if `data` is not a notebook.
    """
    notebook = read_json(data.decode("utf-8-sig"))
    cells = None
    if isinstance(notebook, dict):
        cells = notebook.get("cells")
        if "worksheets" in notebook:  # A notebook of before 2015
            cells = [
                cell for sheet in notebook["worksheets"] for cell in sheet["cells"]
            ]
    if not isinstance(cells, list):
        msg = "it has no cells"
        raise ValueError(msg)  # noqa: TRY004 - the fault is in the file, not in the call
    blocks = []
    for number, cell in enumerate(cells, start=1):
        source = _joined_lines(cell.get("source") or cell.get("input") or "")
        blocks.append(f"[cell {number}, {cell['cell_type']}]\n{source}")
        outputs = [_output_text(output) for output in cell.get("outputs") or ()]
        text = "\n".join(filter(None, outputs))
        if text:
            blocks.append(f"[output of cell {number}]\n{text}")
    return "\n\n".join(blocks)


_TERMINAL_CODES: Final = re2.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""Codes for the colours of a terminal, in what a cell has printed."""
_OVERWRITTEN: Final = re2.compile(r"[^\n]*\r+([^\r\n])")
"""What a cell has printed and then written over, such as the first steps of a progress bar."""


def _output_text(output: dict[str, Any]) -> str:
    """Return an output as text: what was printed, a value, an error, or the type of a picture."""
    match output["output_type"]:
        case "stream":
            text = _TERMINAL_CODES.sub("", _joined_lines(output["text"]))
            text = _OVERWRITTEN.sub(r"\1", text.replace("\r\n", "\n"))
            return str(text.replace("\r", ""))
        case "error" | "pyerr":
            return f"{output['ename']}: {output['evalue']}"
    # In a notebook of before 2015, the types are keys of the output itself: `text`, `html`.
    data = output.get("data", output)
    if "text/html" in data:
        plain_text = _joined_lines(data.get("text/plain", "<>"))
        # Only the name of an object: `<IPython.core.display.HTML object>`
        if plain_text.startswith("<") and plain_text.endswith(">"):
            return html_to_markdown(_joined_lines(data["text/html"]))
    for key in ("text/plain", "text", "text/markdown", "text/latex", "latex"):
        if key in data:
            return _joined_lines(data[key])
    if "html" in data:
        return html_to_markdown(_joined_lines(data["html"]))
    if "application/json" in data:
        return json.dumps(data["application/json"], ensure_ascii=False)
    kinds = [key for key in data if "/" in key or key in ("png", "jpeg", "svg")]
    return f"[{kinds[0]}]" if kinds else ""


def _joined_lines(text: str | list[str]) -> str:
    """Return a text of a notebook, which may be a list of lines with their line breaks."""
    return "".join(text).rstrip("\n")


# Splits documents into parts, as texts: the pages of a PDF, the sheets of a workbook.
#
# The parts of `report.pdf` are `page-1`, `page-2` and so on. The libraries that read the documents
# take seconds to load, so only the worker that converts them imports this module.

_NO_TEXT: Final = "(No text: this page is an image, or empty.)"


def parts_of(suffix: str, data: bytes, mail_level: int = 0) -> list[DocumentPart]:
    """Return the parts of a document, with their places below it:

    | suffix           | places                            |
    | ---------------- | --------------------------------- |
    | `.pdf`           | `page-1`, `page-2`                |
    | `.xlsx`          | `sheet-Costs.csv`                 |
    | `.db`            | `table-loans.csv`                 |
    | `.eml`           | `message`, `bill.pdf/page-1`      |
    | `.mbox`          | `message-1`, `message-2`          |
    | `.docx`, `.html` | one part with an empty place      |
    | `.ipynb`         | one part with an empty place      |

    `mail_level` is the number of mails that it is attached to, one inside the other: 1 for an
    attachment of a mail.
    """
    match suffix:
        case ".pdf":
            return _pdf_parts(data)
        case ".xlsx":
            return sheets_of(data)
        case ".parquet":
            return [DocumentPart("", _parquet_csv(data))]
        case ".sqlite" | ".sqlite3" | ".db":
            return _database_parts(data)
        case ".eml":
            return _mail_parts(data, "message", mail_level)
        case ".mbox":
            return _mailbox_parts(data, mail_level)
        case ".ipynb":
            return [DocumentPart("", _notebook_text(data))]
        case ".docx":
            return [_docx_part(data)]
        case _:  # An HTML page.
            return [DocumentPart("", html_to_markdown(data.decode("utf-8", "replace")))]


def _pdf_parts(data: bytes) -> list[DocumentPart]:
    """Return the pages of a PDF; one empty part if no page has text.

    Raises `CallError` if the PDF needs a password.
    """
    try:
        texts = pdf_text.page_texts(data)
    except pdf_text.NeedsPassword:
        raise CallError(error_codes.INVALID_ARGUMENT, "needs a password") from None
    if not any(text for text, _ in texts):
        return [DocumentPart("", "")]
    parts = []
    for number, (text, note) in enumerate(texts, start=1):
        notes = (note,) if note else ()
        parts.append(DocumentPart(f"page-{number}", text or _NO_TEXT, notes))
    return parts


def _database_parts(data: bytes) -> list[DocumentPart]:
    """Return the tables of an SQLite database: `table-loans.csv`."""
    parts = []
    for name, text in _sqlite_csv(data).items():
        parts.append(DocumentPart(f"table-{name}.csv", text))
    return parts


def _mailbox_parts(data: bytes, mail_level: int) -> list[DocumentPart]:
    """Return the mails of an mbox file with their attachments: `message-1`, `message-2`."""
    parts = []
    for number, mail in enumerate(_mails_of(data), start=1):
        parts += _mail_parts(mail, f"message-{number}", mail_level)
    return parts


def convert(suffix: str, data: str) -> list[list[Any]]:
    """Return the parts of a document, each as a list: `["page-1", "Text", ["a note"]]`.

    `data` is in base64. A document without text has one empty part. Raises `CallError`
    with the code `invalid_argument` if the document cannot be converted, with the reason.
    """
    document = b64decode(data)
    try:
        parts = parts_of(suffix, document)
    except (CallError, MemoryError, ImportError):
        raise
    except Exception as error:  # noqa: BLE001 - a library's parser may raise anything for a broken file
        reason = _reason_of(suffix, document, error)
        raise CallError(error_codes.INVALID_ARGUMENT, reason) from None
    return list(map(list, parts))


_OLD_OFFICE_FILE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The beginning of a file of Office before 2007, and of a newer one with a password."""
_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_MOST_REASON_CHARS: Final = 100


def _reason_of(suffix: str, data: bytes, error: Exception) -> str:
    """Return why a document cannot be converted: `needs a password`, `is empty`."""
    if not data:
        return "is empty"
    if suffix in (".xlsx", ".docx"):
        if _ENCRYPTED in data:
            return "needs a password"
        if data.startswith(_OLD_OFFICE_FILE):
            return f"has the format of Office before 2007: save it as {suffix}"
        if not data.startswith(b"PK"):
            return f"is no {suffix} file"
    first_line = str(error).strip().partition("\n")[0]
    message = " ".join(first_line.split())[:_MOST_REASON_CHARS]
    return f"cannot be converted: {type(error).__name__}: {message}"


def _load_ahead() -> None:
    """Load modules, encodings and character maps now, because an isolated process cannot."""
    if find_spec("duckdb") and find_spec("fsspec"):
        import_module("controlplane.benchmarks.files.tables.table_database")
    for encoding in set(aliases.values()):
        with suppress(LookupError):  # Some systems lack some encodings.
            codecs.lookup(encoding)
    pdf_text.load_ahead()
    # Each converter is run once, so that it loads what it needs. Some of these samples are
    # not valid, since a valid one is long: an empty `.pdf`, and a `.docx` that is a
    # workbook. They fail, but only after everything is loaded.
    workbook = BytesIO()
    Workbook().save(workbook)
    samples = {
        ".xlsx": workbook.getvalue(),
        ".html": b"<p>x</p><table><tr><td rowspan=2>x</table>",
        ".docx": workbook.getvalue(),
        ".pdf": b"",
        ".eml": b"Content-Type: message/rfc822\n\nFrom: a\n\nb",
    }
    for suffix, data in samples.items():
        with suppress(Exception):
            convert(suffix, b64encode(data).decode())


_load_ahead()
