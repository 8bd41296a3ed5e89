"""Gate 5: the reason for a citation must name something that the cited file contains.

A script cites a file with a reason: `cite("/orders/17.json", "order 17 is paid")`. The
gate accepts the reason if one of the following is true:

- The citation came with a quotation that was found in the file.
- The reason has an id, number, date or quotation, and the file contains one of them.
- The reason has no such value, but shares enough words with the file.
- The reason says that the script changed the file, and the trace shows that it did.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.gates.evidence import Access, Evidence, Reference, SeenText
from controlplane.gates.paths import base_name
from controlplane.gates.records import parse
from controlplane.gates.submission import (
    Case,
    Inapplicable,
    Opinion,
    Submission,
    quote,
    quote_some,
)
from controlplane.gates.support.places import LineNumbers
from controlplane.gates.support.sources import Source
from controlplane.gates.support.stated_values import states_value
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
"""The kinds of values by which a reason may name what a file contains, such as ids and
dates. A web address names another place."""
MOST_REASON_CHARS: Final = 300
"""Only this many characters of a reason are judged. A reason is a sentence; judging
more would only take time."""
MOST_WORDS: Final = 100
"""At most this many words of a reason are looked up in the file."""
LEAST_WORDS: Final = 2
"""A reason must share this many different words with the file, or all its words if it
has fewer. A single shared word may be a coincidence."""
LEAST_CJK_CHARS: Final = 4
"""A reason in Chinese or Japanese, which are written without spaces, must share this
many consecutive characters with the file."""
MOST_SHOWN_LINES: Final = 3
"""A message shows at most this many lines that are similar to the reason."""
SHOWN_LINE_CHARS: Final = 100
"""A message shows at most this many characters of each line."""
NEGATIONS: Final = frozenset(
    (
        "no",
        "not",
        "none",
        "never",
        "nothing",
        "without",
        "kein",
        "keine",
        "nicht",
        "aucun",
    )
)
"""Words that say that something is missing: "no order 17 in the list"."""
_CHANGING_WORDS: Final = """
    written write updated changed edited added created saved stored modified appended exported set replaced filled
    renamed moved marked entered new now deleted removed cleared executed execute ran run called applied performed
    geschrieben geandert erganzt angelegt neu jetzt geloscht ausgefuhrt modifie ecrit ajoute nouveau cree supprime
