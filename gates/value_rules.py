"""Asks about values: those that nothing cited or printed gives, and those that what was read contradicts.

Works without words of any language: dates, times, decimals, amounts, whole numbers from 100 on, ids and quotations are
compared in any format. A value that may be derived passes, because nobody can list all ways to compute something; what
contradicts a value is a near miss: one wrong digit, the values of two rows crossed, the value of an earlier sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from calendar import monthrange
from collections.abc import Iterator, Sequence, Set
from datetime import date
from functools import lru_cache
from itertools import accumulate, chain, combinations
from typing import Final

from gates.claim_values import scaled_values
from gates.claims import Source, first_place
from gates.evidence import Evidence, spelling_key, split_fragment
from gates.rules import Inapplicable, Opinion
from gates.submission import CLARIFICATION, OK, Case, Plain, Submission, quote, quote_some
from gates.terms import (
    NUMBER,
    Value,
    amount_of,
    amounts_in,
    counted_in,
    decimals_of,
    fold_text,
    index_of,
    is_everyday,
    keys_in,
    other_order,
    parts_of,
    values_in,
)
from gates.trial_facts import facts_of, parse

SMALL: Final = 100
"""A whole number below this one may be a count as well as a value."""
MOST_TERMS: Final = 6
"""Max numbers of the cited texts with which a rule can tell that another number is not computed from them."""
_MOST_SUMS: Final = 200
_MAX_TEXT: Final = 400_000
_FACTORS: Final = (2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 12.0, 24.0, 30.0, 52.0, 60.0, 100.0, 365.0, 1_000.0, 3_600.0)
"""Counts, and ratios between units of time, money and measure."""
_MOST_ROWS: Final = 40
_MAX_LINE: Final = 4_000
"""Max characters of request and answer in which records are looked for."""
_MOST_SHOWN: Final = 4
_MOST_TEXT: Final = 30_000
"""Max characters of what was printed, and of what is cited, in which lines are compared."""
_MOST_SUMMED: Final = 24
_MOST_LEFT: Final = 12
"""Of more printed numbers, one is near by chance."""
_FEW: Final = 3
"""Of more printed numbers, one is a count more or less by chance."""
_SCALES: Final = (60.0, 100.0, 1_000.0, 3_600.0)
"""The ratios by which an answer may write a computed number in another unit."""
_PRINTED_BLANK: Final = re.compile(r"(?<=\d) (?=-?\d)")
"""What `print` puts between two numbers."""
_BREAK: Final = re.compile(r"[,;\n]|\.(?=\s)|\b(?:against|and|or|und|oder|et|ou|en|while|but)\b")
_KEY: Final = re.compile(r"\b[A-Z]{1,5}-?\d[\w-]*\b")
"""An id; of a name, many a sentence tells something else."""
_CELL: Final = re.compile(r"[,;|\t{}\[\]]")
_CELLS: Final = re.compile(r"[\t|{\[]|;\S")
_LEAST_WORDS: Final = 6
NOTHING: Final = Inapplicable("nothing that was cited or printed tells something about the answer")


def ask_found_values(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK answer with values that neither the request nor a cited text holds and that cannot be derived.

    Accepts values in the workspace's rules, the trial's own findings, tools' outputs or derived facts, and the paths
    that the trial wrote. The texts written there support nothing, nor do arguments that a tool prints back.
    """
    if submission.outcome != OK or not evidence.has_trace or not evidence.touches:
        return Inapplicable("there is nothing to find values in")
    answer = submission.answer_text
    read = {path for path, touch in evidence.touches.items() if touch.is_found}
    own = {change.path for change in evidence.changes} - read
    for path in own:
        answer = answer.replace(path, " ")
    stated = [value for value in values_in(answer) if value not in values_in(case.instruction)]
    if not stated:
        return Inapplicable("the answer states no value beyond the request")
    cited = {evidence.find(reference).path for reference in submission.citations}
    given = [(path, touch, text) for path, touch in evidence.touches.items() for text in touch.given_texts]
    seen = [text for path, _, text in given if path in cited]
    if not all(text.is_whole for text in seen) or sum(len(text.text) for text in seen) > _MAX_TEXT:
        return Inapplicable("a cited text was too long to keep")
    made = {spelling_key(path[:at]) for path in own for at, char in enumerate(path) if char == "/" and at}
    folders = {folder for folder in evidence.directories if spelling_key(folder) not in made}
    texts = [*(text.without_echo for text in seen), "\n".join(read | folders)]
    # A count of citations, or of entries in one file, is not larger.
    counts = range(max(len(submission.citations), *(text.count("\n") + 1 for text in texts)) + 1)
    is_free = cited <= {case.rules_path}
    texts += [text.without_echo for _, touch, text in given if "execute" in touch.actions or is_free]
    texts += [case.instruction, case.rules, *_reasons(submission), *declared_as_derived(submission.facts)]
    texts += [finding.value for finding in evidence.findings]
    # An answer after changes tells what was changed, not what is listed.
    listed = () if evidence.changes else chain.from_iterable(evidence.paths_by_spelling.values())
    sources = [Source("", text) for text in (*texts, "\n".join(listed))]
    missing = [value for value in stated if not (is_small(value) or first_place(sources, value))]
    missing = [
        value
        for value in missing
        if not (value.kind == "number" and amount_of(value.text) in counts)
        and not _is_derived(value, tuple(texts), answer, case.now, is_cited=bool(cited))
    ]
    uncited = [(path, text) for path, touch, text in given if missing and path not in cited and touch.is_whole]
    others = [Source(path, text.without_echo) for path, text in uncited]
    places = {value: first_place(others, value) for value in missing}
    missing = [value for value in missing if value.kind != "id" or places[value] is None]
    if not missing:
        return None
    other = next((place.path for value in missing if (place := places[value])), "")
    where = f" ({quote(other)}, which was read and is not cited, holds one)" if other else ""
    return (
        f"The answer states {quoted_values(missing)}, and no cited text does{where}: look it up again, and cite what "
        "it rests on; a value that was computed belongs in `facts` with the confidence `derived`."
    )


