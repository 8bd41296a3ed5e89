"""What becomes of a conclusion that the exit sent back: it follows what an objection asks for, and else gives way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from benchmarks.ecom.player.conclusions import (
    CLARIFICATION,
    DENIED,
    OK,
    UNSUPPORTED,
    Conclusion,
    ask_which_product,
)
from benchmarks.ecom.player.customer_phrases import products_like
from benchmarks.ecom.player.knowledge import Knowledge, NotStated
from benchmarks.ecom.player.read_policies import yes_or_no

MAX_OBJECTIONS: Final = 2
"""After more objections than this the player drops its claim."""
MAX_ATTEMPTS: Final = 4
"""After more objections than this it has no other answer left."""
SENTENCE: Final = re.compile(r"(?<![^.;:\n)])[^.;:\n]*\b(?:cite|add)\b[^\n]*|\(read: /[^,)\n]+\)")
"""It begins where a sentence can: looked for from every letter on, it would take quadratic time."""
PATH: Final = re.compile(r"/[^,\n`'\"()]*?\.(?:json|md|MD|txt|tsv|csv)(?![\w])")
REFUSED: Final = re.compile(r"do not bear out (OUTCOME_[A-Z_]+)")
ADVISED: Final = re.compile(r"(?:with|is|answer|and answer) (OUTCOME_[A-Z_]+)")
NEEDLESS: Final = re.compile(r"does not rest on ([^:]+):")
WITHOUT_CANDIDATES: Final = "A question back is for"
NOT_FOR_THIS: Final = {WITHOUT_CANDIDATES: CLARIFICATION, "is for actions": UNSUPPORTED}
"""Words of objections that rule out an outcome."""
OTHER_VALUE: Final = "does not state what"
ABOUT_RIGHTS: Final = re.compile(r"\b(?:roles?|identity|signed in)\b")


class NoAnswerLeft(Exception):
    """Every answer that the rules know was sent back."""


def give_up(known: Knowledge, why: str) -> Conclusion:
    """Return the answer of somebody who cannot do what was asked."""
    return Conclusion(f"This cannot be done here: {why}.", UNSUPPORTED, known.cite("agents"))


def answer_objections(conclusion: Conclusion, objections: Sequence[str], known: Knowledge) -> Conclusion:
    """Return the conclusion without what was objected to, and with what was asked for.

    Citations come and go at first. Once the outcome is refused, or objections go on, another outcome is tried that no
    objection has refused yet; a question back that named nothing names the products that are nearest. Raises
    `LookupNeeded` for a file to be cited, and `NoAnswerLeft` in the end.
    """
    if not objections:
        return conclusion
    if len(objections) > MAX_ATTEMPTS:
        msg = f"the rules know no other answer after {len(objections)} objections"
        raise NoAnswerLeft(msg)
    said = "\n".join(objections)
    wanted = [path for each in SENTENCE.findall(said) for path in PATH.findall(each)]
    asked = [path for path in dict.fromkeys(wanted) if wanted.count(path) == said.count(path)]
    added = {path: known.reason_for(path) for path in asked if known.text(path) is not None}
    refused = {*REFUSED.findall(said), *(outcome for words, outcome in NOT_FOR_THIS.items() if words in said)}
    other = _other_word(conclusion, known)
    if conclusion.outcome not in refused and len(objections) <= MAX_OBJECTIONS * (2 if other else 1):
        needless = {name for each in NEEDLESS.findall(said) for name in each.split(", ")}
        kept = {path: reason for path, reason in conclusion.citations.items() if path not in said} | added
        kept = {path: kept[path] for path in kept if path.rsplit("/", 1)[1].removesuffix(".json") not in needless}
        is_other = bool(said.count(OTHER_VALUE) % 2) or len(objections) > MAX_OBJECTIONS
        message = other if is_other and other else conclusion.message
        return replace(conclusion, message=message, citations=kept or known.cite("agents"), tokens=())
    if WITHOUT_CANDIDATES in objections[-1] and said.count(WITHOUT_CANDIDATES) == 1:
        candidates = products_like(known, known.instruction)[:2]
        if len(candidates) == 2:
            return ask_which_product(known, candidates)
    outcome = _other_outcome(objections, refused)
    bare = known.cite("security" if outcome == DENIED else "agents")
    message = f"This could not be settled beyond doubt: {conclusion.message}"
    return replace(conclusion, message=message, outcome=outcome, citations={**bare, **added}, tokens=(), proof=None)


def _other_word(conclusion: Conclusion, known: Knowledge) -> str:
    """Return the workspace's other word for yes or no if the message is one of them, else an empty string."""
    try:
        words = [yes_or_no(known, True), yes_or_no(known, False)]
    except NotStated:
        return ""
    return words[1 - words.index(conclusion.message)] if conclusion.message in words else ""


def _other_outcome(objections: Sequence[str], refused: set[str]) -> str:
    """Return what the last objection advises, or else one that was not refused; they take turns if all were."""
    advised = [each for each in ADVISED.findall(objections[-1]) if each not in refused and each != OK]
    order = (DENIED, UNSUPPORTED, CLARIFICATION)
    if not ABOUT_RIGHTS.search(objections[-1]):
        order = (UNSUPPORTED, CLARIFICATION, DENIED)
    left = [each for each in order if each not in refused] or list(order)
    return advised[-1] if advised else left[max(len(objections) - MAX_OBJECTIONS - 1, 0) % len(left)]
