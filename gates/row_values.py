"""Asks about values of rows: those of another row or column than the request names, crossed ones, and lists, extremes
and sums that their rows contradict.

The rules compare the cells of what was read with names and values in request, reasons and answer. Rows are those of a
table, or files with the same fields in one folder. Only words for the highest and the lowest are known by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import Final

from gates.evidence import Evidence, record_id
from gates.rules import Inapplicable, Opinion, RuleFunction
from gates.submission import OK, Case, Submission, quote, quote_some
from gates.terms import BOILERPLATE, amount_of, fold_text, values_in, with_cells_apart
from gates.trial_facts import Row, parse

_MOST_CELLS: Final = 20_000
"""Max cells of all rows that are compared."""
_MOST_TERMS: Final = 12
_MOST_SHOWN: Final = 3
_LEAST_RANKED: Final = 3
_MOST_PARTS: Final = 2
_BREAK: Final = re.compile(r"[,;\n]|\b(?:and|or|und|oder|et|ou|en|while|but)\b")
_END: Final = re.compile(r"[;\n]|\.(?=\s)")
_SHAPED: Final = ("date", "time", "telephone")
_TRUTHS: Final = frozenset(("yes", "no", "true", "false"))
_LARGE: Final = 100
"""A smaller whole number may be a count of anything."""
_LETTERS: Final = 4
"""A shorter common word may mean anything."""
_HIGHEST: Final = re.compile(
    r"(?<!at )\b(?:highest|largest|biggest|most|maximum|heaviest|latest|newest)\b", re.IGNORECASE
)
_LOWEST: Final = re.compile(
    r"(?<!at )\b(?:lowest|smallest|least|fewest|minimum|lightest|earliest|cheapest|shortest)\b", re.IGNORECASE
)
NOTHING: Final = Inapplicable("nothing that was read has rows which tell something about the answer")
_Key = tuple[str, float | str]


class Said:
    """What a text states: numbers, dates and times in any format, anything else by its words."""

    def __init__(self, text: str) -> None:
        self.folded = fold_text(text)
        self._words = _words_of(text)
        self._values: dict[_Key, list[int]] = {}
        for value in values_in(with_cells_apart(text)):
            key = amount_of(value.text) if value.kind == "number" else value.key
            self._values.setdefault((value.kind, key), []).append(value.start)

    @cached_property
    def numbers(self) -> set[float]:
        """Its numbers."""
        return {float(key) for kind, key in self._values if kind == "number"}

    def places(self, cell: str) -> list[int]:
        """Return where the text states a cell."""
        if key := _key_of(cell):
            return self._values.get(key, [])
        folded = fold_text(cell)
        is_there = len(cell) > 1 and folded in self.folded
        return [found.start() for found in _mention(folded).finditer(self.folded)] if is_there else []

    def names(self, field: str) -> bool:
        """Say whether the text holds all words of a field's name; a unit is in brackets."""
        words = _words_of(field.partition("(")[0])
        return bool(words) and words <= self._words


said: Final = lru_cache(maxsize=16)(Said)


@lru_cache(maxsize=4_096)
def _key_of(cell: str) -> _Key | None:
    number = number_of(cell)
    if number is not None:
        return "number", number
    shaped = [value for value in values_in(cell) if value.kind in _SHAPED]
    return (shaped[0].kind, shaped[0].key) if len(shaped) == 1 and shaped[0].text == cell else None


def number_of(cell: str) -> float | None:
    """Return the number that a cell is; None for anything else."""
    return float(cell) if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,6})?", cell) else None


@lru_cache(maxsize=512)
def _mention(folded: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(folded)}(?![\w-])")


@lru_cache(maxsize=512)
def _words_of(text: str) -> frozenset[str]:
    """Return the words of a text that may name a field, without endings, everyday words and currencies."""
    words = set(re.findall(r"[a-z]{2,}", fold_text(text))) - BOILERPLATE - {"eur", "euro", "usd", "chf", "gbp"}
    return frozenset(word.removesuffix("s").removesuffix("e") for word in words)


def _is_name(cell: str) -> bool:
    return len(cell) > 2 and re.search(r"[^\W\d_]", cell) is not None and _key_of(cell) is None


def is_telling(cell: str) -> bool:
    """Say whether a cell is hardly in a text by chance: neither a small number nor a common word."""
    number = number_of(cell)
    if number is not None:
        return number >= _LARGE or "." in cell
    return len(cell) > 1 and (cell[:1].isupper() or any(map(str.isdigit, cell))) and cell.casefold() not in _TRUTHS


