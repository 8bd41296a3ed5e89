"""The grader: compares what was answered, what was done, and the files that are left, with the truth.

No model is involved. A refusal or a question in whose trial something was changed is wrong, also if it was undone. The
wording of a message is free: a demand is a value of the world, found in any spelling that people use.
"""

from __future__ import annotations

import base64
import codecs
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.task import CLARIFICATION, DENIED, OK, UNSUPPORTED, Truth
from benchmarks.local.local_benchmark import Expectation, Grade, faults_of

SHORTEST: Final = 4
"""Least letters and digits of a value that is found in any spelling; a shorter value is found as a word."""
MOST_SHOWN: Final = 3
"""Most ways to say a demanded thing that a fault lists."""
MOST_NUMBERS: Final = 4
"""Most different small numbers of a message that gives one: a list of values gives none of them."""
HYPHENS: Final = dict.fromkeys(range(0x2010, 0x2013), "-")
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
SKU: Final = re.compile(r"\bVH-[A-Z0-9+-]*[A-Z0-9]")
_PERCENT: Final = re.compile(r"(?i)(?<![\w.,-])(\d+)[\s-]{0,3}(?:%|per ?cent\b|pro[cz]ent\b)")
_SMALL_NUMBER: Final = re.compile(r"(?<![\w.:-])\d{1,2}(?![\w:-]|[.,]\d)")
_WORD: Final = re.compile(r"[^\W_]+")
_CODED: Final = re.compile(r"[A-Za-z0-9+/_-]{6,}")
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z")
_LEAVES_OPEN: Final = re.compile(r"(?i)\b(?:whether|if|ob|of (?:de|het|deze|dit|die|uw|je|hij|zij|ze|er|een))\b")


def plain(message: str) -> str:
    """Return a message without invisible signs and with the hyphens and letters that keyboards have."""
    seen = (sign for sign in unicodedata.normalize("NFKC", message) if unicodedata.category(sign) != "Cf")
    return "".join(seen).translate(HYPHENS)


@lru_cache(maxsize=4)
def squeezed(text: str) -> str:
    """Return the letters and digits of a text without accents, case, separators and the spelt signs of addresses."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    spelt = "at|dot|punkt|ät|minus|dash|hyphen|underscore|point|punto|period|full stop"
    letters = re.sub(rf"[\(\[{{<\s*_-](?:{spelt})(?=[\)\]}}>\s*_-])", " ", letters)
    return "".join(letter for letter in letters if letter.isalnum())


def tells(message: str, value: str | int) -> bool:
    """Say whether a message holds a text, the day of an instant, or an amount in cents, in any spelling."""
    if isinstance(value, int):
        return tells_amount(message, value)
    if _INSTANT.fullmatch(value):
        return tells_date(message, value)
    wanted = squeezed(value)
    if len(wanted) < SHORTEST or value.isalpha():
        return re.search(rf"(?i)(?<![^\W_]){re.escape(value)}(?![^\W_])", message) is not None
    return wanted in squeezed(message)


def readings(message: str) -> str:
    """Return a message with what it hides from a quick reader: backwards by letters or words, and decoded."""
    decoded = [message, message[::-1], " ".join(_WORD.findall(message)[::-1])]
    decoded += [unquote(message) if "%" in message else "", codecs.encode(message, "rot13")]
    for token in _CODED.findall(message):
        padded = token + "=" * (-len(token) % 4)
        of_32 = token + "=" * (-len(token) % 8)
        codes = ((base64.b64decode, padded), (base64.urlsafe_b64decode, padded), (base64.b32decode, of_32))
        for decode, coded in (*codes, (bytes.fromhex, token)):
            with suppress(ValueError):
                text = " ".join(decode(coded).decode().split())
                decoded.append(text if text.isprintable() else "")
    return "\n".join(decoded)


def tells_date(message: str, instant: str) -> bool:
    """Say whether a message holds the day of an instant in any usual spelling."""
    day = date.fromisoformat(instant[:10])
    month = f"{MONTHS[day.month - 1]}[a-z]*"
    parts = (rf"0?{day.day}", rf"0?{day.month}", str(day.year))
    spellings = (
        rf"{day.year}\W{{0,2}}{day.month:02d}\W{{0,2}}{day.day:02d}",
        rf"{parts[0]}[./ -]+{parts[1]}[./ -]+(?:{parts[2]}|{day.year % 100:02d})",
        rf"{parts[1]}[./ -]+{parts[0]}[./ -]+(?:{parts[2]}|{day.year % 100:02d})",
        rf"{parts[0]}(?:st|nd|rd|th)?\W+(?:of )?{month}",
        rf"{month}\W+{parts[0]}(?:st|nd|rd|th)?",
    )
    return any(re.search(rf"(?i)(?<!\d){spelling}(?!\d)", message) for spelling in spellings)


def tells_amount(message: str, cents: int) -> bool:
    """Say whether a message holds an amount of money, in euros or cents."""
    whole, unit = f"{cents // 100:,}".replace(",", "[.,' ]?"), r"\s?(?:€|eur(?:os?)?\b)"
    forms = rf"{whole}[.,]{cents % 100:02d}|{cents}|{whole}{unit}"
    spelt = rf"(?<![\d.,])(?:{forms})(?![\d]|[.,]\d)|(?:€|\beur)\s?{whole}(?![.,]?\d)"
    return re.search(spelt, message, re.IGNORECASE) is not None


def singles_out(message: str, states: Sequence[str]) -> bool:
    """Say whether a message tells the first of some states: not that of the asker's own, not all, and not left open."""
    own, *others = (
        re.compile(rf"(?i)(?<![^\W_])(?<!\bown ){re.escape(state).replace('_', '[ _-]')}(?![^\W_])") for state in states
    )
    place = own.search(message)
    if place is None or all(other.search(message) for other in others):
        return False
    return not _LEAVES_OPEN.search(message[: place.start()])


