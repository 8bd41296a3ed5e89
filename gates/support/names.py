"""Compares the names beside a value in the answer with those of the row it was taken from.

    name,time            Mei Tan ran 1:29:46.    the value is in the row of Sara Lindqvist,
    Mei Tan,1:25:21                              and the answer names Mei Tan, who has a row
    Sara Lindqvist,1:29:46

A value that stands somewhere may be that of a neighbour. Only names are compared that stand in one
column of one table or record, at the head of two columns, or in two clauses of one line. So nothing is
guessed about their meaning.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import re2

from controlplane.gates.support.matching import LineBudget, find_matches
from controlplane.gates.support.sources import Source
from controlplane.gates.text_folding import (
    BOILERPLATE,
    encodable,
    fold_text,
    parts_of,
    stem,
    tokens_of,
)
from controlplane.gates.values.notations import FUNCTION_WORDS
from controlplane.gates.values.numerals import unit_of
from controlplane.gates.values.spans import (
    LAST_BEFORE_CJK,
    ValueKind,
    WrittenValue,
    day_of_date,
)
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

_SENTENCE_END: Final = re2.compile(r"[.!?;]\s|[。！？；\n]")
_ABBREVIATION: Final = re2.compile(
    r"(?i)(?:^|[^\pL\pN])(?:\pL|\d{1,2}|dr|mr|mrs|ms|prof|hr|fr|st|nr|no|kl|ca)\.$"
)
"""What has a point within a sentence: `P. Okafor`, `Dr. Adeyemi`, `15. März`, `kl. 14.15`."""
_CLAUSE_END: Final = re2.compile(r"[,;:.] | (?:and|und|et|y|e|en|og|och|i) |[，；、。]")
"""What ends a clause of a page: `, `, `; `, ` and `."""
_ANSWER_CLAUSE_END: Final = re2.compile(
    r"[,;] | (?:and|und|et|y|e|en|og|och|i) |[，；、]"
)
_MOST_CLAUSES: Final = 8
_MOST_DATE_CHARS: Final = 30
_DATES: Final = frozenset({ValueKind.DATE})
_MOST_ROWS: Final = 2_000
"""Rows of one table that are compared."""
_MOST_LINES_UP: Final = 200
"""Lines between a row of a page's table and its heading."""
_PREPOSITIONS: Final = (
    "until till before after since between within during than bis vor nach seit zwischen während "
    "jusque avant après depuis hasta antes desde durante fino prima dopo dal entre voor sinds tot"
)
_COMMON_WORDS: Final = BOILERPLATE.union(
    _PREPOSITIONS.split(), *(words.split() for words in FUNCTION_WORDS.values())
)
"""Words before a value that name nothing: `until 2026-03-01`."""
_MOST_SELECTORS: Final = 20
"""Texts of one calculation that are looked up in tables."""
_MOST_NAME_WORDS: Final = 6
_MOST_NAME_PARTS: Final = 8
"""Runs of letters and digits of a name: two of `FA-19`."""
_MOST_NAMESAKES: Final = 20
_MOST_NAME_SIGNS: Final = 10
"""Of scripts without blanks, a longer cell is a sentence: 院子很安静，早餐的豆浆好喝。"""
_LEAST_NAME_CHARS: Final = 2
_FIELD_OF_JSON: Final = re2.compile(
    r'"((?:[^"\\]|\\.)*)"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,{}\[\]"]+)|(\{)?)'
)
"""A key of JSON, and behind it a text, another value, or the record of this name."""
_FIELD_OF_DICTIONARY: Final = re2.compile(r"'([^']+)': ('[^']*'|[^\s,{}\[\]]+)")
"""`'fee': 30` of a dictionary that a script printed."""
_PRINTED_PART: Final = re2.compile(r"(?:[^\d\s]+(?:\s|$))+|\S+")
"""Words without digits, or anything else between blanks."""
_FIELD_OF_XML: Final = re2.compile(r'<([\w:.-]+)[^<>]*>([^<>]+)</|([\w:.-]+)="([^"]*)"')
"""`<name>Ada</name>` or `name="Ada"`."""
_FIELD_OF_RECORD: Final = re2.compile(
    r"""^( *)([-*•] )?["']?([^\W\d][^"':=#|,;{}\[\]]{0,40})["']?\s*(?::|=)(?:\s+(.*?)|)[,\s]*$"""
)
"""A line of a record: `  - name: Ada`, `  "fee": 30,`, `Fee: 30 EUR`, `fee = 30`, `* Fee: 30 EUR`, and the
name `ada:` of a record."""
_HEADING_LINE: Final = re2.compile(r"^(?:#{1,6} +(.*?)[ #]*|\[([^\[\]\"']+)\])$")
"""`# East wing`, `[east-wing]`."""
_LEAST_SHARED_CHARS: Final = 3
"""Two columns may hold the same if their names share a word of this length: `net_kg`, `gross_kg`."""


