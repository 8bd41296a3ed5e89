"""Derives the demand of a yes/no word from the workspace's rules and a yes/no question."""

from __future__ import annotations

import re
from typing import Final

from gates.language.format_clauses import Clause

_ABOUT_YES_NO: Final = re.compile(
    r"\byes\s?(?:/|-|–| or | and |,)\s?no\b|\byes\b.{0,80}\bno\b", re.IGNORECASE | re.DOTALL
)
_MARKED: Final = re.compile(
    r"`([^`\n]{1,40})`|\"([^\"\n]{1,40})\"|'([^'\n]{1,40})'|“([^”\n]{1,40})”|(<[A-Za-z]{1,20}>)"
)
_NO_WORDS: Final = re.compile(r"yes\s?/\s?no|[Yy]es[- ]or[- ][Nn]o", re.IGNORECASE)
_WHOLE: Final = re.compile(
    r"\b(?:only|exactly|entire|whole|nothing else|just|bare|verbatim|alone|no other (?:text|words?)|must be)\b",
    re.IGNORECASE,
)
_CONTAINED: Final = re.compile(
    r"\b(?:includ\w+|contain\w*|mention\w*|hold\w*|somewhere|begin\w*|start\w*|along with)\b", re.IGNORECASE
)
_NOTHING_ELSE: Final = re.compile(r"\b(?:entire|whole|nothing else|alone|no other (?:text|words?))\b", re.IGNORECASE)

_SAYS_SO: Final = re.compile(r"\byes\s?/\s?no\b|\byes[- ]or[- ]no\b", re.IGNORECASE)
_QUESTION: Final = re.compile(
    r"(?:^|[.!?:;]\s+|\n\s*)(?:[^.!?:;,\n]{1,80},\s+)?((?:do|does|did|is|are|was|were|has|have|had|can|could|"
    r"will|would|should|may)\b[^?\n]*\?)\s*$",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(r"(?:can|could|will|would) (?:you|we|someone)\b", re.IGNORECASE)
_FURTHER_QUESTION: Final = re.compile(
    r"(?:^|[.!?;:,]\s+|\b(?:tell|say|give|name|know|known|state|check|show|list)\b[^.?!]{0,40}?\s)"
    r"(?:how (?:many|much|long)|which|what|when|where|who|why)\b"
    r"|\bif (?:yes|so|they|it|he|she|not)\b|\bwhether\b|\bthen\b",
    re.IGNORECASE,
)
"""A second question, or a request that depends on the answer to the first."""


def yes_no_clause(instruction: str, rules: str) -> Clause | None:
    """Return the demand of a yes/no word if the instruction is a yes/no question and the rules define the two words.

    Returns None if the rules define no single pair: the words that a workspace uses cannot be guessed.
    """
    asked = _asks_yes_no(instruction)
    if not asked:
        return None
    found = {pair for sentence in _passages(rules) if (pair := _pair_in(sentence))}
    if len(found) != 1:
        return None
    words, is_whole, passage = next(iter(found))
    yes, no = words

    def accepts(answer: str) -> bool:
        if is_whole:
            return answer.strip() in words
        return len([word for word in words if _stands_alone(word, words, answer)]) == 1

    demand = f"exactly `{yes}` or `{no}`" if is_whole else f"a text with exactly one of `{yes}` and `{no}`"
    return Clause("yes/no", demand, passage, accepts, yes, is_whole)


def _asks_yes_no(instruction: str) -> bool:
    if _SAYS_SO.search(instruction):
        return True
    text = instruction.strip()
    if not text.endswith("?"):
        return False
    question = _QUESTION.search(text, max(text.rfind("\n"), text.rfind("?", 0, -1), 0))
    return bool(question and not _REQUEST.match(question[1]) and not _FURTHER_QUESTION.search(instruction))


def _passages(rules: str) -> list[str]:
    """Return the sentences and list entries of the rules that mention yes and no."""
    parts = [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*\d#])", rules)]
    return [part for part in parts if _ABOUT_YES_NO.search(part)]


def _pair_in(passage: str) -> tuple[tuple[str, str], bool, str] | None:
    """Return the yes and no words that a passage marks, whether one is the whole answer, and the passage."""
    marked = [next(group for group in found.groups() if group) for found in _MARKED.finditer(passage)]
    words = tuple(dict.fromkeys(word.strip() for word in marked if not _NO_WORDS.fullmatch(word.strip())))
    if len(words) != 2:
        return None
    is_whole = bool(_NOTHING_ELSE.search(passage) or (_WHOLE.search(passage) and not _CONTAINED.search(passage)))
    return (words[0], words[1]), is_whole, " ".join(passage.split())[:300]


def _stands_alone(word: str, words: tuple[str, ...], answer: str) -> bool:
    """Say whether `word` occurs in the answer where no letter or digit touches it, outside the other word."""
    longer = [each for each in words if each != word and word in each]
    text = answer
    for each in longer:
        text = text.replace(each, " ")
    return re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text) is not None
