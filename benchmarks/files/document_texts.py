"""Turns documents into text, in a worker: PDF by page, workbooks by sheet and Parquet as CSV, mails by message and
attachment, DOCX and HTML whole.

The worker imports this module before it is isolated, with the libraries that it needs; nothing else imports it.
"""

from __future__ import annotations

import codecs
import csv
import gzip
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
from io import BytesIO, StringIO
from itertools import chain
from pathlib import Path
from typing import Any, Final

os.environ["OPENBLAS_NUM_THREADS"] = (
    "1"  # Only in the process that converts documents, which has no threads.
)

from markitdown import StreamInfo
from markitdown.converters import DocxConverter, HtmlConverter
from openpyxl import Workbook, load_workbook
from pdfminer import cmapdb
from pdfminer.high_level import extract_pages
from pdfminer.layout import LAParams, LTFigure, LTLayoutContainer, LTPage, LTTextBox, LTTextLine
from pdfminer.pdfdocument import PDFPasswordIncorrect

from controlplane.benchmarks.files.file_sources import DOCUMENT_SUFFIXES, written_value
from controlplane.sandbox.interface import CallError, error_codes

_UNTYPED: Final[dict[str, Any]] = {".docx": DocxConverter, ".html": HtmlConverter}
CONVERTERS: Final = {suffix: kind() for suffix, kind in _UNTYPED.items()}
PARQUET: Final = "memory://table.parquet"
NO_TEXT: Final = "(No text: this page is an image, or empty.)"
HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")


def convert(suffix: str, data: str) -> list[list[str]]:
    """Return the parts of a document, each with its place (`page-3`, a sheet's name; empty for the whole) and its text.

    A document without any text has one empty part. Raises `CallError` (`invalid_argument`) for a document that needs a
    password.
    """
    return _parts(suffix, b64decode(data))