class Records:
    """Rows with the same fields; the first field is their key."""

    def __init__(self, name: str, paths: Sequence[str], rows: Sequence[Row]) -> None:
        self.name, self.paths, self.rows = name, frozenset(paths), rows
        self.columns = {field: [row[field] for row in rows] for field in rows[0] if all(field in row for row in rows)}
        unique = [field for field, cells in self.columns.items() if len(set(cells)) == len(cells)]
        self.naming = [
            field for field in unique if field in [*self.columns][:1] or all(map(_is_name, self.columns[field]))
        ]
        """The fields by which a row may be named."""
        self.others = [*self.columns][1:]

    def key(self, at: int) -> str:
        """Return a row's key."""
        return next(iter(self.rows[at].values()))

    def named(self, text: Said, but: str | None = None) -> dict[int, int]:
        """Return the first place of each row that a text names, by another field than one."""
        fields = [field for field in self.naming if field != but]
        found = [[place for field in fields for place in text.places(row[field])] for row in self.rows]
        return {at: min(places) for at, places in enumerate(found) if places}

    def held(self, field: str, asked: Said) -> set[int]:
        """Return the rows whose cell of a field a request states."""
        is_named = field in self.naming or asked.names(field)
        cells = {cell for cell in self.columns[field] if asked.places(cell)}
        meant = {
            cell
            for cell in cells
            if is_named or is_telling(cell) or (len(cell) >= _LETTERS and cell not in BOILERPLATE)
        }
        return {at for at, cell in enumerate(self.columns[field]) if cell in meant}

    def meant(self, asked: Said) -> tuple[set[int], set[str]]:
        """Return the rows that a request means by their cells, and the fields of these cells."""
        found = {field: held for field in self.columns if 0 < len(held := self.held(field, asked)) < len(self.rows)}
        if not found:
            return set(), set()
        return set.intersection(*found.values()) or set.union(*found.values()), set(found)


@lru_cache(maxsize=2)
def read_records(evidence: Evidence) -> tuple[Records, ...]:
    """Return the tables and the folders of records that were read as a whole."""
    found: list[Records] = []
    files: dict[tuple[str, frozenset[str]], dict[str, Row]] = {}
    for path, touch in evidence.touches.items():
        seen = touch.given_texts[-1] if touch.given_texts and touch.actions == {"read"} else None
        if seen is None or not seen.is_whole or seen.is_excerpt:
            continue
        parsed = parse(seen.text, path)
        found += [Records(path, [path], rows) for rows in (parsed.rows, *_nested(parsed.fields)) if len(rows) > 1]
        if not parsed.rows and parsed.is_whole:
            single = {field: held[0] for field, held in parsed.fields.items() if len(held) == 1}
            kind = path.rpartition("/")[0], frozenset(parsed.fields)
            files.setdefault(kind, {})[path] = {"": record_id(path), **single}
    found += [Records(folder, [*rows], [*rows.values()]) for (folder, _), rows in files.items() if len(rows) > 1]
    cells = accumulate(len(records.rows) * len(records.columns) for records in found)
    return tuple(records for records, passed in zip(found, cells, strict=True) if passed <= _MOST_CELLS)


