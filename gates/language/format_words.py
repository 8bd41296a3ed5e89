"""Tells which words of an instruction look like a demand of format and bind nothing, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from gates.language.answer_contract import MAX_CHARS, derive_contract
from gates.language.sentences import own_words
from gates.language.text_normalization import normalize_text

_WORDS: Final = re.compile(
    r"%[0-9.]*[dsf]|\b(?:only|just|nothing else|nothing but|exactly|alone|json|sorted|per line|separated|"
    r"decimals?|format|"
    r"uppercase|lower ?case|one word|sentences?|bullet points?|table|markdown|nur|ausschließlich|sonst nichts|sortiert|"
    r"pro zeile|getrennt|nachkommastellen)\b|YYYY|JJJJ",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"\b(?:not|never|don't|no need|rather than|instead of|avoid|refrain|nicht|kein\w*|statt)\b", re.IGNORECASE
)
_CONDITION: Final = re.compile(r"\b(?:if|when|unless|in case|falls|wenn|should the)\b", re.IGNORECASE)
_A_FILE: Final = re.compile(
    r"\b(?:files?|exports?|columns?|references?|refs?|cite|citations?|datei)\b|\s/\w", re.IGNORECASE
)
_MAX_WORDS: Final = 200


@dataclass(frozen=True, slots=True)
class UnreadWord:
    """A word that looks like a demand of format, by its place in the normalized text, and why it binds nothing."""

    start: int
    end: int
    words: str
    sentence: str
    reason: str


def unread_words(instruction: str, rules: str) -> Iterator[UnreadWord]:
    """Yield the words of `instruction` that look like a demand of format and are part of no derived one."""
    text = normalize_text(instruction[:MAX_CHARS])
    own = own_words(text)
    spans = [span for clause in derive_contract(instruction, rules).clauses for span in clause.spans]
    for found in islice(_WORDS.finditer(text), _MAX_WORDS):
        if any(start < found.end() and found.start() < end for start, end in spans):
            continue
        start, end = _sentence_around(text, *found.span())
        is_quoted = own[found.start() : found.end()] != found[0]
        sentence = text[start:end].strip()
        yield UnreadWord(*found.span(), found[0], sentence, "quoted" if is_quoted else _reason(sentence))


def _sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    first = max(text.rfind(sign, max(0, start - 500), start) for sign in (". ", "? ", "! ", "\n"))
    last = re.compile(r"[.?!](?=\s)|\n|$").search(text, end, end + 500)
    return max(first + 1, start - 500, 0), last.end() if last is not None else end


def _reason(sentence: str) -> str:
    """Return the most likely reason why a sentence demands no form of the answer."""
    if _NEGATED.search(sentence):
        return "negated"
    if _CONDITION.search(sentence):
        return "under a condition"
    if _A_FILE.search(sentence):
        return "about a file or citations"
    return "asked, not ordered" if sentence.endswith("?") else "not understood"
