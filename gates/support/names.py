"""Compares the names beside a value in the answer with those of the row it was taken from.

    name,time            Mei Tan ran 1:29:46.    the value is in the row of Sara Lindqvist,
    Mei Tan,1:25:21                              and the answer names Mei Tan, who has a row
    Sara Lindqvist,1:29:46

A value that stands somewhere may be that of a neighbour. Only names are compared that stand in one
column of one table, so nothing is guessed about their meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.support.sources import Source
from controlplane.gates.surrogates import encodable
from controlplane.gates.text_folding import BOILERPLATE, fold_text, parts_of, tokens_of
from controlplane.gates.values.notations import FUNCTION_WORDS
from controlplane.gates.values.numerals import unit_of
from controlplane.gates.values.spans import LAST_BEFORE_CJK, ValueKind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

_SENTENCE_END: Final = re2.compile(r"[.!?;]\s|[。！？；\n]")
_MOST_ROWS: Final = 2_000
"""Rows of one table that are compared."""
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
_MOST_NAME_SIGNS: Final = 10
"""Of scripts without blanks, a longer cell is a sentence: 院子很安静，早餐的豆浆好喝。"""
_LEAST_NAME_CHARS: Final = 2
_QUOTED: Final = re2.compile(r'"((?:[^"\\]|\\.)*)"(?:\s*:\s*(\{)?|)')
"""A text of JSON, or a key, behind which a `:` stands, and perhaps the record of this name."""
_MOST_RECORD_LINES: Final = 40
"""Lines of one record of JSON, before and behind a value, in which its names are looked up."""


def sentence_around(value: WrittenValue, answer: str) -> str:
    """Return the sentence of the answer that has a value."""
    text = encodable(answer)
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if match.start() >= value.end:
            return text[start : match.start()]
        start = match.end()
    return text[start:]


@lru_cache(maxsize=8)  # a few sentences are compared with the cells of many rows
def _words_in_a_row(text: str) -> str:
    """Return the folded words of a text with a blank around each."""
    return f" {' '.join(parts_of(fold_text(text)))} "


def names(text: str, name: str) -> bool:
    """Return True if a text has a name as whole words; signs without blanks may touch others."""
    folded_name = " ".join(parts_of(fold_text(name)))
    if not folded_name:
        return False
    words = _words_in_a_row(text)
    if max(folded_name) > LAST_BEFORE_CJK:
        return folded_name.replace(" ", "") in words.replace(" ", "")
    return f" {folded_name} " in words


def _is_name(cell: str) -> bool:
    """Return True for a cell that names something: `Mei Tan`, `B1003`; not for `300` or a date."""
    letters = sum(1 for character in cell if character.isalpha())
    if len(cell) < _LEAST_NAME_CHARS or not letters:
        return False
    if len(cell.split()) > _MOST_NAME_WORDS or fold_text(cell) in BOILERPLATE:
        return False
    if max(cell) > LAST_BEFORE_CJK and len(cell) > _MOST_NAME_SIGNS:  # a sentence
        return False
    values = written_values(cell)
    is_amount = any(
        value.kind is not ValueKind.ID and value.start == 0 for value in values
    )
    return not is_amount


def _cells_of(source: Source, line: int) -> list[str]:
    """Return the cells of a row of a table, or the texts of a record of JSON in one line."""
    text = source.lines[line][: bounds.MOST_LINE_CHARS]
    if '":' in text or '" :' in text:
        return _texts_in_json(text)
    if text.count("|") > 1:
        return [cell.strip(" *`") for cell in text.split("|")]
    separated = source.with_cells_apart(line)[: bounds.MOST_LINE_CHARS]
    cells = [cell.strip().strip('"') for cell in separated.split("\n")]
    return cells if len(cells) > 1 else []


def _texts_in_json(text: str) -> list[str]:
    """Return the texts of JSON, and the keys of records, but not the keys of single values."""
    texts: list[str] = []
    for match in _QUOTED.finditer(encodable(text)):
        is_key = ":" in match[0][match[0].rindex('"') :]
        if not is_key or match[2]:
            texts.append(match[1])
    return texts


def _is_heading(source: Source, line: int) -> bool:
    """Return True for the first row of a table, whose cells are the names of its columns."""
    below = source.lines[line + 1] if line + 1 < len(source.lines) else ""
    has_rule_below = "---" in below and not below.strip("|-: ")
    is_first = line == 0 and not source.is_printed and not source.is_json
    return has_rule_below or (is_first and not source.outer_heading)


def _other_rows(source: Source, line: int) -> Iterator[list[str]]:
    """Yield the cells of the other rows of the table, which are as many as those of a row."""
    count = len(_cells_of(source, line))
    first = max(line - _MOST_ROWS // 2, 0)
    for index in range(first, min(first + _MOST_ROWS, len(source.lines))):
        if index == line or _is_heading(source, index):
            continue
        cells = _cells_of(source, index)
        if len(cells) == count:
            yield cells


def name_of_row(source: Source, line: int, text: str) -> str:
    """Return the longest name that a text has of the row, the record or the file of a line."""
    file_name = source.path.rpartition("/")[2].partition(".")[0]
    for candidates in (
        _cells_of(source, line),
        _texts_of_record(source, line),
        [file_name],
    ):
        named = [cell for cell in candidates if names(text, cell) and _is_name(cell)]
        if named:
            return max(named, key=len)
    return ""


def _texts_of_record(source: Source, line: int) -> list[str]:
    """Return the texts of the record of JSON around a line: those up to the next braces."""
    if not source.is_json:
        return []
    texts: list[str] = []
    for step in (-1, 1):
        index = line
        for _ in range(_MOST_RECORD_LINES):
            if not 0 <= index < len(source.lines):
                break
            text = source.lines[index]
            texts += _texts_in_json(text[: bounds.MOST_LINE_CHARS])
            if ("{" if step < 0 else "}") in text:
                break
            index += step
    return texts


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


def other_name_in_row(source: Source, line: int, sentence: str) -> tuple[str, str]:
    """Return the name of a value's row, and another one of its column that the sentence names.

    Both are empty if the sentence names the row by any of its cells, or no other row of the table.
    """
    cells = [] if _is_heading(source, line) else _cells_of(source, line)
    if not cells or any(names(sentence, cell) and _is_name(cell) for cell in cells):
        return "", ""
    others = list(_other_rows(source, line))
    for column, own in enumerate(cells):
        if not _is_name(own):
            continue
        for row in others:
            other = row[column]
            # To read what a cell is takes longer than to look it up in a sentence.
            if other != own and names(sentence, other) and _is_name(other):
                return own, other
    return "", ""


def rows_named(source: Source, name: str) -> Iterator[int]:
    """Yield the lines of a table that have a name as a cell."""
    for line in range(min(len(source.lines), _MOST_ROWS)):
        if name in source.lines[line] and not _is_heading(source, line):
            if name in _cells_of(source, line):
                yield line


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
            for line in rows_named(source, selector):
                column = _cells_of(source, line).index(selector)
                for row in _other_rows(source, line):
                    other = row[column]
                    if other == selector or other in chosen:
                        continue
                    if names(sentence, other) and _is_name(other):
                        return selector, other
                break  # the other rows of the table are the same for each of its lines
    return "", ""