def _nested(fields: Mapping[str, tuple[str, ...]]) -> Iterator[list[Row]]:
    """Yield the rows within a record: lists of equally many values, and mappings with the same fields."""
    lists: dict[tuple[str, int], dict[str, tuple[str, ...]]] = {}
    maps: dict[str, dict[str, str]] = {}
    for name, held in fields.items():
        above, _, field = name.rpartition(".")
        if len(held) > 1:
            lists.setdefault((above, len(held)), {})[field] = held
        elif above:
            maps.setdefault(above, {"": above})[field] = held[0]
    for columns in lists.values():
        yield [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    if len({frozenset(row) for row in maps.values()}) == 1:
        yield [*maps.values()]


@dataclass(frozen=True)
class Told:
    """An answer to a request, beside what was read."""

    asked: Said
    answer: Said
    reasons: Said
    """The answer with the reasons of its citations."""
    evidence: Evidence

    def tells(self, records: Records, field: str, cell: str) -> bool:
        """Say whether the answer states a cell that neither the request nor another text that was read states."""
        is_fitting = is_telling(cell) or (self.asked.names(field) and cell.casefold() not in _TRUTHS)
        if not is_fitting or not self.answer.places(cell) or self.asked.places(cell):
            return False
        others = (touch for path, touch in self.evidence.touches.items() if path not in records.paths)
        return not any(said(seen.text).places(cell) for touch in others for seen in touch.given_texts)


def _asking(find: Callable[[Records, Told], Iterator[str]]) -> RuleFunction:
    """Return the rule that puts the first fault found in any records."""

    def ask(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
        every = read_records(evidence) if submission.outcome == OK and evidence.has_trace else ()
        reasons = submission.refs_why.values() if isinstance(submission.refs_why, dict) else ()
        texts = "\n".join(reason for reason in reasons if isinstance(reason, str))
        answer = submission.answer_text
        told = Told(said(case.instruction), said(answer), said(f"{answer}\n{texts}"), evidence)
        faults = (fault for records in every for fault in find(records, told))
        return next(faults, None) if every else NOTHING

    ask.__doc__ = find.__doc__
    return ask


def _misplaced(records: Records, told: Told) -> Iterator[str]:
    """Object to a value of another row, or of another field with values of its kind, than the request names."""
    meant, by = records.meant(told.asked)
    known = {records.columns[field][at] for at in meant for field in records.columns}
    numbers = {number for cell in known if (number := number_of(cell)) is not None} | told.asked.numbers
    terms = sorted(numbers)[:_MOST_TERMS]
    made = {made for one in terms for other in terms for made in (one + other, abs(one - other), one * other)}
    fields = [field for field in records.others if field not in by]
    wanted = [field for field in fields if told.asked.names(field)]
    due = [records.columns[wanted[0]][at] for at in meant] if len(wanted) == len(meant) == 1 else []
    kind = (_key_of(due[0]) or ())[:1] if due and not told.answer.places(due[0]) else ()
    for field in fields if meant else ():
        cells = records.columns[field]
        if any(told.answer.places(cells[at]) for at in meant):
            rows = meant if kind and field not in wanted else set()
        else:
            rows = {*range(len(cells))} - meant - records.named(told.reasons, field).keys()
        for at in rows:
            is_own = at in meant
            is_meant = (
                kind == (_key_of(cells[at]) or ())[:1]
                if is_own
                else {cells[at]} <= known or number_of(cells[at]) in made
            )
            if is_meant is is_own and told.tells(records, field, cells[at]):
                names = wanted if is_own else [records.key(row) for row in sorted(meant)]
                yield (
                    f"The answer states {quote(cells[at])}, which {quote(records.name)} has as {quote(field)} of "
                    f"{quote(records.key(at))}; the request names {quote_some(names, _MOST_SHOWN)}: compare both."
                )


def _listed(records: Records, told: Told) -> Iterator[str]:
    """Object to listed rows of which some lack the value that the request names, or to all rows with it but one."""
    listed = records.named(told.answer).keys() - records.named(told.asked).keys()
    for field in (field for field in records.columns if field not in records.naming and listed):
        cells = records.columns[field]
        group = records.held(field, told.asked)
        if told.asked.names(field) and {cell.casefold() for cell in cells} <= _TRUTHS:
            group = {at for at, cell in enumerate(cells) if cell == cells[min(listed)]}
        if len({cells[at] for at in group}) != 1:
            continue
        beside = [at for at in sorted(listed - group) if not told.answer.places(cells[at])]
        if beside and len(group) > 1 and len(listed & group) >= len(beside):
            yield (
                f"The answer lists {quote(records.key(beside[0]))}, whose {quote(field)} in {quote(records.name)} is "
                f"{quote(cells[beside[0]])}, beside rows with {quote(cells[min(group)])}: check it again."
            )
        left = (group & (records.meant(told.asked)[0] or group)) - listed
        is_narrower = told.asked.numbers or any(_are_apart(column, listed, left) for column in records.columns.values())
        if 1 == len(left) < len(listed) and listed <= group and not is_narrower:
            yield (
                f"The answer lists {len(listed)} rows of {quote(records.name)} whose {quote(field)} is "
                f"{quote(cells[min(group)])}, and not {quote(records.key(min(left)))}: check whether it belongs there."
            )


def _are_apart(column: Sequence[str], rows: Set[int], others: Set[int]) -> bool:
    """Say whether a column tells rows from others: they alone share a value, or the others are earlier or later."""
    cells, rest = {column[at] for at in rows}, {column[at] for at in others}
    keys, places = ([_key_of(cell) for cell in found] for found in (cells, rest))
    if None not in keys + places and {key[0] for key in keys + places if key} <= {"date", "time"}:
        values = [str(key[1]) for key in keys if key]
        return any(key is not None and not min(values) < str(key[1]) < max(values) for key in places)
    return len(set(column)) < len(column) and len(cells) == 1 and cells.isdisjoint(rest)


def _opposite(records: Records, told: Told) -> Iterator[str]:
    """Object to the lowest row of a field for the highest, or the other way round."""
    is_high, is_low = (pattern.search(told.asked.folded) is not None for pattern in (_HIGHEST, _LOWEST))
    named = records.named(told.answer).keys()
    for field in records.others if is_high is not is_low else ():
        cells = records.columns[field]
        keys = [key for cell in cells if (key := _key_of(cell))]
        if len(keys) < len(cells) or len({key[0] for key in keys}) > 1 or len(set(keys)) < _LEAST_RANKED:
            continue
        ranked = sorted(range(len(cells)), key=keys.__getitem__, reverse=is_high)
        right, wrong = ranked[0], ranked[-1]
        signs = (told.asked.names(field), bool(told.answer.places(cells[wrong])), named == {wrong})
        if sum(signs) > 1 and right not in named and not told.answer.places(cells[right]):
            yield (
                f"The answer tells {quote(records.key(wrong))} with the {'lowest' if is_high else 'highest'} "
                f"{quote(field)} of {quote(records.name)}: check which end the request asks for."
            )


def _partial(records: Records, told: Told) -> Iterator[str]:
    """Object to a number that no text holds and that is the sum of a fitting field in all fitting rows but one."""
    meant = records.meant(told.asked)[0] or range(len(records.rows))
    for field in records.others if len(meant) > _MOST_PARTS else ():
        numbers = [number_of(records.columns[field][at]) for at in meant]
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers) or not (told.asked.names(field) or told.answer.names(field)):
            continue
        total, texts = (
            round(sum(known), 6),
            [seen.text for touch in told.evidence.touches.values() for seen in touch.seen],
        )
        held = told.asked.numbers.union(*(said(text).numbers for text in texts))
        parts = {round(total - one, 6) for one in known if one} & told.answer.numbers - held
        if parts and total not in told.answer.numbers:
            yield (
                f"The answer states {min(parts):g}, which {quote(field)} comes to in all {len(known)} rows of "
                f"{quote(records.name)} but one: compute it again."
            )


def _crossed(records: Records, told: Told) -> Iterator[str]:
    """Object to two rows that are told each other's value of a field."""
    for field in records.others:
        cells, named = records.columns[field], records.named(told.answer, field)
        for first, second in pairwise(sorted(named, key=named.__getitem__)):
            pair = cells[first], cells[second]
            is_fitting = all(map(is_telling, pair)) or told.asked.names(field) or told.answer.names(field)
            if is_fitting and _is_crossed(told.answer, named, (first, second), pair):
                yield (
                    f"The answer tells {quote(cells[second])} of {quote(records.key(first))}, and of "
                    f"{quote(records.key(second))} {quote(cells[first])}; {quote(records.name)} says the opposite."
                )


def _is_crossed(answer: Said, named: Mapping[int, int], rows: tuple[int, int], cells: tuple[str, str]) -> bool:
    """Say whether the answer reads: first row, the second one's cell, second row, the first one's cell; or has each
    cell before its row."""
    places = [answer.places(cell) for cell in cells]
    if cells[0] == cells[1] or [len(found) for found in places] != [1, 1]:
        return False
    (own,), (other,) = places
    start, middle = named[rows[0]], named[rows[1]]
    line = (start, other, middle, own) if start < other else (other, start, own, middle)
    if any(line[0] < place < line[3] for place in {*named.values()} - {start, middle}):
        return False
    pieces = [answer.folded[start:end] for start, end in pairwise(line)]
    is_told = sorted(line) == [*line] and not _END.search(pieces[0]) and not _END.search(pieces[2])
    return is_told and _BREAK.search(pieces[1]) is not None


ROW_RULES: Final = {
    "row-value": _asking(_misplaced),
    "listed-rows": _asking(_listed),
    "opposite-row": _asking(_opposite),
    "partial-sum": _asking(_partial),
    "crossed-values": _asking(_crossed),
}
