"""Marks the words in a call's result that may be the script's own, and so prove nothing.

A script could have a tool store the note `fee is 7`, and cite it from the result of a later search. If
`fee`, `is` and `7` are *own words*, which no result had before the script passed them:

| text of a result | `script_words`, which it does not prove | is proof |
|---|---|---|
| `late: 21 EUR` | none | yes |
| `fee: 7 EUR` | `7`, `fee` | yes, of `EUR` |
| `fee is 7` | `7`, `fee`, `is` | no, since it has only own words |
| any text, if there are too many own words to keep | all | no |
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.agent.evidence.texts.own.comparable_words import words_among
from controlplane.agent.evidence.texts.own.own_words import OwnWords
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.gates.trial.seen_text import SeenText


def mark_own_words(seen: SeenText, own_words: OwnWords) -> SeenText:
    """Return a text with its own words added to `script_words`, one in each line."""
    if not own_words.words or not seen.text:
        return seen
    if own_words.is_full:
        return _with_script_words(seen, seen.text, is_proof=False)

    folded = fold_text(seen.text)
    found_words = words_among(own_words.words, folded)
    if not found_words:
        return seen
    has_other_words = not own_words.words.issuperset(parts_of(folded))
    return _with_script_words(
        seen,
        "\n".join(sorted(found_words)),
        is_proof=seen.is_proof and has_other_words,
    )


def _with_script_words(seen: SeenText, words: str, *, is_proof: bool) -> SeenText:
    """Return a text that does not prove these words, nor those that it has not proved before."""
    return replace(
        seen, script_words=f"{seen.script_words}\n{words}", is_proof=is_proof
    )