# because each value of an answer asks for its sentence
@lru_cache(maxsize=4)
def _sentences_of(answer: str) -> list[tuple[int, str]]:
    """Return the sentences of an answer, each with its offset."""
    text = encodable(answer)
    sentences: list[tuple[int, str]] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if _ABBREVIATION.search(text[start : match.start() + 1]) is not None:
            continue
        sentences.append((start, text[start : match.start()]))
        start = match.end()
    return [*sentences, (start, text[start:])]


def _sentence_at(value: WrittenValue, answer: str) -> int:
    """Return the index of the sentence in which a value ends."""
    starts = [start for start, _ in _sentences_of(answer)]
    return max(bisect_left(starts, value.end) - 1, 0)


def sentences_around(value: WrittenValue, answer: str) -> tuple[str, str]:
    """Return the sentence of the answer that has a value, and the one before it."""
    sentences = _sentences_of(answer)
    index = _sentence_at(value, answer)
    before = sentences[index - 1][1] if index > 0 else ""
    return sentences[index][1], before


def clause_around(value: WrittenValue, answer: str) -> str:
    """Return the part of a sentence around a value, between commas and words for "and"."""
    offset, sentence = _sentences_of(answer)[_sentence_at(value, answer)]
    start = 0
    for match in _ANSWER_CLAUSE_END.finditer(sentence):
        if offset + match.start() >= value.end:
            return sentence[start : match.start()]
        start = match.end()
    return sentence[start:]


# because the cells of a table are compared with several sentences
@lru_cache(maxsize=16_384)
def _folded_name(name: str) -> str:
    """Return the folded words of a name: `FA-19` -> `fa 19`."""
    return " ".join(parts_of(fold_text(name)))


# because a few sentences are compared with the cells of many rows
@lru_cache(maxsize=8)
def _words_in_a_row(text: str) -> str:
    """Return the folded words of a text with a blank around each."""
    return f" {' '.join(parts_of(fold_text(text)))} "


def names(text: str, name: str) -> bool:
    """Return True if a text has a name as whole words; signs without blanks may touch others."""
    folded_name = _folded_name(name)
    if not folded_name:
        return False
    words = _words_in_a_row(text)
    if max(folded_name) > LAST_BEFORE_CJK:
        return folded_name.replace(" ", "") in words.replace(" ", "")
    return f" {folded_name} " in words


def mentions(text: str, name: str) -> bool:
    """Return True if a text has a name, or the words of a column: `Events` for `events_gbp`."""
    if names(text, name):
        return True
    words = [word for word in parts_of(fold_text(name)) if not unit_of(word)]
    stems = {stem(word) for word in parts_of(fold_text(text))}
    return bool(words) and {stem(word) for word in words} <= stems


# because the cells of a table are compared with several sentences
@lru_cache(maxsize=16_384)
def _is_name(cell: str) -> bool:
    """Return True for a cell that names something: `Mei Tan`, `B1003`; not for `300` or a date."""
    if len(cell) < _LEAST_NAME_CHARS:
        return False
    if len(cell.split()) > _MOST_NAME_WORDS or fold_text(cell) in BOILERPLATE:
        return False
    if max(cell) > LAST_BEFORE_CJK and len(cell) > _MOST_NAME_SIGNS:  # a sentence
        return False
    values = written_values(cell)
    is_amount = any(
        value.kind is not ValueKind.ID and value.start == 0 for value in values
    )
    has_letters = any(map(str.isalpha, cell))
    is_id = len(values) == 1 and values[0].text == cell  # `26-004411`
    return (has_letters or is_id) and not is_amount


