"""Asks about values that printed results, and rows of cited records and tables, contradict.

The rules compare values, in any language, and object only to near misses: one wrong digit, the values of two rows
crossed, the value of an earlier sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, combinations, pairwise
from typing import Final

from gates.evidence import Evidence, record_id, split_fragment
from gates.rules import Inapplicable, Opinion
from gates.submission import CLARIFICATION, OK, Case, Submission, quote
from gates.terms import MONTHS, NUMBER, StatedValues, Value, amount_of, fold_text, values_in
from gates.trial_facts import facts_of, is_id, parse
from gates.value_rules import MOST_TERMS, computed_from, decimals_of, declared_as_derived, is_small, quoted_values

_MOST_ROWS: Final = 40
_MAX_LINE: Final = 4_000
"""Max characters of request and answer in which records are looked for."""
_MOST_SHOWN: Final = 4
_MOST_SUMMED: Final = 24
_MOST_LEFT: Final = 12
"""Of more printed numbers, one is near by chance."""
_FEW: Final = 3
"""Of more printed numbers, one is a count more or less by chance."""
_SCALES: Final = (60.0, 100.0, 1_000.0, 3_600.0)
"""The ratios by which an answer may write a computed number in another unit."""
_PRINTED_BLANK: Final = re.compile(r"(?<=\d) (?=-?\d)")
"""What `print` puts between two numbers."""
_WORD_CHAR: Final = re.compile(r"[\w-]")
_BREAK: Final = re.compile(r"[,;\n]|\b(?:and|or|und|oder|et|ou|en|while|but)\b")
_END: Final = re.compile(r"[;\n]|\.(?=\s)")
_NUMBER: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,6})?")
_KEY: Final = re.compile(r"\b[A-Z]{1,5}-?\d[\w-]*\b")
"""An id; of a name, many a sentence tells something else."""
_CELLS: Final = re.compile(r"[\t|{\[]|;\S")
_LEAST_WORDS: Final = 6
_NAME: Final = re.compile(r"[^\W\d_][^\n]{2,39}")
NOTHING: Final = Inapplicable("nothing that was cited or printed tells something about the answer")


@dataclass(frozen=True)
class Records:
    """Records of one kind: files with the same fields in one folder, or the rows of one table."""

    kind: str
    rows: Mapping[str, Mapping[str, str]]
    """Single values by field, by the record's id."""

    @cached_property
    def own(self) -> dict[str, list[str]]:
        """The id and the values of each record that no other one here holds."""
        held = {key: {key, *row.values()} for key, row in self.rows.items()}
        counts = Counter(value for values in held.values() for value in values)
        return {key: [value for value in values if counts[value] == 1] for key, values in held.items()}

    def named_in(self, text: str, field: str = "", request: str = "") -> dict[str, int]:
        """Return the place of the first mention of each record that a folded text names, by other than a field: by its
        id, a name, or what `request` states as well."""
        places = {
            key: [
                starts
                for name in names
                if name != self.rows[key].get(field)
                and (name == key or _is_name(name) or is_stated(request, name))
                and (starts := _mentions(text, name))
            ]
            for key, names in self.own.items()
        }
        return {key: min(min(starts) for starts in several) for key, several in places.items() if several}


def _is_name(value: str) -> bool:
    return is_id(value) or _NAME.fullmatch(value) is not None


def _mentions(text: str, name: str) -> list[int]:
    """Return where a folded text holds a name as a whole."""
    folded, places, end = fold_text(name), list[int](), 0
    while folded and (at := text.find(folded, end)) >= 0:
        end = at + len(folded)
        if not _WORD_CHAR.match(text[max(at - 1, 0) : at]) and not _WORD_CHAR.match(text, end):
            places.append(at)
    return places


