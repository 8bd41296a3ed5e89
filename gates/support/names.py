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
from itertools import pairwise
from typing import Final

import re2

from controlplane.gates.support.matching import find_matches
from controlplane.gates.support.sources import Cell, Source, cell_at
from controlplane.gates.text_folding import (
    BOILERPLATE,
    encodable,
    fold_text,
    parts_of,
    stem,
    tokens_of,
    with_signs_apart,
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
    return " ".join(parts_of(fold_text(with_signs_apart(name))))


# because a few sentences are compared with the cells of many rows
@lru_cache(maxsize=8)
def _words_in_a_row(text: str) -> str:
    """Return the folded words of a text with a blank around each."""
    return f" {_folded_name(text)} "


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


class _Rows:
    """The rows and records of a text, by the names and the days in them."""

    def __init__(self, source: Source) -> None:
        self._rows = source.rows
        self._by_name: dict[str, list[list[Cell]]] = {}
        for row in self._rows:
            for cell in row:
                _add(self._by_name, _folded_name(cell.text), row)
        self._names_in_signs = [
            name for name in self._by_name if max(name, default="") > LAST_BEFORE_CJK
        ]
        self._found: dict[str, list[list[Cell]]] = {}

    @cached_property
    def _by_day(self) -> dict[str, list[list[Cell]]]:
        by_day: dict[str, list[list[Cell]]] = {}
        for row in self._rows:
            for cell in row:
                _add(by_day, _day_of_cell(cell.text), row)
        return by_day

    def with_name(self, name: str) -> list[list[Cell]]:
        """Return the first rows that have a cell with a name."""
        return self._by_name.get(_folded_name(name), [])

    def named_in(self, text: str) -> list[list[Cell]]:
        """Return the rows of which a text has a name or a day; few of those with one name."""
        if text not in self._found:
            words = _folded_name(text[: bounds.MOST_LINE_CHARS]).split()
            found: list[list[Cell]] = []
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


def _add(rows: dict[str, list[list[Cell]]], key: str, row: list[Cell]) -> None:
    """Add a row to those of a key. A name of many rows is that of a group."""
    named = rows.setdefault(key, []) if key else []
    if len(named) < _MOST_NAMESAKES:
        named.append(row)


@lru_cache(maxsize=16)  # because each value of a source is looked up in its rows
def _rows_of(source: Source) -> _Rows:
    """Return the rows and records of a text."""
    return _Rows(source)


def _are_alike(row: Sequence[Cell], other: Sequence[Cell]) -> bool:
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
        [cell.text for cell in source.row_at(line)],
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
        for match in find_matches(value, [source])
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
    row = [] if source.is_heading(line) else source.row_at(line)
    own = cell_at(row, line, start)
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
        if any(_is_told(text, cell.text) for cell in row if cell is not own):
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
    row: Sequence[Cell],
    other_row: Sequence[Cell],
    own: Cell,
    said: Sequence[WrittenValue],
) -> bool:
    """Return True if the answer has what another row states in a cell's column, or it has no such cell."""
    beside: Sequence[Cell] = [cell for cell in other_row if cell.column == own.column]
    if own.column == "":
        beside = other_row[row.index(own) : row.index(own) + 1]
    return not beside or _states_any(beside[0].text, said)


