"""Does arithmetic again that an answer spells out: `a op b = c`, `x of y, i.e. z %`, `from a to b, a loss of d`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Final

from gates.evidence import Evidence
from gates.rules import Inapplicable, Opinion
from gates.submission import OK, Case, Submission, quote
from gates.values import Value, folded_number, unit_of, values_in

_SIGNS: Final = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", ":": "/", "≈": "="})
_OF: Final = ("of", "out of", "von", "sur", "di", "van")
_THAT_IS: Final = ("i.e.", "that is", "=", "(", "das sind", "soit")
_CHANGES: Final = "loss gain drop fall rise increase decrease decline growth difference"
_LOSSES: Final = tuple(f"{word} of" for word in _CHANGES.split())


def spelled_results(answer: str) -> Iterator[tuple[Value, bool, str]]:
    """Yield each result of arithmetic in an answer, whether it is right, and the text of the arithmetic."""
    numbers = [value for value in values_in(answer) if value.kind == "number"]
    gaps = [_gap(answer, one, other) for one, other in pairwise(numbers)]
    for at, gap in enumerate(gaps):
        if gap.endswith("=") and (found := _expression(answer, numbers, gaps, at)):
            terms, form = found
            yield from _judged(answer, terms, numbers[at + 1], form)
        elif at + 2 < len(numbers) and numbers[at].unit in ("", numbers[at + 1].unit):
            one, other, result = numbers[at : at + 3]
            if gap in _OF and gaps[at + 1] in _THAT_IS and result.unit == "%":
                yield from _judged(answer, [one, other], result, "100*{}/{}")
            elif gap in ("to", "auf") and _is_after_from(answer, one) and gaps[at + 1].removeprefix("a ") in _LOSSES:
                yield from _judged(answer, [one, other], result, "{1}-{0}", "100*({1}-{0})/{0}")


def _gap(answer: str, one: Value, other: Value) -> str:
    """Return what stands between two numbers without the unit of the first: signs of operators, or words."""
    text = answer[one.end : other.start].casefold().translate(_SIGNS)
    if len(text) > 40 or "\n" in text or (text[:1].isalpha() and not one.unit):
        return "?"  # `2x + 3 = 11`
    words = [
        word for word in text.replace("=", " = ").split() if not (one.unit and unit_of(word.strip("().,-")) == one.unit)
    ]
    bare = "".join(words) if all(word.strip("+-*/x()=$€£") == "" for word in words) else " ".join(words)
    return bare.strip("$€£ ,;").replace("x", "*") if " " not in bare and len(bare) < 6 else bare.strip(" ,;")


def _expression(answer: str, numbers: Sequence[Value], gaps: Sequence[str], at: int) -> tuple[list[Value], str] | None:
    """Return the numbers of the expression before an equals sign, and its form with a place for each."""
    first, form = at, "{}" + gaps[at].rstrip("=")
    while first > 0 and at - first < 12 and gaps[first - 1] and not gaps[first - 1].strip("+-*/()"):
        first -= 1
        form = "{}" + gaps[first] + form
    opened = form.count(")") - form.count("(")
    is_balanced = opened >= 0 and answer[max(numbers[first].start - opened, 0) : numbers[first].start] == "(" * opened
    terms = list(numbers[first : at + 1])
    units = {one.unit for one in (*terms, numbers[at + 1])} - {"", "%"}
    return (terms, "(" * opened + form) if first < at and is_balanced and len(units) < 2 else None


def _is_after_from(answer: str, value: Value) -> bool:
    return bool({"from", "von"} & {*answer[max(value.start - 12, 0) : value.start].casefold().split()[-2:]})


def _judged(answer: str, terms: Sequence[Value], result: Value, *forms: str) -> Iterator[tuple[Value, bool, str]]:
    """Yield a result with whether some reading of its terms gives it by one of the forms, up to its rounding."""
    readings = [one.amounts for one in terms]
    is_open = sum(len(one) > 1 for one in readings) <= 4
    choices = product(*readings) if is_open else [[each[0] for each in readings]]
    told = [number for choice in choices for form in forms if (number := _reckoned(form, choice)) is not None]
    factors = (1.0, 0.01, 100.0) if any(one.unit == "%" for one in (*terms, result)) else (1.0,)
    wanted = [(amount * by, result.step * by) for amount in result.amounts for by in factors]
    is_right = any(abs(one - amount) <= 0.501 * max(step, 1e-9 * amount) for one in told for amount, step in wanted)
    if told:
        yield result, is_right, answer[terms[0].start : result.end]


def _reckoned(form: str, amounts: Sequence[float]) -> float | None:
    try:
        number = folded_number(ast.parse(form.format(*map(repr, amounts)), mode="eval").body)
    except SyntaxError:
        return None
    return None if number is None else abs(number)


def ask_arithmetic(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to arithmetic of an OK answer that gives another result when it is done again."""
    if submission.outcome != OK:
        return Inapplicable("the trial refuses")
    wrong = [text for _, is_right, text in spelled_results(submission.answer_text) if not is_right]
    return [f"{quote(text)} does not come out: compute it in a script, and print it." for text in wrong]