"""
CHANGING_WORDS: Final = frozenset(_CHANGING_WORDS.split())
"""Words that say that a file was written, deleted or run, in lower case and without
accents."""


def ask_justification(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to each reason that names nothing that its file contains.

    Catches boilerplate ("relevant file"), citations from memory, and ids or numbers
    copied from another file. Accepts a value in any spelling, a count of lines or rows,
    a denial ("no row for X"), and a statement that the file was changed or run. Text
    that the script itself wrote into a file does not support a reason.
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
        access = target.access  # what calls saw and did there
        if not isinstance(reason, str):
            continue  # gate 3 rejects it
        if access is None:
            continue  # gate 4 rejects a file that was not read
        if has_quotation(target.path, evidence):
            continue
        fault = _fault_of_reason(target, access, reason[:MOST_REASON_CHARS])
        if fault:
            faults.append(
                f"The reason for {quote(reference)}, {quote(reason)}, {fault}"
            )
        if len(faults) == bounds.SHOWN_FAULTS:  # further faults would not be shown
            break
    return faults


def has_quotation(path: str, evidence: Evidence) -> bool:
    """Return True if `path` was cited with a quotation that was found in the file and
    has a word that is not boilerplate."""
    for quotation in evidence.quoted.get(path, ()):
        is_only_boilerplate = all(is_boilerplate(word) for word in tokens_of(quotation))
        if not is_only_boilerplate:
            return True
    return False


_ADVICE: Final = (
    "name an id, a number or words of the page in its own language, or quote it: "
    "`scratchpad.cite(path, reason, quote)`"
)


def _fault_of_reason(target: Reference, access: Access, reason: str) -> str:
    """Return what is wrong with a reason, or an empty string if the file supports it.

    `target` is the cited file. `access` has the texts that were seen in it. Example:
    "names nothing that was found there: looked for `order 99`. … Closest: line 3 `…`."
    """
    # 1. A reason without any distinctive word or value can't be checked against the file.
    words = _distinctive_words(target, reason)
    values = _values_of_reason(target, reason)
    if not words and not values:
        return f"names nothing that was found there: {_ADVICE}."

    # 2. Compare it with the file, unless the file can't refute it.
    if _cannot_be_refuted(access, reason, has_values=bool(values)):
        return ""
    if values and _has_value(access, target, values):
        return ""
    # A value that the script itself wrote into the file does not count, but the words
    # then may.
    may_name_own_value = "write" in access.actions
    if not values or may_name_own_value:
        if _shares_words(access, target, words):
            return ""
    if not values and _shares_cjk_text(access, reason):
        return ""

    # 3. Say what was looked for.
    sought = [value.text for value in values] or words
    return (
        f"names nothing that was found there: looked for {quote_some(sought)}. "
        f"{_ADVICE.capitalize()}.{_closest_lines(access, reason)}"
    )


def _cannot_be_refuted(access: Access, reason: str, *, has_values: bool) -> bool:
    """Return True if a reason may be right although the file has nothing that it names:
    it tells of a change or of something missing, or the file's text is unknown or
    empty."""
    reason_words = set(tokens_of(reason))

    # "marked as returned", of a file that the trial has changed or run
    was_changed_or_run = access.actions != {"read"}
    says_changed = not CHANGING_WORDS.isdisjoint(reason_words)
    if was_changed_or_run and says_changed:
        return True

    # "no order 17 in the list": what is missing cannot be found
    is_denial = not NEGATIONS.isdisjoint(reason_words)
    if has_values and is_denial:
        return True

    # The contents of the file are unknown, or it is empty.
    if not access.seen:
        return True
    return any(seen.is_whole and not seen.text.strip() for seen in access.given_texts)


def _distinctive_words(target: Reference, reason: str) -> list[str]:
    """Return the distinctive words of a reason, each once.

    Leaves out boilerplate, single letters and the words of the path: for
    `/docs/returns.md`, "the returns file limits refunds" -> ["limits", "refunds"].
    """
    path_words = {*tokens_of(target.path), *tokens_of(base_name(target.path))}
    words: list[str] = []
    for word in dict.fromkeys(tokens_of(reason)):
        identifies_something = len(word) > 1 and not is_boilerplate(word)
        if identifies_something and word not in path_words:
            words.append(word)
    return words[:MOST_WORDS]


def _values_of_reason(target: Reference, reason: str) -> list[WrittenValue]:
    """Return the ids, numbers, dates and quotations of a reason, except those that the
    path contains: they can be copied from the path without reading the file."""
    path_parts = set(parts_of(fold_text(target.path)))
    values: list[WrittenValue] = []
    for value in written_values(reason, kinds=NAMING_KINDS):
        is_of_path = path_parts.issuperset(parts_of(fold_text(value.text)))
        if not is_of_path:
            values.append(value)
    return values


def _has_value(
    access: Access, target: Reference, values: Iterable[WrittenValue]
) -> bool:
    """Return True if the file contains one of the values, or has that number of lines
    or rows.

    A value that the script passed to the call (`seen.tainted`) does not count: the text
    may only repeat it.
    """
    for value in values:
        is_count = value.canonical.isdigit()
        if is_count and value.canonical in _counts_of(access, target.path):
            return True
        for seen in access.given_texts:
            is_repeated = seen.tainted != "" and states_value(seen.tainted, value)
            if not is_repeated and states_value(seen.text, value):
                return True
    return False


def _counts_of(access: Access, path: str) -> set[str]:
    """Return how many lines and rows each text of a file has, as digits: {"41",
    "40"}."""
    counts: set[str] = set()
    for seen in access.given_texts:
        counts.add(str(seen.text.count("\n") + 1))
        cells_by_column: dict[str, int] = {}
        for column, _cell in parse(seen.text, path):
            cells_by_column[column] = cells_by_column.get(column, 0) + 1
        if (
            cells_by_column
        ):  # a column has a cell in each row; a key of JSON may be left out
            rows = max(cells_by_column.values())
            counts.add(str(rows))
    return counts


def _shares_words(access: Access, target: Reference, words: list[str]) -> bool:
    """Return True if the file contains at least `LEAST_WORDS` of the words, or all if
    there are fewer. A single one is enough if it is in a heading.

    Text that the script wrote counts only if the file existed before: the reason may
    then describe the change. In a new file, all words are the script's own.
    """
    texts = access.given_texts  # without what the script wrote
    if access.had_text_before_writing:
        texts = access.seen
    shared = [word for word in words if any(seen.holds(word) for seen in texts)]
    if not shared:
        return False
    if len(shared) >= LEAST_WORDS or len(shared) == len(words):
        return True

    heading_lines = [_headings_of(seen.text, target.path) for seen in texts]
    headings = index_of("\n".join(heading_lines))
    return any(headings.holds(word) for word in shared)


def _headings_of(text: str, path: str) -> str:
    """Return the first line of a text, its Markdown headings and its field or column
    names, one per line."""
    first_line, _, rest = text.partition("\n")
    headings = [first_line]
    for line in rest.split("\n"):
        if line.startswith("#"):
            headings.append(line)
    for name, _ in parse(text, path):
        headings.append(name)
    return "\n".join(headings)


def _shares_cjk_text(access: Access, reason: str) -> bool:
    """Return True if a reason in Chinese or Japanese shares `LEAST_CJK_CHARS`
    consecutive characters with a text of the file."""
    bare_reason = bare_text(reason)
    if bare_reason.isascii():
        return False

    # The pieces of `貸出記録を確認` are `貸出記録`, `出記録を`, and so on: four characters from each
    # place on. A reason that is shorter is one piece.
    last_start = max(len(bare_reason) - LEAST_CJK_CHARS, 0)
    pieces: set[str] = set()
    for start in range(last_start + 1):
        piece = bare_reason[start : start + LEAST_CJK_CHARS]
        begins_with_cjk = piece[:1] > LAST_BEFORE_CJK  # by code point
        if begins_with_cjk:
            pieces.add(piece)

    for seen in access.given_texts:
        bare_file = bare_text(seen.text)
        if any(piece in bare_file for piece in pieces):
            return True
    return False


def _closest_lines(access: Access, reason: str) -> str:
    """Return a sentence that quotes the lines with the most words of the reason, or an
    empty string.

    Example: " Closest: line 3 `order 17 paid`; line 9 `order 18 open`."
    """
    words = {word for word in parts_of(fold_text(reason)) if not is_boilerplate(word)}
    lines: list[_ScoredLine] = []
    for seen in access.given_texts:
        lines.extend(_scored_lines(seen, words))
    if not lines:
        return ""

    lines.sort(key=lambda line: (-line.shared_words, line.number, line.text))
    shown: list[str] = []
    for line in lines[:MOST_SHOWN_LINES]:
        quoted_line = quote(line.text, SHOWN_LINE_CHARS)
        if line.number:
            quoted_line = f"line {line.number} {quoted_line}"
        shown.append(quoted_line)
    return f" Closest: {'; '.join(shown)}."


@dataclass(frozen=True, slots=True)
class _ScoredLine:
    """A line of a file, with the number of words that it shares with a reason."""

    shared_words: int
    number: int
    """Its line number in the file; 0 if the number is unknown."""
    text: str


def _scored_lines(seen: SeenText, words: set[str]) -> list[_ScoredLine]:
    """Return every line of a text that is not blank, with how many of the words it
    has."""
    text = seen.text[: bounds.MOST_RECORD_CHARS]
    # A `Source` knows which number each line of the text has in the file.
    source = Source(path="", text=text, line_numbers=LineNumbers(seen.lines))
    lines: list[_ScoredLine] = []
    for index, line in enumerate(source.lines):
        if not line.strip():
            continue
        shared_words = words.intersection(parts_of(fold_text(line)))
        scored_line = _ScoredLine(
            shared_words=len(shared_words),
            number=source.place(index).line,
            text=line.strip(),
        )
        lines.append(scored_line)
    return lines