# Rows of tables, and records of JSON, YAML and plain pages: cells, each with the name of its column.


class _Cell(NamedTuple):
    """One value of a row or record."""

    column: str
    """The name of its column, or its key; "" if it has none."""
    text: str
    line: int = 0
    start: int = 0
    """The offset in the line at which its text begins."""


def _cells_of(source: Source, line: int) -> list[_Cell]:
    """Return the cells of a row of a table, or the fields of a record of JSON or XML in one line."""
    text = encodable(source.lines[line][: bounds.MOST_LINE_CHARS])
    cells: list[_Cell] = []
    if source.is_printed and '":' not in text:
        return _printed_cells(text, line)
    if '":' in text or '" :' in text:
        for match in _FIELD_OF_JSON.finditer(text):
            if match[4]:  # `"Ada": {`
                cells.append(_Cell("", match[1], line, match.start(1)))
            for group in (2, 3):
                if match[group] is not None:
                    cells.append(
                        _Cell(match[1], match[group], line, match.start(group))
                    )
        return cells
    if text.count("</") > 1:
        headings = _headings_of_page(source, line) if "<td" in text else []
        for match in _FIELD_OF_XML.finditer(text):
            key, value = (1, 2) if match[1] else (3, 4)
            column = match[key]
            if column == "td":  # a cell of a page's table
                column = "".join(headings[len(cells) : len(cells) + 1])
            cells.append(_Cell(column, match[value], line, match.start(value)))
        return cells
    is_markdown = text.count("|") > 1
    row = text.replace("|", "\n") if is_markdown else source.with_cells_apart(line)
    parts = row[: bounds.MOST_LINE_CHARS].split("\n")
    if len(parts) < 2:
        return []
    columns = _columns_above(source, line, is_markdown)
    start = 0
    for index, part in enumerate(parts):
        column = columns[index] if index < len(columns) else ""
        stripped = part.strip(" *`") if is_markdown else part.strip().strip('"')
        cells.append(_Cell(column, stripped, line, start))
        start += len(part) + 1
    return cells


def _printed_cells(text: str, line: int) -> list[_Cell]:
    """Return the parts of a line that a script printed, or the fields of a dictionary.

    `Ghent Rooks 43.5 54` -> `Ghent Rooks`, 43.5 and 54; `{'fee': 30, 'rent': 250}` -> 30 and 250.
    """
    fields = list(_FIELD_OF_DICTIONARY.finditer(text))
    if len(fields) > 1:
        return [
            _Cell(match[1], match[2].strip("'"), line, match.start(2))
            for match in fields
        ]
    cells: list[_Cell] = []
    for match in _PRINTED_PART.finditer(text):
        column = f"#{len(cells)}"
        part = match[0].strip(" :=,()[]'\"")
        cells.append(_Cell(column, part, line, match.start()))
    return cells


def _headings_of_page(source: Source, line: int) -> list[str]:
    """Return the headings of a table of HTML, whose rows are in lines of their own."""
    for index in range(line - 1, max(line - _MOST_LINES_UP, 0) - 1, -1):
        text = source.lines[index]
        if "<th" in text:
            found = _FIELD_OF_XML.finditer(encodable(text[: bounds.MOST_LINE_CHARS]))
            return [match[2] for match in found if match[1] == "th"]
        if "</tr" not in text:
            break
    return []


def _columns_above(source: Source, line: int, is_markdown: bool) -> list[str]:
    """Return the names of the columns of a table, which stand in its heading."""
    if not is_markdown:
        heading = source.outer_heading or source.heading_of(line)
        apart = source.with_cells_apart(0) if heading == source.lines[0] else heading
        return [name.strip().strip('"') for name in apart.split("\n")]
    for index in range(line - 1, max(line - _MOST_LINES_UP, 0), -1):
        text = source.lines[index]
        if "|" not in text:
            break
        if "---" in text and not text.strip("|-: "):
            return [name.strip(" *`") for name in source.lines[index - 1].split("|")]
    return []


