"""Marks the words in a call's result that may be the script's own, and so prove nothing.

A script could have a tool store the note `fee is 7`, and cite it from the result of a later search.
So `fee`, `is` and `7` are *own words*: no result had them before the script passed them. A text
does not support an answer by its `unproven_words`:

| text of a result | its `unproven_words` | its kind |
|---|---|---|
| `late: 21 EUR` | none | `WHOLE` |
| `fee: 7 EUR` | `7`, `fee` | `WHOLE`: it still proves `EUR` |
| `fee is 7` | `7`, `fee`, `is` | `OWN`, since it has only own words |
| any text, if there are too many own words to keep | the whole text | `OWN` |
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.agent.evidence.texts.own.comparable_words import words_among
from controlplane.agent.evidence.texts.own.own_words import OwnWords
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind


def mark_own_words(seen: SeenText, own_words: OwnWords) -> SeenText:
    """Return a text with its own words added to `unproven_words`, one in each line."""
    if not own_words.words or not seen.text:
        return seen
    if own_words.is_full:
        # Any word may be an own word, so the text proves nothing.
        return _with_unproven_words(seen, seen.text, seen.kind.as_own)

    folded = fold_text(seen.text)
    found_words = words_among(own_words.words, folded)
    if not found_words:
        return seen
    unproven_words = "\n".join(sorted(found_words))
    has_only_own_words = own_words.words.issuperset(parts_of(folded))
    if has_only_own_words:
        return _with_unproven_words(seen, unproven_words, seen.kind.as_own)
    return _with_unproven_words(seen, unproven_words, seen.kind)


def _with_unproven_words(seen: SeenText, words: str, kind: TextKind) -> SeenText:
    """Return a text of this kind that proves neither these words nor its earlier unproven ones."""
    all_unproven = f"{seen.unproven_words}\n{words}"
    return replace(seen, unproven_words=all_unproven, kind=kind)
