"""Gate 5: the reason of a citation names something that stands at the cited path.

A reason with ids, numbers or quotations needs one that stands there. Any other reason needs words
of the page: some of its words in the page's own language. A quotation that was found when it was
cited is enough for any reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from controlplane.gates.evidence import Access, Evidence, Reference, SeenText, base_name, parse
from controlplane.gates.submission import (
    Case,
    Inapplicable,
    Opinion,
    Submission,
    quote,
    quote_some,
)
from controlplane.gates.support.sources import Source
from controlplane.gates.support.value_support import states_value
from controlplane.gates.text_folding import (
    bare_text,
    fold_text,
    index_of,
    is_boilerplate,
    parts_of,
    tokens_of,
)
from controlplane.gates.values.value_kinds import LAST_BEFORE_CJK, Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

NAMING_KINDS: Final = frozenset(Kind) - {Kind.URL}
MOST_REASON_CHARS: Final = 300
"""Characters of one reason that are judged; a reason is a sentence, and more would only take time."""
MOST_WORDS: Final = 100
"""Words of one reason that are looked for."""
LEAST_WORDS: Final = 2
"""Different words of a reason that stand on the page, unless the reason has fewer: one may stand
there by chance."""
LEAST_SIGNS: Final = 4
"""Characters in a row that a reason in a script without blanks shares with the page."""
MOST_SHOWN_LINES: Final = 3
SHOWN_LINE_CHARS: Final = 100
NEGATIONS: Final = frozenset(
    ("no", "not", "none", "never", "nothing", "without", "kein", "keine", "nicht", "aucun")
)
"""Words by which a reason says that something does not stand there."""
_CHANGING_WORDS: Final = """
    written write updated changed edited added created saved stored modified appended exported set replaced filled
    renamed moved marked entered new now deleted removed cleared executed execute ran run called applied performed
    geschrieben geandert erganzt angelegt neu jetzt geloscht ausgefuhrt modifie ecrit ajoute nouveau cree supprime
"""
CHANGING_WORDS: Final = frozenset(_CHANGING_WORDS.split())
"""Folded words by which a reason says that a path was written, deleted or run."""


def ask_justification(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a reason that names nothing that stands at its path.

    Guards against citations without support: boilerplate, citations from memory, ids and numbers
    copied from another file. Accepts values in any spelling, a count of what is there, "no row for
    X", and that a path was changed or run. What the script itself wrote supports nothing.
    """
    reasons = submission.refs_why
    if not isinstance(reasons, dict):
        return Inapplicable("the citations carry no reasons")
    if not evidence.has_trace:
        return Inapplicable("there is no trace of what was read")
    if not reasons:
        return Inapplicable("nothing is cited")
    faults: list[str] = []
    for reference, reason in reasons.items():
        target = evidence.find(reference)
        access = target.access
        if access is None or not isinstance(reason, str) or has_quotation(target.path, evidence):
            continue
        fault = _fault_of_reason(target, access, reason[:MOST_REASON_CHARS])
        if fault:
            message = f"The reason for {quote(reference)}, {quote(reason)}, {fault}"
            faults.append(message if len(faults) < bounds.SHOWN_FAULTS else "")
    return faults


def has_quotation(path: str, evidence: Evidence) -> bool:
    """Say whether a citation of a path came with a quotation that was found there and is more
    than boilerplate."""
    for quotation in evidence.quoted.get(path, ()):
        if not all(is_boilerplate(word) for word in tokens_of(quotation)):
            return True
    return False


def _fault_of_reason(target: Reference, access: Access, reason: str) -> str:
    """Return what is wrong with a reason, with what was looked for and the lines that come
    closest; empty if nothing."""
    words = _telling_words(target, reason)
    values = _values_of_reason(target, reason)
    if not words and not values:
        return f"names nothing that was found there: {_ADVICE}."
    if access.actions != {"read"} and not CHANGING_WORDS.isdisjoint(tokens_of(reason)):
        return ""  # the trace shows that the path was changed or run
    if not access.seen:
        return ""  # nobody knows what is there
    if any(seen.is_whole and not seen.text.strip() for seen in access.given_texts):
        return ""  # an empty text: there is nothing to name
    if values:
        is_denial = not NEGATIONS.isdisjoint(tokens_of(reason))
        if is_denial or _names_value(access, target, values):
            return ""
        if "write" in access.actions and _shares_words(access, target, words):
            return ""  # the value may be the one that was added
        sought = [value.text for value in values]
    else:
        if _shares_words(access, target, words) or _shares_signs(access, reason):
            return ""
        sought = words
    return (
        f"names nothing that was found there: looked for {quote_some(sought)}. {_ADVICE.capitalize()}."
        f"{_closest_lines(access, reason)}"
    )