@lru_cache(maxsize=32)  # because each value of a source is looked up in them
def _records_of(source: Source) -> list[list[_Cell]]:
    """Return the records of a text whose fields stand in lines of their own.

    A record has fields of the same indentation. Its name, the key above it, is a field, too, and
    so is the heading of a page's section.
    """
    records: list[list[_Cell]] = []
    open_records: dict[int, list[_Cell]] = {}  # by indentation
    has_headings = any(line.startswith("#") for line in source.lines[:_MOST_ROWS])
    for index, text in enumerate(source.lines[:_MOST_ROWS]):
        line = encodable(text[: bounds.MOST_LINE_CHARS])
        heading = _HEADING_LINE.match(line)
        if heading is not None or (not line.strip() and not has_headings):
            open_records = {}
        if heading is not None:
            open_records[0] = [_Cell("", heading[1] or heading[2], index)]
            records.append(open_records[0])
            continue
        field = _FIELD_OF_RECORD.match(line)
        indentation = len(line) - len(line.lstrip(" "))
        if field is not None:
            indentation += len(field[2] or "")
        elif not line.strip():
            continue
        # A line ends the records that are indented more, and the next item of a list its like.
        ends_like = field is None or bool(field[2])
        if field is not None and _lists_fields(
            source, open_records.get(indentation, []), field[3]
        ):
            ends_like = False
        for other in list(open_records):
            if other > indentation or (other == indentation and ends_like and other):
                del open_records[other]
        if field is None:
            continue
        value = (field[4] or "").strip("\"' ")
        if indentation not in open_records:
            record: list[_Cell] = []
            outer = [
                cells for other, cells in open_records.items() if other < indentation
            ]
            if outer and outer[-1] and outer[-1][-1].text in ("", "{"):
                record.append(_Cell("", outer[-1][-1].column, index))
            open_records[indentation] = record
            records.append(record)
        start = field.start(4) if field[4] else len(line)
        open_records[indentation].append(_Cell(field[3], value, index, start))
    return records


def _lists_fields(source: Source, record: Sequence[_Cell], key: str) -> bool:
    """Return True if each field is an item of a list, and none has the next item's key.

    `* Exam fee: $127` and `* Harbor fee: 0.125 %` are two fields; `- name: Ada` and `- name: Ben` are
    the first fields of two records.
    """
    if not record or any(cell.column in ("", key) for cell in record):
        return False
    return all(source.lines[cell.line].lstrip()[:1] in "-*•" for cell in record)


def _row_at(source: Source, line: int) -> list[_Cell]:
    """Return the cells of the row or record to which a line belongs; empty if there is none."""
    cells = _cells_of(source, line)
    if len(cells) > 1:
        return cells
    for record in _records_of(source):
        if len(record) > 1 and any(cell.line == line for cell in record):
            return record
    return []


def _is_heading(source: Source, line: int) -> bool:
    """Return True for the first row of a table, whose cells are the names of its columns."""
    below = source.lines[line + 1] if line + 1 < len(source.lines) else ""
    has_rule_below = "---" in below and not below.strip("|-: ")
    is_first = line == 0 and not source.is_printed and not source.is_json
    return has_rule_below or (is_first and not source.outer_heading)


