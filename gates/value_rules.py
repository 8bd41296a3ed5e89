"""Asks about values: an OK answer may state only what a cited text holds or what can be derived from it.

Works without words of any language: dates, times, decimals, amounts, whole numbers from 100 on, ids and quotations are
compared in any format. A value that may be derived passes, because nobody can list all ways to compute something.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Set
from datetime import date
from functools import lru_cache
from itertools import chain, combinations
from typing import Final

from gates.claims import Source, first_place
from gates.evidence import Evidence, spelling_key
from gates.rules import Inapplicable, Opinion
from gates.submission import OK, Case, Plain, Submission, quote, quote_some
from gates.terms import Value, amount_of, amounts_in, counted_in, decimals_of, index_of, keys_in, other_order, values_in

SMALL: Final = 100
"""A whole number below this one may be a count as well as a value."""
MOST_TERMS: Final = 6
"""Max numbers of the cited texts with which a rule can tell that another number is not computed from them."""
_MOST_SUMS: Final = 200
_MAX_TEXT: Final = 400_000
_FACTORS: Final = (2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 12.0, 24.0, 30.0, 52.0, 60.0, 100.0, 365.0, 1_000.0, 3_600.0)
"""Counts, and ratios between units of time, money and measure."""


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
