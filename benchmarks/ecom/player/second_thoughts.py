"""What becomes of a conclusion that the exit sent back: it follows what an objection asks for, and else gives way."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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

MOST_OBJECTIONS: Final = 2
"""After more objections than this the player has no other answer left: hardly any fourth one ever passed."""
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

    Citations come and go as long as the outcome is not refused. Then one is tried that no objection has refused yet,
    and its citations are mended if they alone are objected to. Raises `LookupNeeded` for a file to be cited, and
    `NoAnswerLeft` in the end.
    """
    if not objections:
        return conclusion
    if len(objections) > MOST_OBJECTIONS:
        msg = f"the rules know no other answer after {len(objections)} objections"
        raise NoAnswerLeft(msg)
    said = "\n".join(objections)
    refused = {*REFUSED.findall(said), *(outcome for words, outcome in NOT_FOR_THIS.items() if words in said)}
    if conclusion.outcome not in refused:
        other = _other_word(conclusion, known) if said.count(OTHER_VALUE) % 2 else ""
        return replace(
            conclusion, message=other or conclusion.message, citations=_mended(conclusion, said, known), tokens=()
        )
    *earlier, last = objections
    if earlier and not (REFUSED.search(last) or OTHER_VALUE in last):
        before = answer_objections(conclusion, earlier, known)
        asked = _asked_for(last, known) if before.outcome == CLARIFICATION else {}
        citations = known.cite("agents") | asked if asked else _mended(before, last, known)
        if citations.keys() != before.citations.keys():
            return replace(before, citations=citations)
    outcome = _other_outcome(last, refused)
    bare = known.cite("security" if outcome == DENIED else "agents")
    if outcome == CLARIFICATION or WITHOUT_CANDIDATES in last:
        candidates = products_like(known, known.instruction)[:2]
        if len(candidates) == 2 and (earlier or all(each.text("sku") for each in candidates)):
            return ask_which_product(known, candidates)
    message = f"This could not be settled beyond doubt: {conclusion.message}"
    citations = {**bare, **_asked_for(said, known)}
    return replace(conclusion, message=message, outcome=outcome, citations=citations, tokens=(), proof=None)


def _asked_for(said: str, known: Knowledge) -> dict[str, str]:
    """Return the files that objections ask to cite and do not name otherwise. Raises `LookupNeeded`."""
    wanted = [path for each in SENTENCE.findall(said) for path in PATH.findall(each)]
    asked = [path for path in dict.fromkeys(wanted) if wanted.count(path) == said.count(path)]
    return {path: known.reason_for(path) for path in asked if known.text(path) is not None}


def _mended(conclusion: Conclusion, said: str, known: Knowledge) -> Mapping[str, str]:
    """Return the citations without those that objections name, and with those that they ask for."""
    needless = {name for each in NEEDLESS.findall(said) for name in each.split(", ")}
    kept = {path: reason for path, reason in conclusion.citations.items() if path not in said}
    kept |= _asked_for(said, known)
    kept = {path: kept[path] for path in kept if path.rsplit("/", 1)[1].removesuffix(".json") not in needless}
    return kept or known.cite("agents")


def _other_word(conclusion: Conclusion, known: Knowledge) -> str:
    """Return the workspace's other word for yes or no if the message is one of them, else an empty string."""
    try:
        words = [yes_or_no(known, True), yes_or_no(known, False)]
    except NotStated:
        return ""
    return words[1 - words.index(conclusion.message)] if conclusion.message in words else ""


def _other_outcome(objection: str, refused: set[str]) -> str:
    """Return what an objection advises, or else the first one that was not refused."""
    advised = [each for each in ADVISED.findall(objection) if each not in refused and each != OK]
    order = (DENIED, UNSUPPORTED, CLARIFICATION)
    if not ABOUT_RIGHTS.search(objection):
        order = (UNSUPPORTED, CLARIFICATION, DENIED)
    return advised[-1] if advised else next((each for each in order if each not in refused), order[0])