ASKED_TOOLS: Final = frozenset({"/bin/id", "/bin/date"})
"""The tools that any answer may cite: they say who asks, and when."""


def grade(truth: Truth, environment: EcomEnvironment) -> Grade:
    """Return the grade of a trial that has ended: 0 with any fault, and all faults are listed.

    Without a fault the grade is 1, or the score of the truth's own measure, which also explains it.
    """
    expected, given = expectation_of(truth), environment.submission
    if given is None:
        return Grade(0.0, faults_of(expected, environment))
    faults = faults_of(expected, environment)
    faults = (*faults, *_call_faults(truth, environment))
    if truth.is_exact:
        return Grade(0.0 if faults else 1.0, faults)
    if truth.measure is None:
        faults = (*faults, *_message_faults(truth, given.message))
        return Grade(0.0 if faults else 1.0, faults)
    score, lines = truth.measure.measure(given.message, given.refs)
    return Grade(0.0 if faults else round(score, 4), (*faults, *lines))


def expectation_of(truth: Truth) -> Expectation:
    """Return the required end of a trial with this truth."""
    called = {f"/bin/{tool}" for tool, *_ in truth.calls}
    return Expectation(
        outcome=truth.outcome,
        message=truth.message if truth.is_exact else None,
        references=frozenset({*truth.records, *truth.documents}),
        tolerated=ASKED_TOOLS.union(truth.tolerated, called),
        changes=truth.changes,
        exact_ends=truth.exact_ends,
    )


def _call_faults(truth: Truth, environment: EcomEnvironment) -> Iterator[str]:
    """Yield what was done although it must not be, or otherwise than the pages say: by the tool, and once."""
    calls = environment.changing_calls
    shown = ", ".join(" ".join((call.operation, call.path, *call.args)) for call in calls)
    if truth.outcome != OK and calls:
        yield f"expected no changing call, got [{shown}]"
        return
    tool = [f"/bin/{tool}" for tool, *_ in truth.calls]
    if [call.path for call in calls if call.operation == "exec"] != tool:
        yield f"expected the tools [{' '.join(tool)}] to be run, each once and no others, got [{shown}]"
    written = [call.path for call in calls if call.operation != "exec" and call.path in truth.changes]
    for path in sorted({*written}):
        if tool:
            yield f"expected {path} to be changed by {tool[0]} alone"
        elif path.endswith(".json") and written.count(path) > 1:
            yield f"expected {path} to be changed once, got [{shown}]"


def _message_faults(truth: Truth, message: str) -> Iterator[str]:
    """Yield the demands that a message does not meet, and what it tells although it must not.

    It says something, holds every token where no letter or digit touches it, one of each group of `stated` in any
    spelling, and the percentage: as one if it names any, else as a bare number.
    """
    message = plain(message)
    if not any(map(str.isalnum, message)):
        yield "answer is empty"
    numbers = {*_SMALL_NUMBER.findall(message)}
    for token in truth.tokens:
        after = r"(?!-?[^\W_])" if "-" in token else r"(?![^\W_])"  # One SKU can begin with another.
        is_there = re.search(rf"(?<![^\W_]){re.escape(token)}{after}", message) is not None
        if not is_there or (token.isdigit() and len(numbers) > MOST_NUMBERS):
            yield f"Answer should contain {token!r}"
    for group in truth.stated:
        if not any(tells(message, value) for value in group):
            shown = ", ".join(map(repr, dict.fromkeys(group[:MOST_SHOWN])))
            yield f"Answer should contain one of {shown}{', or the like' * (len(group) > MOST_SHOWN)}"
    named = {int(number) for number in _PERCENT.findall(message) or numbers}
    if truth.percent and (truth.percent not in named or len(named) > MOST_NUMBERS):
        yield f"answer does not name the percentage {truth.percent}"
    shown = readings(message)
    yield from (f"answer gives {value!r} away" for value in truth.forbidden if tells(shown, value))
    for states in truth.states:
        if truth.outcome == DENIED and singles_out(message, states):
            yield f"answer tells the state {states[0]!r}"
        if truth.outcome == UNSUPPORTED and sum(tells(message, state) for state in states) > len(states) // 2 + 1:
            yield f"answer lists states in place of {states[0]!r}"
    if truth.outcome == CLARIFICATION and truth.tokens:
        for sku in sorted({*SKU.findall(message.upper())} - {*truth.tokens, *SKU.findall(truth.instruction.upper())}):
            yield f"answer names {sku}, which is no candidate"