class _Rows:
    """The rows and records of a text, by the names and the days in them."""

    def __init__(self, source: Source) -> None:
        self._rows: list[list[_Cell]] = []
        for line in range(min(len(source.lines), _MOST_ROWS)):
            cells = _cells_of(source, line)
            if len(cells) > 1 and not _is_heading(source, line):
                self._rows.append(cells)
        self._rows += [record for record in _records_of(source) if len(record) > 1]
        self._by_name: dict[str, list[list[_Cell]]] = {}
        for row in self._rows:
            for cell in row:
                _add(self._by_name, _folded_name(cell.text), row)
        self._names_in_signs = [
            name for name in self._by_name if max(name, default="") > LAST_BEFORE_CJK
        ]
        self._found: dict[str, list[list[_Cell]]] = {}

    @cached_property
    def _by_day(self) -> dict[str, list[list[_Cell]]]:
        by_day: dict[str, list[list[_Cell]]] = {}
        for row in self._rows:
            for cell in row:
                _add(by_day, _day_of_cell(cell.text), row)
        return by_day

    def with_name(self, name: str) -> list[list[_Cell]]:
        """Return the first rows that have a cell with a name."""
        return self._by_name.get(_folded_name(name), [])

    def named_in(self, text: str) -> list[list[_Cell]]:
        """Return the rows of which a text has a name or a day; few of those with one name."""
        if text not in self._found:
            words = parts_of(fold_text(text[: bounds.MOST_LINE_CHARS]))
            found: list[list[_Cell]] = []
            for start in range(len(words)):
                for end in range(start + 1, start + _MOST_NAME_PARTS + 1):
                    found += self._by_name.get(" ".join(words[start:end]), [])
            signs = "".join(words)
            for name in self._names_in_signs:
                if name.replace(" ", "") in signs:
                    found += self._by_name[name]
            for day in _days_in(text):
                found += self._by_day.get(day, [])
            by_line = {row[0].line: row for row in found}
            self._found[text] = [by_line[line] for line in sorted(by_line)]
        return self._found[text]


def _add(rows: dict[str, list[list[_Cell]]], key: str, row: list[_Cell]) -> None:
    """Add a row to those of a key. A name of many rows is that of a group."""
    named = rows.setdefault(key, []) if key else []
    if len(named) < _MOST_NAMESAKES:
        named.append(row)


@lru_cache(maxsize=16)  # because each value of a source is looked up in its rows
def _rows_of(source: Source) -> _Rows:
    """Return the rows and records of a text."""
    return _Rows(source)


def _are_alike(row: Sequence[_Cell], other: Sequence[_Cell]) -> bool:
    """Return True for two rows of one table, and for two records with a field of the same name."""
    if row[-1] == other[-1]:  # the same row
        return False
    are_lines = row[0].line == row[-1].line and other[0].line == other[-1].line
    if are_lines and len(row) != len(other):
        return False
    return bool({cell.column for cell in row} & {cell.column for cell in other})


def name_of_row(source: Source, line: int, text: str) -> str:
    """Return the longest name that a text has of the row, the record or the file of a line."""
    file_name = source.path.rpartition("/")[2].partition(".")[0]
    for candidates in (
        [cell.text for cell in _row_at(source, line)],
        [file_name],
    ):
        named = [name for name in candidates if names(text, name) and _is_name(name)]
        if named:
            return max(named, key=len)
    return ""


def shared_label(source: Source, line: int, value_start: int, text: str) -> str:
    """Return the heading or the words before a value that a text has, too; "" for none.

    For the 80 of `Rent 900 EUR, cleaning 80`, and the answer "The cleaning is 80", `cleaning`.
    """
    label = source.label_text(line, value_start)
    for token in tokens_of(label):
        is_id = any(map(str.isdigit, token)) and any(map(str.isalpha, token))
        if is_id and _is_name(token) and names(text, token):
            return token
    words = [word for word in parts_of(fold_text(label)) if word not in _COMMON_WORDS]
    for word in sorted(dict.fromkeys(words), key=len, reverse=True):
        is_word = word.isalpha() and not unit_of(word)
        if is_word and _is_name(word) and names(text, word):
            return word
    return _shared_signs(label, text)


_LEAST_SHARED_SIGNS: Final = 2
"""Of scripts without blanks, so many signs in a row are a common name: 早餐."""


def _shared_signs(label: str, text: str) -> str:
    """Return the longest run of signs without blanks, such as 早餐, that two texts share."""
    signs = [character for character in label if character > LAST_BEFORE_CJK]
    run = "".join(signs)
    for size in range(min(len(run), 8), _LEAST_SHARED_SIGNS - 1, -1):
        for start in range(len(run) - size + 1):
            if run[start : start + size] in text:
                return run[start : start + size]
    return ""