def cited_kinds(submission: Submission, evidence: Evidence) -> list[Records]:
    """Return the kinds of which at least two records were read as a whole and are cited, and the cited tables."""
    groups: dict[tuple[str, frozenset[str]], dict[str, Mapping[str, str]]] = {}
    tables = []
    for path in dict.fromkeys(evidence.find(split_fragment(cited)[0]).path for cited in submission.citations):
        states = facts_of(evidence).records.get(path, ())
        if states and len(states) == 1:
            row = {field: held[0] for field, held in states[-1].fields.items() if len(held) == 1}
            kind = path.rpartition("/")[0].rpartition("/")[2]
            groups.setdefault((kind, frozenset(states[-1].fields)), {})[record_id(path)] = row
        touch = evidence.touches.get(path)
        texts = [seen for seen in touch.given_texts if seen.is_whole and not seen.is_excerpt] if touch else []
        rows = parse(texts[-1].text, path).rows if texts else ()
        firsts = [next(iter(row.values()), "") for row in rows]
        is_named = len(set(firsts)) == len(firsts) and all(map(_is_name, firsts))
        keys = firsts if is_named else [" ".join(row.values()) for row in rows]
        tables.append(Records(record_id(path), dict(zip(keys, rows, strict=True))))
    kinds = [Records(kind, rows) for (kind, _), rows in groups.items()]
    return [records for records in (*kinds, *tables) if 2 <= len(records.rows) <= _MOST_ROWS]


def _printed_before(evidence: Evidence) -> str:
    return "".join(printed for code, printed in evidence.steps[:-1] if code)