_ADVICE: Final = (
    "name an id, a number or words of the page in its own language, or quote it: "
    "`scratchpad.cite(path, reason, quote)`"
)


def _telling_words(target: Reference, reason: str) -> list[str]:
    """Return the folded words of a reason that identify something, but those of the path itself."""
    path_words = {*tokens_of(target.path), *tokens_of(base_name(target.path))}
    words = [word for word in tokens_of(reason) if len(word) > 1 and not is_boilerplate(word)]
    return [word for word in dict.fromkeys(words) if word not in path_words][:MOST_WORDS]


def _values_of_reason(target: Reference, reason: str) -> list[WrittenValue]:
    """Return the ids, numbers, dates and quotations of a reason, but those of the path itself."""
    path_parts = set(parts_of(fold_text(target.path)))
    values: list[WrittenValue] = []
    for value in written_values(reason, kinds=NAMING_KINDS):
        is_of_path = path_parts.issuperset(parts_of(fold_text(value.text)))
        if not is_of_path:
            values.append(value)
    return values


def _names_value(access: Access, target: Reference, values: Iterable[WrittenValue]) -> bool:
    """Say whether one of the values of a reason stands in a text of a path, or counts its lines
    or entries."""
    counts = _counts_of(access, target.path)
    for value in values:
        if value.canonical in counts:
            return True
        for seen in access.given_texts:
            is_echo = seen.tainted and states_value(seen.tainted, value)
            if not is_echo and states_value(seen.text, value):
                return True
    return False


def _counts_of(access: Access, path: str) -> set[str]:
    """Return the numbers of lines, of rows and of entries that a path has."""
    counts: set[str] = set()
    for seen in access.given_texts:
        counts.add(str(seen.text.count("\n") + 1))
        names = Counter(name for name, _ in parse(seen.text, path))
        if names:
            counts.add(str(max(names.values())))
    return counts


def _shares_words(access: Access, target: Reference, words: list[str]) -> bool:
    """Say whether enough words of a reason, or all of them, stand in the texts of a path, or one in
    a heading.

    Of a file that was read and then changed, the new text counts, too: the reason may tell what was
    changed.
    """
    was_read_first = bool(access.seen) and access.seen[0].is_proof
    texts = access.seen if was_read_first else access.given_texts
    shared = [word for word in words if any(seen.holds(word) for seen in texts)]
    if shared and len(shared) >= min(LEAST_WORDS, len(words)):
        return True
    headings = index_of("\n".join(_headings_of(seen.text, target.path) for seen in texts))
    return any(headings.holds(word) for word in shared)


def _headings_of(text: str, path: str) -> str:
    """Return the first line of a text, its Markdown headings, and the names of its fields and
    columns."""
    first_line, _, rest = text.partition("\n")
    headings = [first_line, *(line for line in rest.split("\n") if line.startswith("#"))]
    headings += [name for name, _ in parse(text, path)]
    return "\n".join(headings)


def _shares_signs(access: Access, reason: str) -> bool:
    """Say whether a reason in a script without blanks has some characters in a row of a text."""
    bare_reason = bare_text(reason)
    if bare_reason.isascii():
        return False
    pieces = {
        bare_reason[start : start + LEAST_SIGNS]
        for start in range(max(len(bare_reason) - LEAST_SIGNS, 0) + 1)
    }
    for seen in access.given_texts:
        page = bare_text(seen.text)
        if any(piece in page for piece in pieces if piece[:1] > LAST_BEFORE_CJK):
            return True
    return False


def _closest_lines(access: Access, reason: str) -> str:
    """Return the lines of a path that share most words with a reason, for a message."""
    words = {word for word in parts_of(fold_text(reason)) if not is_boilerplate(word)}
    ranked: list[tuple[int, int, str]] = []
    for seen in access.given_texts:
        for shared, number, line in _lines_with_words(seen, words):
            ranked.append((-shared, number, line))
    if not ranked:
        return ""
    ranked.sort()
    shown = []
    for _, number, line in ranked[:MOST_SHOWN_LINES]:
        quoted_line = quote(line, SHOWN_LINE_CHARS)
        if number:
            quoted_line = f"line {number} {quoted_line}"
        shown.append(quoted_line)
    return f" Closest: {'; '.join(shown)}."


def _lines_with_words(seen: SeenText, words: set[str]) -> list[tuple[int, int, str]]:
    """Return the lines that are not empty: how many words each shares, its number in the file,
    and its text."""
    source = Source("", seen.text[: bounds.MOST_RECORD_CHARS], seen.lines)
    lines: list[tuple[int, int, str]] = []
    for index, line in enumerate(source.lines):
        if line.strip():
            shared = len(words.intersection(parts_of(fold_text(line))))
            lines.append((shared, source.place(index).line, line.strip()))
    return lines