def _parts(suffix: str, data: bytes, level: int = 0) -> list[list[str]]:
    """Return the parts of a document that lies in `level` mails."""
    file = BytesIO(data)
    if suffix == ".pdf":
        try:
            pages = [
                _page_text(page) for page in extract_pages(file, laparams=LAParams(all_texts=True))
            ]
        except PDFPasswordIncorrect:
            raise CallError(error_codes.INVALID_ARGUMENT, "needs a password") from None
        parts = [[f"page-{number}", page or NO_TEXT] for number, page in enumerate(pages, start=1)]
        return parts if any(pages) else [["", ""]]
    if suffix == ".xlsx":  # Not with markitdown, which needs a table library that is slow to load.
        sheets = load_workbook(file, data_only=True).worksheets  # with the saved values of formulas
        return [[f"sheet-{sheet.title}.csv", _csv(sheet.values)] for sheet in sheets]
    if suffix == ".parquet":
        return [["", _csv(_rows(data))]]
    if suffix in (".sqlite", ".sqlite3", ".db"):
        return [[f"table-{name}.csv", _csv(rows)] for name, rows in _tables(data)]
    if suffix == ".eml":
        return _mail(data, "message", level)
    if suffix == ".mbox":
        mails = re.split(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n(?=[\w-]+:)", data)[1:]
        return [
            part
            for at, mail in enumerate(mails, start=1)
            for part in _mail(mail, f"message-{at}", level)
        ]
    return [["", _markdown(suffix, file)]]


def _markdown(suffix: str, file: BytesIO) -> str:
    converter = CONVERTERS[suffix.replace(".htm", ".html")[:5]]
    return str(converter.convert(file, StreamInfo(extension=suffix)).markdown)


def _boxes(place: LTLayoutContainer) -> Iterator[LTTextBox]:
    """Yield the boxes of text of a page, and of the figures in it: some programs draw a whole page as one."""
    for item in place:
        if isinstance(item, LTTextBox):
            yield item
        elif isinstance(item, LTFigure):
            yield from _boxes(item)


def _page_text(page: LTPage) -> str:
    """Return the lines of a page from top to bottom. What stands side by side is one line, as the row of a table is;
    columns of prose are read one after the other."""
    boxes = [[line for line in box if isinstance(line, LTTextLine)] for box in _boxes(page)]
    words = {id(line): line.get_text().split() for box in boxes for line in box}
    columns = dict[int, list[LTTextLine]]()
    for box in boxes:
        # The average words per line of a text box from which its three or more lines are a column of prose.
        if len(box) >= 3 and sum(len(words[id(line)]) for line in box) >= 5 * len(box):
            columns |= {id(line): box for line in box}
    rows: list[list[LTTextLine]] = []
    for line in sorted(
        (line for box in boxes for line in box), key=lambda line: -line.y0 - line.y1
    ):
        if rows and rows[-1][0].y0 < (line.y0 + line.y1) / 2 < rows[-1][0].y1:
            rows[-1].append(line)
        else:
            rows.append([line])
    shown, done, bottom = list[str](), set[int](), page.y1
    for row in rows:
        row.sort(key=lambda line: line.x0)
        has_columns = sum(id(line) in columns for line in row) >= 2
        for group in (
            [[line] for one in row for line in columns.get(id(one), [one])]
            if has_columns
            else [row]
        ):
            if held := [word for line in group if id(line) not in done for word in words[id(line)]]:
                shown += [""] * (abs(bottom - group[0].y1) > group[0].height)
                shown.append(" ".join(held))
                bottom = group[0].y0
            done.update(map(id, group))
    return "\n".join(shown).strip()


def _mail(data: bytes, name: str, level: int) -> list[list[str]]:
    """Return the text of a mail with its headers, and each of its other parts."""
    mail = message_from_bytes(data, policy=policy.default)
    assert isinstance(mail, EmailMessage)
    head = [f"{header}: {value}" for header in HEADERS for value in mail.get_all(header, ())]
    body = mail.get_body(("plain", "html"))
    text = "" if body is None else _decoded(body)
    if body is not None and body.get_content_type() == "text/html":
        text = _markdown(".html", BytesIO(text.encode()))
    parts = list[list[str]]()
    for count, part in enumerate(
        (part for part in _leaves(mail, body) if part is not body), start=1
    ):
        known = {"message/rfc822": ".eml", "text/html": ".html"}.get(part.get_content_type(), "")
        file = (part.get_filename() or f"attachment-{count}{known}").replace("/", "-")
        place, suffix = (
            file if name == "message" else f"{name}-{file}",
            known or Path(file).suffix.lower(),
        )
        held = _bytes_of(part)
        head.append(f"Attachment: {file}, {len(held):,} bytes")
        if not known and part.get_content_maintype() in ("text", "message", "multipart"):
            parts.append([place, _decoded(part)])
        elif suffix in DOCUMENT_SUFFIXES and level < 3:
            try:
                inside = _parts(
                    suffix, _decoded(part).encode() if suffix == ".html" else held, level + 1
                )
            except Exception as error:  # noqa: BLE001 - the mail can be read without it
                inside = [
                    [
                        "",
                        f"({error.message if isinstance(error, CallError) else 'cannot be converted'})",
                    ]
                ]
            parts += [[f"{place}/{at}" if at else place, text] for at, text in inside]
    return [[name, "\n".join([*head, "", text])], *parts]


def _leaves(part: MIMEPart, body: MIMEPart | None) -> Iterator[MIMEPart]:
    """Yield the parts of a mail that have no parts, or are mails themselves; texts that are other forms of the body are
    left out."""
    if part.get_content_maintype() != "multipart" or not part.is_multipart():
        yield part
        return
    is_body = part.get_content_subtype() == "alternative" and any(
        below is body for below in part.walk()
    )
    for leaf in chain.from_iterable(_leaves(below, body) for below in part.iter_parts()):
        is_form = is_body and leaf.get_content_maintype() == "text" and not leaf.is_attachment()
        if leaf is body or not is_form:
            yield leaf


def _bytes_of(part: MIMEPart) -> bytes:
    """Return what a part of a mail holds; of one that holds mails or blocks of headers, these."""
    if part.is_multipart():
        return b"\n".join(below.as_bytes() for below in part.iter_parts())
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes)
    return data


