"""Asks about values: an OK answer may state only what a cited text holds or what can be derived from it.

Works without words of any language: dates, times, decimals, amounts, whole numbers from 100 on, ids and quotations are
compared in any format. A value that may be derived passes, because nobody can list all ways to compute something.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Final

from gates.evidence import Evidence, SeenText, spelling_key
from gates.rules import Inapplicable, Opinion
from gates.submission import OK, Case, Plain, Submission, quote, quote_some
from gates.terms import (
    NO_MARK,
    NUMBER,
    TOKEN,
    StatedValues,
    Value,
    amount_of,
    counted_in,
    fold_text,
    index_of,
    other_order,
    values_in,
)

SMALL: Final = 100
"""A whole number below this one may be a count as well as a value."""
MOST_TERMS: Final = 6
"""Max numbers of the cited texts with which a rule can tell that another number is not computed from them."""
_MOST_SUMS: Final = 200
_MAX_TEXT: Final = 400_000
_FACTORS: Final = (2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 12.0, 24.0, 30.0, 52.0, 60.0, 100.0, 365.0, 1_000.0, 3_600.0)
"""Counts, and ratios between units of time, money and measure."""
_NUMBER_OR_TOKEN: Final = re.compile(rf"(?<![\w./:-]){NUMBER.pattern}(?![\w/:-])|{TOKEN.pattern}")


def ask_found_values(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK answer with values that neither the request nor a cited text holds and that cannot be derived.

    Accepts values in the workspace's rules, the trial's own findings, tools' outputs or derived facts, and the paths
    that the trial wrote. The texts written there support nothing, nor do arguments that a tool prints back.
    """
    if submission.outcome != OK or not evidence.has_trace or not evidence.touches:
        return Inapplicable("there is nothing to find values in")
    answer = submission.answer_text
    read = dict.fromkeys(path for path, touch in evidence.touches.items() if touch.is_found)
    own = {change.path for change in evidence.changes if change.path not in read}
    for path in own:
        answer = answer.replace(path, " ")
    stated = [value for value in values_in(answer) if value not in values_in(case.instruction)]
    if not stated:
        return Inapplicable("the answer states no value beyond the request")
    cited = {reference.path: reference.touch for ref in submission.citations if (reference := evidence.find(ref)).touch}
    seen = [text for touch in cited.values() if touch is not None for text in touch.given_texts]
    if not all(text.is_whole for text in seen) or sum(len(text.text) for text in seen) > _MAX_TEXT:
        return Inapplicable("a cited text was too long to keep")
    is_uncited = not set(cited) - {case.rules_path}
    free = [
        without_echo(text)
        for touch in evidence.touches.values()
        for text in touch.given_texts
        if "execute" in touch.actions or is_uncited
    ]
    free += [case.instruction, case.rules, *_reasons(submission), *declared_as_derived(submission.facts)]
    free += [finding.value for finding in evidence.findings]
    made = {spelling_key(path[:at]) for path in own for at, char in enumerate(path) if char == "/" and at}
    folders = (folder for folder in evidence.directories if spelling_key(folder) not in made)
    support = _Support([*map(without_echo, seen), "\n".join((*read, *folders))], free, submission, case)
    missing = [value for value in stated if not support.holds(value)]
    if missing and not evidence.changes:  # An answer after changes tells what was changed, not what is listed.
        listed = StatedValues(["\n".join(path for paths in evidence.paths_by_spelling.values() for path in paths)])
        missing = [value for value in missing if not listed.holds(value)]
    others = (touch for path, touch in evidence.touches.items() if missing and path not in cited and touch.is_whole)
    held = {touch.path: StatedValues([text.text for text in touch.given_texts]) for touch in others}
    files = [texts for path, texts in held.items() if evidence.touches[path].actions == {"read"}]
    missing = [one for one in missing if one.kind != "id" or not any(texts.holds(one) for texts in files)]
    if not missing:
        return None
    other = next((path for path, stated in held.items() if any(map(stated.holds, missing))), "")
    where = f" ({quote(other)}, which was read and is not cited, holds one)" if other else ""
    return (
        f"The answer states {quoted_values(missing)}, and no cited text does{where}: look it up again, and cite what "
        "it rests on; a value that was computed belongs in `facts` with the confidence `derived`."
    )


def without_echo(seen: SeenText) -> str:
    """Return the text that a tool printed, without the tokens that it was given, in any case and however joined."""
    if not seen.echoed:
        return seen.text
    echoed = index_of(seen.echoed)

    def kept(match: re.Match[str]) -> str:
        token = match[0]
        return "" if token.translate(NO_MARK) in echoed.words or echoed.repeats(fold_text(token)) else token

    return _NUMBER_OR_TOKEN.sub(kept, seen.text)


def quoted_values(values: list[Value]) -> str:
    """Return values in quotes, each once."""
    return quote_some(list(dict.fromkeys(value.text.rstrip(".,;:") for value in values)))


def _reasons(submission: Submission) -> list[str]:
    reasons = submission.refs_why.values() if isinstance(submission.refs_why, dict) else ()
    return [reason for reason in reasons if isinstance(reason, str)]