def quoted_values(values: list[Value]) -> str:
    """Return values in quotes, each once."""
    return quote_some(list(dict.fromkeys(value.text.rstrip(".,;:") for value in values)))


def _reasons(submission: Submission) -> list[str]:
    reasons = submission.refs_why.values() if isinstance(submission.refs_why, dict) else ()
    return [reason for reason in reasons if isinstance(reason, str)]


def _is_derived(value: Value, texts: tuple[str, ...], answer: str, now: str, *, is_cited: bool) -> bool:
    """Say whether a value may be computed from those of texts and from the clock, and rounded. Few values combine in
    few ways, more in too many; without a citation nobody can look up what a value was computed from."""
    keys, counts = keys_in(texts), counted_in(texts)
    days = {date.fromisoformat(key) for key in (*keys["date"], now[:10]) if key[:1].isdecimal()}
    times = set(map(_minutes, keys["time"]))
    if value.kind == "date":
        is_this_year = value.key[:4] == now[:4] and f"-{value.key[4:]}" in keys["date"]
        return is_this_year or any(_is_term(key, days, counts, now[:10]) for key in {value.key, other_order(value)})
    if value.kind == "time":
        is_listed = re.search(rf"(?<!\d):{value.key[3:]}(?!\d)", "\n".join(texts))  # In a timetable, as `xx:51`.
        times |= {_minutes(time) for time in [now[11:16]] if time}
        return bool(is_listed) or _is_step(value, times, counts | counted_in((answer,)) - {1}, is_cited=is_cited)
    if value.kind != "number" or any(value.key in index_of(text).numbers for text in texts):
        return value.kind == "number"  # In another unit, a number may have the same digits.
    gaps = {abs((one - other).days) for one, other in combinations(sorted(days)[: MOST_TERMS + 1], 2)}
    gaps |= {abs(one - other) for one, other in combinations(sorted(times)[: MOST_TERMS + 1], 2)}
    of_dates = {*gaps, *(gap + 1 for gap in gaps), *(day.year for day in days)}
    # Between many days or times lies any small number.
    spans = of_dates if len(days) + len(times) <= MOST_TERMS else range(MOST_TERMS + 1)
    base = {*map(abs, amounts_in(texts)), *spans} - {0}
    if len(base) > MOST_TERMS:
        return is_cited
    amount, within = abs(amount_of(value.text)), 0.51 * 10 ** -decimals_of(value.text)
    return any(abs(amount - made) <= within for made in computed_from(frozenset(base)))


def _is_term(key: str, days: Set[date], counts: Set[int], today: str) -> bool:
    """Say whether a date is a stated number of days, weeks, months or years away from a known one, or soon."""
    if key[0] == "-":
        return any(_is_term(f"{year:04}{key[1:]}", days, counts, today) for year in {day.year for day in days})
    try:
        wanted = date.fromisoformat(key)
    except ValueError:
        return True
    if wanted.day in (1, monthrange(wanted.year, wanted.month)[1]):
        return True  # Terms run to the ends of months.
    for day in days:
        between, months = abs((wanted - day).days), abs(12 * (wanted.year - day.year) + wanted.month - day.month)
        is_same_day = abs(wanted.day - day.day) <= 1 and _is_counted(months, counts | {1}, 12)
        if is_same_day or _is_counted(between, counts, 7) or (between <= 7 and str(day) == today):
            return True
    return False