def _states_any(text: str, values: Iterable[WrittenValue]) -> bool:
    """Return True if a text states one of the values, and not only a more exact one."""
    source = Source("", text)
    return any(
        not match.agreement.is_rounded
        for value in values
        for match in find_matches(value, [source], LineBudget())
    )


def other_name_beside(
    source: Source,
    line: int,
    start: int,
    texts: Sequence[str],
    said: Sequence[WrittenValue],
) -> tuple[str, str]:
    """Return the name under which a value stands, and another one that a text writes instead.

    `texts` are the sentence of the answer and the question; the first one that has either name
    decides. The names are those of rows or of columns. Both are empty if the text has the value's
    own names, or no other, or if the answer has what stands under the other name.
    """
    row = [] if _is_heading(source, line) else _row_at(source, line)
    own = _cell_at(row, line, start)
    found = [value for value in source.values_of(line) if value.start == start]
    units = {"", *(value.unit for value in found)}
    if len(units) > 1:
        said = [value for value in said if value.unit in units]
    if own is None:
        return _other_clause(source, line, start, texts, said)
    rows = _rows_of(source)
    for text in texts:
        for other_row in rows.named_in(text):
            if not _are_alike(row, other_row):
                continue
            name, other = _other_name(row, other_row, own, text)
            if other:
                if _is_said_there(row, other_row, own, said):
                    return "", ""
                return name, other
        if any(names(text, cell.text) and _is_name(cell.text) for cell in row):
            break
    # An answer may name its own row by what it took from there; the question names what was asked.
    for other_row in rows.named_in(texts[-1]) if len(texts) > 1 else ():
        if _are_alike(row, other_row):
            name, other = _other_name(row, other_row, own, texts[-1], texts[:-1])
            if other and not _is_said_there(row, other_row, own, said):
                return name, other
    for text in texts:
        columns = [cell.column for cell in row if cell is not own]
        other = _other_column(own.column, columns, text)
        if not other and not names(text, own.column):
            other = _column_of_like_amount(row, own, text, source.is_printed)
        if other:
            [other_cell, *_] = [cell for cell in row if cell.column == other]
            return (
                ("", "") if _states_any(other_cell.text, said) else (own.column, other)
            )
        if names(text, own.column.replace("_", " ")):
            break
    is_table = row[0].line == row[-1].line
    return ("", "") if is_table else _other_clause(source, line, start, texts, said)


def _is_said_there(
    row: Sequence[_Cell],
    other_row: Sequence[_Cell],
    own: _Cell,
    said: Sequence[WrittenValue],
) -> bool:
    """Return True if the answer has what another row states in a cell's column, or it has no such cell."""
    beside = [cell for cell in other_row if cell.column == own.column]
    if own.column == "":
        beside = other_row[row.index(own) : row.index(own) + 1]
    return not beside or _states_any(beside[0].text, said)


def _cell_at(row: Sequence[_Cell], line: int, start: int) -> _Cell | None:
    """Return the cell that has an offset of a line."""
    found: _Cell | None = None
    for cell in row:
        if cell.line == line and cell.start <= start:
            found = cell
    return found


def _other_name(
    row: Sequence[_Cell],
    other_row: Sequence[_Cell],
    value: _Cell,
    text: str,
    answer: Sequence[str] = (),
) -> tuple[str, str]:
    """Return the names of two rows in one column, if a text has the second one and none of the first.

    Names that both rows have tell nothing, and neither does a value that is no name, nor a pair
    whose first name one of the sentences of the `answer` has.
    """
    other_cells = {(cell.column, index): cell for index, cell in enumerate(other_row)}
    pairs: list[tuple[_Cell, _Cell]] = []
    for index, cell in enumerate(row):
        other_cell = other_cells.get((cell.column, index))
        if other_cell is None or other_cell.text == cell.text:
            continue
        if cell is value and (answer or not _is_name(cell.text)):
            continue
        pairs.append((cell, other_cell))
    for cell, other_cell in pairs:
        # To read what a cell is takes longer than to look it up in a text.
        is_name = names(text, other_cell.text) and _is_name(other_cell.text)
        if not (is_name and _is_name(cell.text)):
            is_day = _is_day_in(text, other_cell.text)
            if not (is_day and _day_of_cell(cell.text)):
                continue
        if any(names(sentence, cell.text) for sentence in answer):
            return "", ""
        for own, _ in pairs:
            is_named = names(text, own.text) and _is_name(own.text)
            if is_named or _is_day_in(text, own.text):
                return "", ""
        return cell.text, other_cell.text
    return "", ""