def _decoded(part: MIMEPart) -> str:
    """Return the text of a part of a mail; in an unknown charset, as Latin-1."""
    data = _bytes_of(part)
    try:
        text = data.decode(part.get_content_charset("utf-8"))
    except (LookupError, UnicodeDecodeError):
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")


def _rows(data: bytes) -> Iterator[Sequence[Any]]:
    """Yield the names of a Parquet file's columns, and its rows."""
    from controlplane.benchmarks.files.tables import (
        database,
        files,
    )  # imported at first if the extra is installed

    files.pipe(PARQUET, data)
    cursor = database.execute("select * from read_parquet(?)", [PARQUET])
    yield [column[0] for column in cursor.description]
    while rows := cursor.fetchmany(10_000):
        yield from rows


def _tables(data: bytes) -> Iterator[tuple[str, Iterator[Sequence[Any]]]]:
    """Yield the name of each table of an SQLite database, and the names of its columns with its rows."""
    if not data.startswith(b"SQLite format 3\0"):
        msg = "it is not an SQLite database"
        raise ValueError(msg)
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(data)
        database.text_factory = lambda text: text.decode("utf-8", "replace")
        for (name,) in database.execute(
            "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"
        ):
            rows = database.execute('select * from "{}"'.format(name.replace('"', '""')))
            head = [column[0] for column in rows.description]
            yield (
                name,
                chain(
                    [head],
                    (["" if isinstance(cell, bytes) else cell for cell in row] for row in rows),
                ),
            )


def _csv(rows: Iterable[Sequence[Any]]) -> str:
    text = StringIO()
    cells = (
        [written_value(cell) if isinstance(cell, float | Decimal) else cell for cell in row]
        for row in rows
    )
    csv.writer(text, lineterminator="\n").writerows(cells)
    return text.getvalue()


def _with_numbers(keys: dict[str, Any]) -> dict[Any, Any]:
    return {int(key) if key.isdigit() else key: value for key, value in keys.items()}


def _warm_up() -> None:
    """Do beforehand what libraries do late and an isolated process cannot: import modules, load encodings and the
    character maps of fonts. Convert empty documents."""
    if find_spec("duckdb") and find_spec("fsspec"):
        import_module("controlplane.benchmarks.files.tables")
    for encoding in set(aliases.values()):
        with suppress(LookupError):  # Some systems lack some.
            codecs.lookup(encoding)
    maps = {
        path.name.partition(".")[0]: path
        for path in Path(cmapdb.__file__).parent.glob("cmap/*.json.gz")
    }
    packed = {name: path.read_bytes() for name, path in maps.items()}

    def load_map(name: str) -> type:
        if name not in packed:
            raise cmapdb.CMapDB.CMapNotFound(name)
        return type(name, (), json.loads(gzip.decompress(packed[name]), object_hook=_with_numbers))

    _map_library: Any = cmapdb.CMapDB
    _map_library._load_data = load_map
    import_module("pdfminer._saslprep")  # for passwords
    book = BytesIO()
    Workbook().save(book)
    packed_book = book.getvalue()
    mail = b"Content-Type: message/rfc822\n\nFrom: a\n\nb"
    samples = {
        ".xlsx": packed_book,
        ".html": b"<p>x</p>",
        ".docx": packed_book,
        ".pdf": b"",
        ".eml": mail,
    }
    for suffix, data in samples.items():
        with suppress(Exception):
            convert(suffix, b64encode(data).decode())


_warm_up()
