"""The answer contract: the form that an instruction and the workspace's rules fix for an OK answer.

Patterns derive it, without a model, and leave out what is uncertain: a missed demand costs nothing, a wrong one holds
up a right answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final

from gates.language import format_clauses
from gates.language.answer_forms import CUE, clauses_of_frame
from gates.language.answer_frames import frames_of
from gates.language.format_clauses import Clause
from gates.language.literal_forms import alone
from gates.language.rules_clauses import rules_clauses
from gates.language.sentences import own_words, sentences_of
from gates.language.text_normalization import normalize_text
from gates.language.yes_no import yes_no_clause
from gates.types.plain_data import quote

MAX_CHARS: Final = 50_000
"""How many characters of the instruction, and of the rules, are searched."""
_MAX_CLAUSES: Final = 20
_MAX_SENTENCES: Final = 25
"""How many sentences that may demand a form are read."""


@dataclass(frozen=True, slots=True)
class Contract:
    """All demands that could be derived with certainty."""

    clauses: tuple[Clause, ...]
    conflict: str = ""
    """Why the demands contradict each other, so that none is enforced; empty if they agree."""

    @property
    def is_enforced(self) -> bool:
        """Whether there are demands, and no conflict between them."""
        return bool(self.clauses) and not self.conflict

    @property
    def fixes_whole_answer(self) -> bool:
        """Whether the contract leaves no room for further words."""
        return any(clause.fixes_whole_answer for clause in self.clauses)

    def breach(self, answer: str) -> str:
        """Return the fix-it text of all demands that `answer` breaks, or an empty string."""
        broken = [clause.demand for clause in self.clauses if not clause.accepts(answer)]
        if not broken:
            return ""
        return (
            f"The answer {quote(answer)} is not {', and not '.join(broken)}, which is the form that is asked for: "
            "submit that."
        )


@lru_cache(maxsize=256)
def derive_contract(instruction: str, rules: str) -> Contract:
    """Return the contract that `instruction` and the workspace's `rules` fix for an OK answer."""
    text = own_words(normalize_text(instruction[:MAX_CHARS]))
    found = [*islice(_block_clauses(text), _MAX_CLAUSES), *islice(_sentence_clauses(text), _MAX_CLAUSES)]
    found = _without_vaguer_demands(found)
    found += rules_clauses(text, rules[:MAX_CHARS])
    if (yes_no := yes_no_clause(text, rules[:MAX_CHARS])) is not None:
        found.append(yes_no)
    distinct = tuple({(clause.kind, clause.demand): clause for clause in reversed(found[:_MAX_CLAUSES])}.values())[::-1]
    return Contract(distinct, _conflict_of(distinct))


def _without_vaguer_demands(found: list[Clause]) -> list[Clause]:
    """Return the demands without "one value alone" where another one gives that value's form, or asks for several."""
    if any(clause.kind in ("paths", "lines") for clause in found):
        found = [clause for clause in found if clause.kind != "value"]
    if not any(clause.kind in ("value", "line") for clause in found):
        return found
    found = [alone(clause) if clause.kind == "date" else clause for clause in found]
    if any(clause.kind in ("template", "date", "amount") and clause.fixes_whole_answer for clause in found):
        return [clause for clause in found if clause.kind not in ("value", "line")]
    return found


def _conflict_of(found: tuple[Clause, ...]) -> str:
    """Return a text that names all demands if no clause's example meets all of them, else an empty string."""
    if not found or any(all(each.accepts(clause.example) for each in found) for clause in found):
        return ""
    return "these demands contradict each other: " + "; ".join(clause.demand for clause in found)


_FORMAT: Final = re.compile(r"\bformat", re.IGNORECASE)
_ANSWERING: Final = re.compile(
    r"\b(?:answer|repl(?:y|ies)|respond|response|return|message|output|antwort\w*)\b", re.IGNORECASE
)
_ELSEWHERE: Final = re.compile(
    r"\b(?:refs?|references?|cite|file ?names?|columns?|header|log|not|never|don't|nicht|if|when)\b", re.IGNORECASE
)
_CONTAINING: Final = re.compile(r"\b(?:contain|include|including|mention|begin|start|end)s?\b(?! only)", re.IGNORECASE)
_LONGEST_TEMPLATE: Final = 80
_TABLE: Final = re.compile(
    r"\b(?:answer|reply|respond|return)\b[^.\n]{0,200}\btab-separated\b[^.\n]{0,200}\bheader\b[^\n]*\n+([^\n]*\t[^\n]*)",
    re.IGNORECASE,
)


def _block_clauses(text: str) -> Iterator[Clause]:
    """Find forms on a line of their own: a template behind "in this format:", the header of a tab-separated table."""
    for found in _TABLE.finditer(text) if "\t" in text else ():
        yield replace(format_clauses.columns_clause(found[1], "\t", found[0]), spans=(found.span(),))
    if "%" not in text:
        return
    lines = [line for line in re.finditer(r"[^\n]+", text) if line[0].strip()]
    for before, line in pairwise(lines):
        announced, template = before[0].strip(), line[0].strip()
        if not announced.endswith(":") or len(template) >= _LONGEST_TEMPLATE or not _FORMAT.search(announced):
            continue
        if (
            format_clauses.has_placeholder(template)
            and _ANSWERING.search(announced)
            and not _ELSEWHERE.search(announced)
        ):
            is_whole = not _CONTAINING.search(announced)
            clause = format_clauses.template_clause(template, f"{announced} {template}", is_whole=is_whole)
            yield replace(clause, spans=(before.span(), line.span()))


def _sentence_clauses(text: str) -> Iterator[Clause]:
    demanding = (each for each in sentences_of(text) if CUE.search(each[0]) is not None)
    for sentence, at in islice(demanding, _MAX_SENTENCES):
        for frame in frames_of(sentence, at):
            yield from clauses_of_frame(frame, text)