class _Support:
    """The support for an answer's values: texts that prove them, and `free` ones that let them pass."""

    def __init__(self, texts: list[str], free: list[str], submission: Submission, case: Case) -> None:
        self._case = case
        self._is_cited = bool(submission.citations)
        """Without a citation nobody can look up what a number was computed from."""
        self._today = case.now[:10]
        self._texts = [*texts, *free]
        self._counts = counted_in(submission.answer_text)
        self._stated = StatedValues(self._texts)
        # A count of citations, or of entries in one file, is not larger.
        self._most_counted = max((len(submission.citations), *(text.count("\n") + 1 for text in texts)))

    def holds(self, value: Value) -> bool:
        """Say whether a value passes."""
        if is_small(value) or self._stated.holds(value):
            return True
        if value.kind == "number":
            return self._is_derived(amount_of(value.text), decimals_of(value.text))
        if value.kind == "date":
            return self._is_reckoned(value.key) or self._is_reckoned(other_order(value))
        if value.kind == "time":
            return (value.text[:1] != "0" and value.key[0] == "0") or self._is_step_of_times(value.key)
        return value.kind == "quotation" and len(value.key.split()) < 3 and value.key in fold_text(self._case.rules)

    def _is_derived(self, number: float, decimals: int) -> bool:
        """Say whether a number may be computed, and rounded: few numbers combine in few ways, more in too many."""
        if number == int(number) and number <= self._most_counted:
            return True
        base = sorted({abs(one) for one in (*self._stated.amounts, *self._of_dates) if one})
        if len(base) > MOST_TERMS:
            return self._is_cited
        tolerance = 0.51 * 10**-decimals
        return any(abs(abs(number) - made) <= tolerance for made in computed_from(frozenset(base)))

    @cached_property
    def _of_dates(self) -> set[float]:
        """The years of the cited dates and of the clock, the days between two of these dates, and the minutes between
        two of the times."""
        days = sorted(map(date.fromisoformat, filter(_is_full, {*self._stated.dates, self._today})))
        minutes = sorted(map(_minutes, self._stated.times))
        if len(days) + len(minutes) > MOST_TERMS:
            return set(map(float, range(MOST_TERMS + 1)))
        spans = {float((later - earlier).days) for earlier, later in combinations(days, 2)}
        spans |= {float(later - earlier) for earlier, later in combinations(minutes, 2)}
        return spans | {float(day.year) for day in days} | {one + 1 for one in spans}

    def _is_reckoned(self, key: str) -> bool:
        """Say whether a date is a stated number of days, weeks, months or years away from a known date."""
        dates = {*self._stated.dates, self._today}
        years = {day[:4] for day in dates if _is_full(day)}
        if key.startswith("--"):
            return any(self._is_reckoned(f"{year}-{key[2:]}") for year in years)
        try:
            wanted = date.fromisoformat(key)
        except ValueError:
            return True
        if wanted.day == 1 or (wanted + timedelta(days=1)).day == 1:
            return True  # Terms run to the ends of months.
        counts = self._stated.counted
        for day in map(date.fromisoformat, filter(_is_full, dates)):
            between = (wanted - day).days
            is_soon = abs(between) <= 7 and day.isoformat() == self._today
            if is_soon or abs(between) in counts or (between % 7 == 0 and abs(between) // 7 in counts):
                return True
            months = (wanted.year - day.year) * 12 + wanted.month - day.month
            is_near = abs(wanted.day - day.day) <= 1 or wanted.day >= 28
            if is_near and (abs(months) in counts | {1, 12} or (months % 12 == 0 and abs(months) // 12 in counts)):
                return True
        return False

    def _is_step_of_times(self, key: str) -> bool:
        """Say whether a time is a stated number of minutes or hours from a known time, or the span between two."""
        minutes = _minutes(key)
        times = [*map(_minutes, self._stated.times), *([_minutes(now)] if (now := self._case.now[11:16]) else [])]
        counts = self._stated.counted | self._counts
        if any(re.search(rf"(?<!\d):{key[3:]}(?!\d)", text) for text in self._texts):
            return True  # A timetable gives the minutes of every hour, as `xx:51`.
        if key.endswith(":00") and not {int(key[:2]), int(key[:2]) % 12}.isdisjoint(counts):
            return True  # Whole hours are written as `20 h` or `8 pm`.
        if minutes in times or minutes in {abs(one - other) for one, other in combinations(times, 2)}:
            return True
        if len(times) > MOST_TERMS or float(minutes) in computed_from(frozenset(map(float, times))):
            return self._is_cited  # Lengths in minutes and seconds add up as times of a day do.
        steps = {abs(minutes - other) for other in times}
        return any(step in counts or (step % 60 == 0 and step // 60 in counts) for step in steps)


@lru_cache(maxsize=8)
def computed_from(numbers: frozenset[float]) -> frozenset[float]:
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


def decimals_of(number: str) -> int:
    """Return how many decimals a number is written with; a group of three digits is no decimals."""
    _, mark, rest = number.replace(",", ".").rpartition(".")
    return len(rest) if mark and len(rest) != 3 else 0


def _minutes(time: str) -> int:
    """Return the minutes from midnight to a time such as `09:30`."""
    return int(time[:2]) * 60 + int(time[3:])


def _is_full(day: str) -> bool:
    return len(day) == 10 and not day.startswith("-")


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