def ask_printed_values(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a number, date or time that a script types into the answer and that nothing which the model was shown
    gives, and to a number that is hardly another one than a printed result which the answer leaves out."""
    answer, typed = submission.answer_text, StatedValues([evidence.code])
    stated = [
        value
        for value in values_in(answer)
        if value.kind in ("number", "date", "time") and (typed.holds(value) or not evidence.steps)
    ]
    if not stated:
        return None
    printed = (_printed_before(evidence), "".join(output for _, output in evidence.steps[:-1]))
    before, outputs = (_PRINTED_BLANK.sub("\n", text) for text in printed)
    results = [value for value in values_in(before) if value.kind in ("number", "date", "time")]
    request = f"{case.instruction}\n{case.rules if case.rules_path in submission.citations else ''}"
    numbers = _numbers_in(before)
    passed = numbers | _numbers_in(request)
    answered = _numbers_in(f"{answer}\n{case.instruction}")
    if not results:
        return NOTHING
    sources = [outputs, case.instruction, case.rules, case.now, *declared_as_derived(submission.facts)]
    shown = lru_cache(lambda: StatedValues([*sources, *(finding.value for finding in evidence.findings)]))
    missing = [
        value
        for value in stated
        if not (value.kind == "number" and abs(amount_of(value.text)) in passed)
        and (
            _is_near_miss(value, numbers, answer, answered)
            or not (is_small(value) or shown().holds(value) or _is_written_anew(value, answer, before))
        )
    ]
    return (
        f"The answer states {quoted_values(missing)}, which nothing that you were shown states; scripts printed "
        f"{quoted_values(results[-_MOST_SHOWN:])}: compare them."
        if missing
        else None
    )


def _numbers_in(text: str) -> set[float]:
    return {abs(amount_of(value.text)) for value in values_in(text) if value.kind == "number"}


def _is_near_miss(value: Value, results: Set[float], answer: str, stated: Set[float]) -> bool:
    """Say whether a number is hardly another one than a result that is not told: one digit, two swapped ones, a count
    more or less, or the point by one place. What two other numbers of the answer give is not."""
    left = results - stated
    if value.kind != "number" or not left or len(left) > _MOST_LEFT:
        return False
    number, others = abs(amount_of(value.text)), _numbers_in(answer) - {abs(amount_of(value.text))}
    made = {result for one, other in combinations(others, 2) for result in (one + other, abs(one - other), one * other)}
    if any(abs(number - one) < 0.006 for one in made):
        return False
    if is_small(value):
        return len(results) <= _FEW and any(abs(number - one) == 1 for one in left)
    shifted = {round(scaled, 6) for one in left for scaled in (one * 10, one / 10)}
    return number in shifted or any(is_near(number, one) for one in left)


def is_near(number: float, other: float) -> bool:
    """Say whether two numbers of at least two digits, written alike, differ in one digit or by two swapped ones."""
    one, two = (f"{abs(each):.2f}".rstrip("0").rstrip(".") for each in (number, other))
    if len(one) != len(two) or sum(map(str.isdigit, one)) < 2 or one == two:
        return False
    places = [at for at, (left, right) in enumerate(zip(one, two, strict=True)) if left != right]
    is_swap = len(places) == 2 and places[1] == places[0] + 1 and one[places[0]] == two[places[1]]
    return len(places) == 1 or (is_swap and one[places[1]] == two[places[0]])


def _is_written_anew(value: Value, answer: str, printed: str) -> bool:
    """Say whether a value is a printed one, rounded or in another form, or made of printed numbers or of others."""
    if value.kind == "time":
        return _holds_time(printed, int(value.key[:2]), value.key[3:])
    if value.kind == "date":  # A day in any form, or a term of months or years from a printed day.
        days = (one.key for one in values_in(printed) if one.kind == "date")
        return any(day[-2:] == value.key[-2:] for day in days) or _holds_day(printed, value.key)
    if parts := re.fullmatch(r"(\d{1,2})\.(\d\d)", value.text):  # A time, or a day without its year.
        is_day = 0 < int(parts[2]) <= 12 and _holds_day(printed, f"--{parts[2]}-{int(parts[1]):02}")
        if is_day or _holds_time(printed, int(parts[1]), parts[2]):
            return True
    number, within = abs(amount_of(value.text)), 0.51 * 10 ** -decimals_of(value.text)
    shown = list(dict.fromkeys(abs(amount_of(one.text)) for one in values_in(printed) if one.kind == "number"))
    made = {scaled for one in shown for by in (1.0, *_SCALES) for scaled in (one * by, one / by)}
    made |= computed_from(frozenset(_numbers_in(answer) - {number}))
    made |= computed_from(frozenset(shown if len(shown) <= MOST_TERMS else ()))
    last = shown[-_MOST_SUMMED:]
    made |= {sum(one) for count in (2, 3) for one in combinations(last, count)}
    made |= {total for start in range(len(last)) for total in accumulate(last[start:])}
    return any(abs(number - one) <= within for one in made)


def _holds_time(text: str, hour: int, minutes: str) -> bool:
    """Say whether a text holds a time, with twelve hours or all; a full hour may stand alone."""
    hours = f"(?<!\\d)0?(?:{hour}|{(hour + 12) % 24})"
    alone = rf"|{hours}(?!\d)|noon|midday|midnight" if minutes == "00" else ""
    return re.search(rf"{hours}\D{{1,4}}{minutes}(?!\d){alone}", text) is not None


def _holds_day(text: str, key: str) -> bool:
    """Say whether a line of a text holds day and month of a date, the month by its number or its name."""
    names = "|".join(name[:3] for name in MONTHS[int(key[-5:-3]) - 1].split())
    day, month = rf"(?<!\d)0?{int(key[-2:])}(?!\d)", rf"(?<!\d)0?{int(key[-5:-3])}(?!\d)|\b(?:{names})"
    return any(re.search(day, line) and re.search(month, line) for line in fold_text(text).splitlines())


def ask_crossed_values(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to two cited records, or rows of a cited table, that are told each other's value."""
    is_telling = submission.outcome in (OK, CLARIFICATION) and evidence.has_trace
    kinds = cited_kinds(submission, evidence) if is_telling else []
    answer, request = fold_text(submission.answer_text[:_MAX_LINE]), fold_text(case.instruction[:_MAX_LINE])
    for records in kinds:
        may_cross = len(records.named_in(answer, request=request)) > 1
        for field in next(iter(records.rows.values())) if may_cross else ():
            values = {key: row.get(field, "") for key, row in records.rows.items()}
            named = records.named_in(answer, field, request)
            for first, second in pairwise(sorted(named, key=named.__getitem__)):
                if _is_crossed(answer, named, (first, second), (values[first], values[second])):
                    return (
                        f"The answer tells {quote(values[second])} of {quote(first)} and {quote(values[first])} of "
                        f"{quote(second)}; the {records.kind} say the opposite: compare them again."
                    )
    return None if kinds else NOTHING


def _is_crossed(answer: str, named: Mapping[str, int], keys: tuple[str, str], values: tuple[str, str]) -> bool:
    """Say whether the answer reads: first record, the second one's value, second record, the first one's value; or has
    each value before its record."""
    places = [_places(answer, value) for value in values]
    if values[0] == values[1] or [len(starts) for starts in places] != [1, 1]:
        return False
    (own,), (other,) = places
    start, middle = named[keys[0]], named[keys[1]]
    spans = (start, other, middle, own) if start < other else (other, start, own, middle)
    if sorted(spans) != [*spans] or any(spans[0] < place < spans[3] for place in {*named.values()} - {start, middle}):
        return False
    is_told = not _END.search(answer[spans[0] : spans[1]]) and not _END.search(answer[spans[2] : spans[3]])
    return is_told and _BREAK.search(answer[spans[1] : spans[2]]) is not None


def ask_unheeded_sentences(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK if texts that were read have sentences on an id of the request, and none of these texts is
    cited, or if the answer tells a value of an earlier sentence on it and none of the latest one."""
    keys = list(dict.fromkeys(_KEY.findall(case.instruction[:_MAX_LINE])))[:_MOST_LEFT]
    if submission.outcome != OK or not (evidence.has_trace and keys):
        return NOTHING
    told = _keys_of_values(submission.answer_text[:_MAX_LINE])
    cited = {evidence.find(split_fragment(reference)[0]).path for reference in submission.citations}
    lines = {
        path: _sentences(seen.text, path)
        for path, touch in evidence.touches.items()
        for seen in sorted(touch.given_texts, key=lambda seen: not seen.is_excerpt)
        if path != case.rules_path
    }
    for key in keys:
        name = re.compile(rf"(?<![\w-]){re.escape(key)}(?![\w-])")
        found = {path: on_it for path, held in lines.items() if (on_it := [*filter(name.search, held)])}
        for path, on_it in found.items():
            *earlier, latest = map(_keys_of_values, on_it[-_MOST_ROWS:])
            old = {kind for values in earlier for kind, _ in values & told} & {kind for kind, _ in latest}
            if cited.isdisjoint(found) or (old and not latest & told):
                return f"{quote(path)} was read, and says: {quote(on_it[-1])}. Check whether that changes the answer."
    return None


def ask_cut_lists(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK after a listing or search that came back cut, if no file that it listed was read as a whole."""
    read = {path for path, touch in evidence.touches.items() if not all(seen.is_excerpt for seen in touch.seen)}
    cut = [call for call, paths in evidence.cut.items() if read.isdisjoint(paths)]
    if submission.outcome != OK or not cut:
        return None
    return (
        f"{quote(cut[-1])} came back cut, and nothing later shows the rest: repeat it with `limit=0`, and compare the "
        "answer."
    )


def _keys_of_values(text: str) -> set[tuple[str, str]]:
    return {(value.kind, value.key) for value in values_in(text) if value.kind in ("number", "date", "time")}


def _sentences(text: str, path: str) -> list[str]:
    """Return the lines, or texts of a record, that are sentences by their form and tell a number, date or time."""
    parsed = parse(text, path)
    lines = [value for _, value in parsed.all_values()] if parsed.is_whole else text.splitlines()
    return [line.strip() for line in lines if _is_sentence(line.strip()) and _keys_of_values(line)]


def _is_sentence(line: str) -> bool:
    """Say whether a line ends as a sentence does, and is of words for the most part and of no cells."""
    words = line.split() if len(line) <= _MAX_LINE and line[-1:] in set(".!?)") and not _CELLS.search(line) else []
    return len(words) >= _LEAST_WORDS and 2 * sum(word[0].isalpha() for word in words) > len(words)


def is_stated(text: str, value: str) -> bool:
    """Say whether a folded text states a value."""
    return bool(_places(text, value))


def _places(answer: str, value: str) -> list[int]:
    """Return where a folded text states a value: a number or a date in any format, anything else as it is."""
    if _NUMBER.fullmatch(value):
        return [match.start() for match in NUMBER.finditer(answer) if amount_of(match[0]) == float(value)]
    if day := next((one for one in values_in(value) if one.kind == "date" and one.text == value), None):
        days = [one for one in values_in(answer) if one.kind == "date" and one.key[-5:] == day.key[-5:]]
        return [one.start for one in days if one.key == day.key or "-" in (one.key[0], day.key[0])]
    return _mentions(answer, value) if len(value) > 1 else []
