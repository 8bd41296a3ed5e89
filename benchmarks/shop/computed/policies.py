"""Reads conditions and figures from policy documents, in whatever sentence they stand.

A condition is a name marked as code near the word that it is a condition of; a figure is a number with its unit.
Everything raises `DoesNotApply` where the document leaves a doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from gates.facts import compound_stem
from gates.reading import DoesNotApply

T = TypeVar("T")
_SENTENCE: Final = re.compile(r"(?<=[.;!?])\s+(?=\S)|(?<!EUR)(?<!€)\s+(?:[-*]|\d{1,2}\.)\s+")
_CODE: Final = re.compile(r"`([A-Za-z]\w*)`")
_HELD: Final = re.compile(
    r"\b(?:staff|employees?|whoever|who) (?:holding|holds?|has|have) `([A-Za-z]\w*)`|"
    r"`([A-Za-z]\w*)` (?:has to|must) be among [^`]{0,40}\broles\b",
    re.IGNORECASE,
)
"""A role of which a policy says that somebody holds it."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_NEXT_WORD: Final = re.compile(r" ([^\W\d_]+)")
_PERCENT: Final = re.compile(r"(?<![\w.,])(\d{1,3}) ?(?:%|per ?cent\b)", re.IGNORECASE)
_EUROS: Final = re.compile(r"(?:\bEUR|€) ?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d\d))?(?![\d,.]*\d)")
_BELOW: Final = re.compile(r"\b(?:below|under|less|up to|until|at most)\b", re.IGNORECASE)

_BELOW_THAT: Final = re.compile(r"[,:] (?:and )?(?:below|under|less)(?: (?:that|it|this))?(?: it is)? $", re.IGNORECASE)
"""Words that lead to the next percentage, and say nothing of the one before."""


@dataclass(frozen=True, slots=True)
class Tiers:
    """The largest percentage by a basket's subtotal."""

    below: int
    above: int
    threshold_cents: int

    def most_for(self, subtotal_cents: int) -> int:
        """Return the percentage that applies."""
        return self.above if subtotal_cents >= self.threshold_cents else self.below


def sentences_of(text: str) -> list[str]:
    """Return the sentences and list entries of a document with single spaces."""
    return [each for each in _SENTENCE.split(text) if each]


def codes_behind(text: str, word: str) -> Iterator[str]:
    """Yield the name marked as code that first follows each mention of a word in its sentence, whatever its ending."""
    wanted = compound_stem(word)
    for sentence in sentences_of(text):
        for found in _WORD.finditer(_blanked(sentence)):
            code = _CODE.search(sentence, found.end())
            if code and compound_stem(found[0]) == wanted:
                yield code[1]


def role_in(text: str) -> str:
    """Return the one role that a policy names. Raises `DoesNotApply` for none or several."""
    held: set[str] = {first or second for each in sentences_of(text) for first, second in _HELD.findall(each)}
    return _only({*codes_behind(text, "role"), *held}, "the role that the policy asks for")


def codes_beside(text: str, word: str) -> frozenset[str]:
    """Return all names marked as code in the sentences that mention a word."""
    wanted = compound_stem(word)
    return frozenset(
        code
        for sentence in sentences_of(text)
        if any(compound_stem(each) == wanted for each in _WORD.findall(_blanked(sentence)))
        for code in _CODE.findall(sentence)
    )


def tiers_in(text: str) -> Tiers:
    """Return the two percentages of a policy, and the amount in euros that parts them.

    They stand together, and whatever grows with the amount. Raises `DoesNotApply` for anything else.
    """
    found = [tiers for each in sentences_of(text) if (tiers := _tiers(each)) is not None]
    joined = [] if found else sentences_of(text.replace(";", ","))
    found.extend(tiers for each in joined if (tiers := _tiers(each)) is not None)
    return _only(set(found), "the percentages of the policy")


def _tiers(sentence: str) -> Tiers | None:
    percents = [(int(each[1]), each) for each in _PERCENT.finditer(sentence)]
    amounts = {100 * int(whole.replace(",", "")) + int(cents or 0) for whole, cents in _EUROS.findall(sentence)}
    if len(percents) != 2 or len(amounts) != 1 or percents[0][0] == percents[1][0]:
        return None
    largest = max(percents, key=lambda each: each[0])[1]
    other = min(percents, key=lambda each: each[0])[1]
    end = other.start() if other.start() > largest.start() else len(sentence)
    if _BELOW.search(_BELOW_THAT.sub("", sentence[largest.end() : end])):
        return None
    return Tiers(int(other[1]), int(largest[1]), amounts.pop())


def states_before(text: str, tool: str, nouns: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return, by what a tool is told to do, the states that records must have for it, one for each of `nouns`.

    The states stand in the sentence of the command: "a return with the status `approved`: `/bin/refund approve <id>`".
    Steps of which a state is missing or doubtful are left out.
    """
    command = re.compile(rf"`{re.escape(tool)} ([\w-]+) <[^`]*`")
    found: dict[str, tuple[str, ...]] = {}
    for sentence in (_HELD.sub(" ", each) for each in sentences_of(text)):
        commands = list(command.finditer(sentence))
        if len(commands) == 1:
            start, end = commands[0].span()
            for part in (sentence[:start], sentence[end:]):
                states = tuple(_state_of(part, noun, nouns) for noun in nouns)
                if all(states) and commands[0][1] not in found:
                    found[commands[0][1]] = states
    return found


def _state_of(part: str, noun: str, nouns: tuple[str, ...]) -> str:
    """Return the one name marked as code that `noun` follows, or is the last of the nouns before, else nothing."""
    stems = {compound_stem(each): each for each in nouns}
    held = set()
    for code in _CODE.finditer(part):
        words = map(compound_stem, _WORD.findall(_blanked(part[: code.start()])))
        before = [stems[each] for each in words if each in stems]
        behind = _NEXT_WORD.match(part, code.end())
        if behind and compound_stem(behind[1]) in stems:
            before.append(stems[compound_stem(behind[1])])
        if before and before[-1] == noun:
            held.add(code[1])
    return held.pop() if len(held) == 1 else ""


def _blanked(sentence: str) -> str:
    """Return a sentence with what is marked as code blanked out, every other character in its place."""
    return re.sub(r"`[^`]*`", lambda found: " " * len(found[0]), sentence)


def _only(found: set[T], what: str) -> T:
    if len(found) != 1:
        msg = f"{what}: not certain"
        raise DoesNotApply(msg)
    return found.pop()