@lru_cache(maxsize=8)
def _days_in(text: str) -> frozenset[str]:
    """Return the days that a text names: `04-07` for `7 April`."""
    values = written_values(text, kinds=_DATES)
    return frozenset(day_of_date(value) for value in values)


def _is_day_in(text: str, cell: str) -> bool:
    """Return True if a cell is a date whose day a text names, in any spelling."""
    return bool(_days_in(text)) and _day_of_cell(cell) in _days_in(text)


# because the dates of a table are compared with several sentences
@lru_cache(maxsize=4_096)
def _day_of_cell(cell: str) -> str:
    """Return the day of a cell that begins with a date; else an empty string."""
    if not cell[:1].isdigit():
        return ""
    for value in written_values(cell[:_MOST_DATE_CHARS], kinds=_DATES):
        return day_of_date(value) if value.start == 0 else ""
    return ""


def _other_clause(
    source: Source,
    line: int,
    start: int,
    texts: Sequence[str],
    said: Sequence[WrittenValue],
) -> tuple[str, str]:
    """Return what stands beside a value in a sentence, and what a text has of another value there.

    `Loading: 650 pM (NextSeq), 12 pM (MiSeq)`, and the answer says that a MiSeq gets 650 pM.
    """
    clauses = _clauses_of(source, line)
    at_start = [clause for clause in clauses if clause.start == start]
    if not at_start:
        return "", ""
    [own] = at_start
    others = [clause for clause in clauses if clause.column == own.column]
    for text in texts:
        words = {stem(word) for word in parts_of(fold_text(text))}
        own_words = _words_of_clause(own.text)
        for other in others:
            only_other = _words_of_clause(other.text) - own_words
            only_own = own_words - _words_of_clause(other.text)
            if not only_own or not only_other or not only_other <= words:
                continue
            beside = source.lines[line][other.start :][:_MOST_DATE_CHARS]
            if only_own & words or _states_any(beside, said):
                return "", ""
            return own.text, other.text
        if own_words & words:
            break
    return "", ""


def _clauses_of(source: Source, line: int) -> list[_Cell]:
    """Return the clauses of a line that have one amount each, without it; its unit is the column."""
    text = source.lines[line]
    amounts = [
        value
        for value in source.values_of(line)
        if value.kind is ValueKind.NUMBER and (value.unit or value.follower)
    ]
    if not 1 < len(amounts) <= _MOST_CLAUSES:
        return []
    clauses: list[_Cell] = []
    begin = 0
    for match in [*_CLAUSE_END.finditer(encodable(text)), None]:
        end = match.start() if match is not None else len(text)
        inside = [value for value in amounts if begin <= value.start < end]
        if len(inside) == 1:
            [value] = inside
            rest = f"{text[begin : value.start]} {text[value.end : end]}"
            words = rest.replace("(", " ").replace(")", " ").split()
            measure = value.unit or value.follower
            names_left: list[str] = []
            for word in words:
                bare_word = word.strip(".,")
                is_measure = unit_of(bare_word) or bare_word.casefold() == measure
                if bare_word and not is_measure:
                    names_left.append(bare_word)
            name = " ".join(names_left)
            clauses.append(_Cell(measure, name, line, value.start))
        if match is not None:
            begin = match.end()
    return clauses


def _words_of_clause(clause: str) -> frozenset[str]:
    """Return the stems of the words that name something: `loadi`, `nexts` of `Loading: pM NextSeq`."""
    words = parts_of(fold_text(clause))
    return frozenset(
        stem(word)
        for word in words
        if len(word) > 2 and word not in _COMMON_WORDS and not unit_of(word)
    )