def _is_step(value: Value, times: Set[int], counts: Set[int], *, is_cited: bool) -> bool:
    """Say whether a time is a length, a whole hour, or a stated number of minutes or hours from a known time."""
    minutes, hour = _minutes(value.key), int(value.key[:2])
    is_whole = value.key.endswith(":00") and not {hour, hour % 12}.isdisjoint(counts)  # `20 h`, `8 pm`
    if is_whole or (value.text[0] != "0" and value.key[0] == "0"):
        return True
    if any(_is_counted(abs(minutes - time), counts, 60) or minutes + time in times for time in {0, *times}):
        return True
    # Lengths in minutes and seconds add up as times of a day do.
    return is_cited and (len(times) > MOST_TERMS or minutes in computed_from(frozenset(times)))


def _is_counted(number: int, counts: Set[int], in_one: int) -> bool:
    """Say whether texts state a number, as it is or in a larger unit."""
    return number in counts or (number % in_one == 0 and number // in_one in counts)


@lru_cache(maxsize=8)
def computed_from(numbers: Set[float]) -> frozenset[float]:
    """Return what can be computed from a few numbers: sums and differences, ratios and products of two such sums."""
    terms_of_sum, sums = sorted(numbers - {0.0})[:MOST_TERMS], {0.0}
    for number in terms_of_sum:
        sums |= {made + number for made in sums} | {made - number for made in sums}
    reach = {abs(made) for made in sums}
    plain = sorted({made for made in reach if made})
    reach |= {made * factor for made in plain for factor in _FACTORS} | {made / by for made in plain for by in _FACTORS}
    ratios = {one / other for one in plain[-_MOST_SUMS:] for other in (*terms_of_sum, *plain[-_MOST_SUMS:])}
    reach |= ratios | {100 * ratio for ratio in ratios}
    reach |= {one * other for one, other in combinations(terms_of_sum, 2)}
    volumes = {one * other * third for one, other, third in combinations(terms_of_sum, 3)}
    return frozenset(reach | volumes | {made + number for made in volumes for number in terms_of_sum})


def _minutes(time: str) -> int:
    """Return the minutes from midnight to a time such as `09:30`."""
    return int(time[:2]) * 60 + int(time[3:])


def is_small(value: Value) -> bool:
    """Say whether a value is a whole number that may be a count."""
    if value.kind != "number":
        return False
    number = amount_of(value.text)
    return number == int(number) and abs(number) < SMALL and not any(mark in value.text for mark in ".,")


def declared_as_derived(facts: Plain) -> list[str]:
    """Return the values that a script declares as derived."""
    slots = facts.values() if isinstance(facts, dict) else ()
    return [str(slot.get("value")) for slot in slots if isinstance(slot, dict) and slot.get("confidence") == "derived"]


def _printed_before(evidence: Evidence) -> str:
    return "".join(printed for code, printed in evidence.steps[:-1] if code)


def ask_printed_values(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a number, date or time that a script types into the answer and that nothing which the model was shown
    gives, and to a number that is hardly another one than a printed result which the answer leaves out."""
    answer, typed = submission.answer_text, Source("", evidence.code)
    stated = [
        value
        for value in values_in(answer)
        if value.kind in ("number", "date", "time") and (typed.place_of(value) or not evidence.steps)
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
    texts = [outputs, case.instruction, case.rules, case.now, *declared_as_derived(submission.facts)]
    shown = [Source("", text) for text in (*texts, *(finding.value for finding in evidence.findings))]
    missing = [
        value
        for value in stated
        if not (value.kind == "number" and abs(amount_of(value.text)) in passed)
        and (
            _is_near_miss(value, numbers, answer, answered)
            or not (
                is_small(value)
                or any(source.place_of(value) for source in shown)
                or _is_written_anew(value, answer, before)
            )
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
    source = Source("", printed)
    if any(map(source.place_of, (value, *scaled_values(value, answer)))):
        return True
    if value.kind != "number":  # Of a date, a term of months or years from a printed day.
        days = (one.key for one in values_in(printed) if one.kind == "date")
        return value.kind == "date" and any(day[-2:] == value.key[-2:] for day in days)
    number, within = abs(amount_of(value.text)), 0.51 * 10 ** -decimals_of(value.text)
    shown = list(dict.fromkeys(abs(amount_of(one.text)) for one in values_in(printed) if one.kind == "number"))
    made = {scaled for one in shown for by in (1.0, *_SCALES) for scaled in (one * by, one / by)}
    made |= computed_from(frozenset(_numbers_in(answer) - {number}))
    made |= computed_from(frozenset(shown if len(shown) <= MOST_TERMS else ()))
    last = shown[-_MOST_SUMMED:]
    made |= {sum(one) for count in (2, 3) for one in combinations(last, count)}
    made |= {total for start in range(len(last)) for total in accumulate(last[start:])}
    return any(abs(number - one) <= within for one in made)


def ask_crossed_values(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to two values that the answer tells with words which what was printed or cited has beside the other one
    alone: in the same line or record, or in the same cell."""
    if submission.outcome not in (OK, CLARIFICATION) or not evidence.has_trace:
        return NOTHING
    lines = [*_printed_before(evidence)[-_MOST_TEXT:].splitlines(), *_cited_lines(submission, evidence)]
    told = list(_told_values(submission.answer_text[:_MAX_LINE], case.instruction))
    for units in (lines, [cell for line in lines for cell in _CELL.split(line)]) if len(told) > 1 else ():
        words = _words_beside([value for value, _ in told], units)
        for first, second in combinations(range(len(told)), 2):
            (one, said), (other, its) = told[first], told[second]
            both = _words_of(f"{one.text} {other.text}")
            own, others = words[first] - words[second] - both, words[second] - words[first] - both
            if one.kind != other.kind or said & own or its & others:
                continue
            if said & others and its & own:
                return (
                    f"The answer tells {quote(one.text)} of {quote_some(sorted(said & others))} and "
                    f"{quote(other.text)} of {quote_some(sorted(its & own))}; what was read has them the other way "
                    "round: compare them again."
                )
    return None if len(told) > 1 else NOTHING


def _cited_lines(submission: Submission, evidence: Evidence) -> list[str]:
    """Return the lines of what is cited, as far as there is room; a record is one line."""
    lines, room = list[str](), _MOST_TEXT
    for path in dict.fromkeys(evidence.find(split_fragment(cited)[0]).path for cited in submission.citations):
        touch = evidence.touches.get(path)
        for seen in touch.given_texts[-1:] if touch else ():
            text = seen.text[: max(room, 0)]
            lines += [" ".join(text.split())] if path in facts_of(evidence).records else text.splitlines()
            room -= len(text)
    return lines


def _told_values(answer: str, request: str) -> Iterator[tuple[Value, frozenset[str]]]:
    """Yield the values of an answer beyond the request, each with the other words of its clause."""
    asked, breaks = set(values_in(request)), [0, *(match.start() for match in _BREAK.finditer(answer)), len(answer)]
    for value in values_in(answer)[:_MOST_ROWS]:
        if value.kind in ("number", "date", "time", "id") and value not in asked:
            at = bisect_right(breaks, value.start)
            clause = f"{answer[breaks[at - 1] : value.start]} {answer[value.end : breaks[at]]}"
            yield value, _words_of(clause)


def _words_of(text: str) -> frozenset[str]:
    return frozenset(word for word in parts_of(fold_text(text)) if not is_everyday(word))


def _words_beside(values: Sequence[Value], units: Sequence[str]) -> list[frozenset[str]]:
    """Return for each value the words of the few texts that state it; none if many do."""
    stating: dict[tuple[str, float | str], set[str]] = {_form_of(value): set() for value in values}
    is_dated = any(value.kind in ("date", "time") for value in values)
    for unit in units:
        forms: set[tuple[str, float | str]] = {("number", amount_of(match[0])) for match in NUMBER.finditer(unit)}
        forms |= {form for form in stating if form[0] == "id" and str(form[1]) in unit}
        forms |= {_form_of(one) for one in (values_in(unit) if is_dated else ()) if one.kind in ("date", "time")}
        for form in forms & stating.keys():
            stating[form].add(unit)
    texts = (stating[_form_of(value)] for value in values)
    return [_words_of("\n".join(some)) if len(some) <= _FEW else frozenset() for some in texts]


def _form_of(value: Value) -> tuple[str, float | str]:
    """Return what all formats of a number, date or time share; an id as it is."""
    if value.kind == "number":
        return "number", amount_of(value.text)
    return value.kind, value.text if value.kind == "id" else value.key[-5:]


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
    """Object to an OK after a listing or search that came back cut, if of the files that it listed none was read as a
    whole, or each of many."""
    read = {path for path, touch in evidence.touches.items() if not all(seen.is_excerpt for seen in touch.seen)}
    cut = [
        call
        for call, (folder, *paths) in evidence.cut.items()
        if read.isdisjoint((folder, *paths)) or (len(set(paths)) > _FEW and read.issuperset(paths))
    ]
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