def _other_name(
    row: Sequence[Cell],
    other_row: Sequence[Cell],
    value: Cell,
    text: str,
    answer: Sequence[str] = (),
) -> tuple[str, str]:
    """Return the names of two rows in one column, if a text has the second one and none of the first.

    Names that both rows have tell nothing, and neither does a value that is no name, nor a pair
    whose first name one of the sentences of the `answer` has.
    """
    other_cells = {(cell.column, index): cell for index, cell in enumerate(other_row)}
    pairs: list[tuple[Cell, Cell]] = []
    for index, cell in enumerate(row):
        other_cell = other_cells.get((cell.column, index))
        if other_cell is None or other_cell.text == cell.text:
            continue
        if cell is value and (answer or not _is_name(cell.text)):
            continue
        pairs.append((cell, other_cell))
    for cell, other_cell in pairs:
        are_alike = (
            _is_name(cell.text)
            if _is_name(other_cell.text)
            else _day_of_cell(cell.text)
        )
        if not _is_told(text, other_cell.text) or not are_alike:
            continue
        is_said = any(names(sentence, cell.text) for sentence in answer)
        if is_said or any(_is_told(text, own.text) for own, _ in pairs):
            return "", ""
        return cell.text, other_cell.text
    return "", ""


@lru_cache(maxsize=8)
def _days_in(text: str) -> frozenset[str]:
    """Return the days and the years that a text names: `04-07` for `7 April`, `2025`.

    In `before 2025`, another year is meant.
    """
    days = {day_of_date(value) for value in written_values(text, kinds=_DATES)}
    for previous, word in pairwise(["", *parts_of(fold_text(text))]):
        if _is_year(word) and previous not in _PREPOSITIONS.split():
            days.add(word)
    return frozenset(days)


def _is_told(text: str, cell: str) -> bool:
    """Return True if a text has the name in a cell, or the day or year, in any spelling."""
    # To read what a cell is takes longer than to look it up in a text.
    if names(text, cell) and _is_name(cell):
        return True
    return bool(_days_in(text)) and _day_of_cell(cell) in _days_in(text)


def _is_year(word: str) -> bool:
    """Return True for four digits from 1900 to 2099."""
    return len(word) == 4 and word.isdecimal() and word[:2] in ("19", "20")


# because the dates of a table are compared with several sentences
@lru_cache(maxsize=4_096)
def _day_of_cell(cell: str) -> str:
    """Return the day of a cell that begins with a date, or the year that it is; else an empty string."""
    if _is_year(cell) or not cell[:1].isdigit():
        return cell if _is_year(cell) else ""
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


def _clauses_of(source: Source, line: int) -> list[Cell]:
    """Return the clauses of a line that have one amount each, without it; its unit is the column."""
    text = source.lines[line]
    amounts = [
        value
        for value in source.values_of(line)
        if value.kind is ValueKind.NUMBER and (value.unit or value.follower)
    ]
    if not 1 < len(amounts) <= _MOST_CLAUSES:
        return []
    clauses: list[Cell] = []
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
            clauses.append(Cell(measure, name, line, value.start))
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
    row: Sequence[Cell], own: Cell, text: str, is_printed: bool
) -> str:
    """Return a column that a text names and whose cell has an amount in the unit of another cell.

    `CHF 68.–` below `Internal` and `CHF 95.50` below `External`. A script prints no units: of
    `{'Mei Tan': 89.6, 'Sara Lindqvist': 94.0}`, any key counts.
    """
    for cell in row:
        if cell is own or not names(text, cell.column) or not _is_name(cell.column):
            continue
        if is_printed or _measures_in(own.text) & _measures_in(cell.text):
            return cell.column
    return ""


def _measures_in(text: str) -> set[str]:
    """Return the units of a text's numbers, and `date` if it has one: {"km", "date"}."""
    measures = {value.unit for value in written_values(text) if value.unit}
    if _days_in(text):
        measures.add(ValueKind.DATE)
    return measures


def _words_of_column(column: str) -> frozenset[str]:
    """Return the stems of the words of a column's name: `goals_home` -> `goal`, `home`."""
    return frozenset(map(stem, parts_of(fold_text(column))))


def _columns_of(source: Source) -> list[str]:
    """Return the names of the columns of a table, or of the fields of its first record."""
    for line in range(min(len(source.lines), 4)):
        columns = [cell.column for cell in source.cells_of(line) if cell.column]
        if len(columns) > 1:
            return columns
    for record in source.records[:4]:
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
