"""What a count of SKUs by their units may ask for, where not all words of its condition are understood.

Its figures, directions and contrasts leave few readings open; a right answer fits one of them. Of two conditions on one
figure only one says more than either: what one measure reaches, and the smaller one does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from benchmarks.shop.computed.stock import AVAILABLE, DAYS, FIGURE, INCOMING, ON_HAND, Bound, condition_of
from gates.reading import DoesNotApply

_COUNTS_SKUS: Final = re.compile(r"\bhow many of (?:these|those|them|the following|the listed)\b", re.IGNORECASE)
_UPWARDS: Final = re.compile(r"\b(?:at least|or more|minimum|(?:no|not) fewer than|no less than)\b", re.IGNORECASE)
_DOWNWARDS: Final = re.compile(r"\b(?:fewer|less|below|under)\b", re.IGNORECASE)
_NEGATION: Final = re.compile(r"\b(?:no|not|none|never|nothing|without|cannot|unavailab\w*)\b|n't\b", re.IGNORECASE)
_TODAY: Final = re.compile(r"\b(?:today|now|availab\w*)\b", re.IGNORECASE)
_OF_TODAY: Final = re.compile(r"\btoday\b", re.IGNORECASE)
_CONTRAST: Final = re.compile(r"\b(?:but|yet|although|though|however|while|whereas)\b", re.IGNORECASE)
_ANOTHER_FORM: Final = re.compile(
    r"\b(?:exactly|only|just|more than|over|above|exceed\w*|between|up to|most|maximum|equal\w*|same|except|unless"
    r"|exclud\w*|ignor\w*|reserv\w*|apart|besides?|both|either|neither|nor|each|tomorrow|yesterday|weeks?|hours?|months?"
    r"|price\w*|cost\w*|EUR|euros?|hundreds?|dozens?|pairs?|couple|two|three|four|five|six|seven|eight|nine|ten|half"
    r"|twice|double|sums?|total\w*|together|left|leave|remain\w*|still|after|before|until|units of)\b"
    r"|\bor\b(?! more\b)|[€%<>=≥≤]",
    re.IGNORECASE,
)
"""Words of conditions that are none of the readings below; they excuse."""

Reading = tuple[Bound, ...]
"""Conditions every one of which must hold."""


@dataclass(frozen=True, slots=True)
class _Figures:
    """What a condition counts up to, and which way it looks from there."""

    units: int
    days: int
    """Within how many days, 0 for today."""
    are_given: bool
    """Whether the number of units stands in the text; else it is about any unit at all."""
    up: bool = False
    down: bool = False
    negation: bool = False
    contrast: bool = False
    today: bool = False
    """Whether it speaks of today, or of what is available."""

    @property
    def are_opposed(self) -> bool:
        """Whether one measure reaches the number, and another one certainly does not."""
        of_two_days = self.days > 0 and self.today and self.contrast and self.are_given
        return (self.up and self.down) or (of_two_days and (self.down or self.negation))

    @property
    def are_reached(self) -> bool | None:
        """Whether the number must be reached; None if that is not certain."""
        if self.contrast or (self.up and self.negation) or not (self.up or self.down or self.negation):
            return None
        return self.up


def readings_of(instruction: str) -> list[Reading]:
    """Return every condition that a question which counts listed SKUs by their units may mean.

    Raises `DoesNotApply` for a question that may mean others.
    """
    text = condition_of(instruction)
    if _ANOTHER_FORM.search(text) or not _COUNTS_SKUS.search(text):
        msg = "the form of the condition is not certain"
        raise DoesNotApply(msg)
    figures = _figures_in(text)
    if not (figures.days or figures.today or ON_HAND.search(text)):
        msg = "the day of the condition is not certain"
        raise DoesNotApply(msg)
    units, days = figures.units, figures.days
    least = Bound("within", units, is_least=True, days=days) if days else Bound("on hand", units, is_least=True)
    opposed = (least, Bound("available", units, is_least=False))
    if figures.are_opposed:
        return [opposed]
    measures: tuple[str, ...] = ("within", "arriving") if days else ("available", "on hand")
    if AVAILABLE.search(text) and not days and not ON_HAND.search(text):
        measures = ("available",)
    return [opposed, *(reading for name in measures for reading in _one_sided(name, figures))]


def any_readings_of(instruction: str) -> list[Reading]:
    """Return every condition that one number of units, and of days, can make of the measures of stock.

    Raises `DoesNotApply` for a question with other figures, or in words of none of these conditions.
    """
    text = condition_of(instruction)
    days, units = set(DAYS.findall(text)), set(FIGURE.findall(DAYS.sub(" ", text)))
    is_dated = bool(days) or _OF_TODAY.search(text) is not None
    if len(units) > 1 or len(days) > 1 or "0" in units | days or not is_dated or _ANOTHER_FORM.search(text):
        msg = "the figures or the day of the condition are not certain"
        raise DoesNotApply(msg)
    within = int(next(iter(days), 0))
    figures = _Figures(int(next(iter(units), 1)), within, are_given=True)
    measures = ("available", "on hand", *(("within", "arriving") if days else ()))
    sides = {each: _one_sided(each, figures) for each in measures}
    opposed = [(*sides[one][0], *sides[other][1]) for one in measures for other in measures if one != other]
    return [*opposed, *(reading for each in measures for reading in sides[each])]


def _figures_in(text: str) -> _Figures:
    days = {int(each) for each in DAYS.findall(text)}
    units = {int(each) for each in FIGURE.findall(DAYS.sub(" ", text))}
    if len(units) > 1 or len(days) > 1 or 0 in units | days or (INCOMING.search(text) is None) != (not days):
        msg = "the figures of the condition are not certain"
        raise DoesNotApply(msg)
    plain = _UPWARDS.sub(" ", text)
    return _Figures(
        units=next(iter(units), 1),
        days=next(iter(days), 0),
        are_given=bool(units),
        up=plain != text,
        down=_DOWNWARDS.search(plain) is not None,
        negation=_NEGATION.search(plain) is not None,
        contrast=_CONTRAST.search(plain) is not None,
        today=_TODAY.search(plain) is not None,
    )


def _one_sided(name: str, figures: _Figures) -> list[Reading]:
    """Return the readings that bound one measure; without a known direction, all that there are."""
    units, days = figures.units, figures.days
    enough: Reading = (Bound(name, units, is_least=True, days=days),)
    too_few: Reading = (Bound(name, units, is_least=False, days=days),)
    if figures.are_reached is not None:
        return [enough] if figures.are_reached else [too_few]
    if not figures.are_given:
        return [enough, too_few]
    more: Reading = (Bound(name, units + 1, is_least=True, days=days),)
    no_more: Reading = (Bound(name, units + 1, is_least=False, days=days),)
    return [enough, too_few, more, no_more, (*enough, *no_more)]