def _other_column(column: str, others: Iterable[str], text: str) -> str:
    """Return a column that a text names instead of another one like it, or "".

    `gross_kg` instead of `net_kg`, if the text says "gross" and not "net".
    """
    words = {stem(word) for word in parts_of(fold_text(text))}
    own = _words_of_column(column)
    for other in others:
        of_other = _words_of_column(other)
        is_like = any(len(word) >= _LEAST_SHARED_CHARS for word in own & of_other)
        only_other = of_other - own
        if (
            is_like
            and only_other
            and only_other <= words
            and not (own - of_other) & words
        ):
            return other
    return ""


def _column_of_like_amount(
    row: Sequence[_Cell], own: _Cell, text: str, is_printed: bool
) -> str:
    """Return a column that a text names and whose cell has an amount in the unit of another cell.

    `CHF 68.–` below `Internal` and `CHF 95.50` below `External`. A script prints no units: of
    `{'Mei Tan': 89.6, 'Sara Lindqvist': 94.0}`, any key counts.
    """
    for cell in row:
        if cell is own or not names(text, cell.column) or not _is_name(cell.column):
            continue
        units = {value.unit for value in written_values(own.text) if value.unit}
        if units or is_printed:
            if is_printed or units & {
                value.unit for value in written_values(cell.text)
            }:
                return cell.column
    return ""


def _words_of_column(column: str) -> frozenset[str]:
    """Return the stems of the words of a column's name: `goals_home` -> `goal`, `home`."""
    return frozenset(map(stem, parts_of(fold_text(column))))


def _columns_of(source: Source) -> list[str]:
    """Return the names of the columns of a table, or of the fields of its first record."""
    for line in range(min(len(source.lines), 4)):
        columns = [cell.column for cell in _cells_of(source, line) if cell.column]
        if len(columns) > 1:
            return columns
    for record in _records_of(source)[:4]:
        if len(record) > 1:
            return [cell.column for cell in record]
    return []


def other_column_of_selection(
    selectors: Iterable[str],
    sources: Sequence[Source],
    follower: str,
    texts: Sequence[str],
) -> tuple[str, str]:
    """Return the column that a script read, and the one of its table that a text names instead.

    `sum(row["seats"] for row in rows)`, and the answer says "2532 cabins", a column beside it: the
    `follower` of the value. Both are empty if the script reads this one, too.
    """
    chosen = list(dict.fromkeys(selectors))[:_MOST_SELECTORS]
    for source in sources:
        columns = _columns_of(source)
        others = [column for column in columns if column and column not in chosen]
        for column in chosen:
            if column not in columns:
                continue
            if any(names(text, column) for text in texts):
                continue
            counted = [
                other for other in others if follower and stem(other) == stem(follower)
            ]
            if counted:
                return column, counted[0]
            for text in texts:
                other = _other_column(column, others, text)
                if other:
                    return column, other
    return "", ""


def other_name_of_selection(
    selectors: Iterable[str], sources: Sequence[Source], sentence: str, question: str
) -> tuple[str, str]:
    """Return a name by which a script selected, and the one of its column that the answer has.

    `by["Sara Lindqvist"]`, and the answer names Mei Tan, who is in the same column. Both are empty
    if the answer or the question names what was selected, or if the script selected by both.
    """
    chosen = list(dict.fromkeys(selectors))
    for selector in chosen[:_MOST_SELECTORS]:
        is_said = names(sentence, selector) or names(question, selector)
        if is_said or not _is_name(selector):
            continue
        for source in sources:
            rows = _rows_of(source)
            for own in rows.with_name(selector):
                texts = [cell.text for cell in own]
                index = texts.index(selector) if selector in texts else len(own)
                for row in rows.named_in(sentence):
                    other = row[index].text if index < len(row) else ""
                    if other in ("", selector, *chosen) or not _are_alike(own, row):
                        continue
                    if names(sentence, other) and _is_name(other):
                        return selector, other
    return "", ""
