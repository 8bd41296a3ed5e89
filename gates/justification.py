"""Gate 5: the reason for a citation must name something that the cited file contains.

A script cites a file with a reason: `cite("/orders/17.json", "order 17 is paid")`. The
gate accepts the reason if one of the following is true:

- The citation came with a quotation that was found in the file.
- The reason has an id, number, date or quotation, and the file contains one of them.
- The reason has no such value, but shares enough words with the file.
- The reason says that the script changed the file, and the trace shows that it did.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from controlplane.gates.cited_files import CitedFile
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import base_name
from controlplane.gates.submission import (
    Case,
    Inapplicable,
    Opinion,
    Submission,
    quote,
    quote_some,
)
from controlplane.gates.text_folding import (
    fold_text,
    is_boilerplate,
    parts_of,
    tokens_of,
)
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

NAMING_KINDS: Final = frozenset(Kind) - {Kind.URL}
"""The kinds of values by which a reason may name what a file contains, such as ids and dates.

A web address is not one of them: it names another place.
"""
MOST_REASON_CHARS: Final = 300
"""Characters of a reason that are judged. A reason is a sentence; more would only take time."""
MOST_WORDS: Final = 100
"""At most this many words of a reason are looked up in the file."""
NEGATIONS: Final = frozenset(
    {"no", "not", "none", "never", "nothing", "without"}
    | {"kein", "keine", "nicht", "aucun"}
)
"""Words that say that something is missing: "no order 17 in the list"."""
_CHANGING_WORDS: Final = """
    written write updated changed edited added created saved stored modified appended exported set replaced filled
    renamed moved marked entered new now deleted removed cleared executed execute ran run called applied performed
    geschrieben geandert erganzt angelegt neu jetzt geloscht ausgefuhrt modifie ecrit ajoute nouveau cree supprime
"""
CHANGING_WORDS: Final = frozenset(_CHANGING_WORDS.split())
"""Words that say that a file was written, deleted or run, in lower case and without accents."""


def ask_justification(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to each reason that names nothing that its file contains.

    - Rejected: boilerplate ("relevant file"), citations from memory, and ids or numbers
      of another file. Text that the script itself wrote into a file supports nothing.
    - Accepted: a value in any spelling, a count of lines or rows, a denial ("no row for
      X"), and a statement that the file was changed or run.
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
        # Gate 3 rejects a reason that is not a text, gate 4 a file that was not read.
        if not isinstance(reason, str) or target.access is None:
            continue
        if has_quotation(target.path, evidence):
            continue
        file = CitedFile(target.path, target.access)
        fault = _fault_of(_Reason(reason[:MOST_REASON_CHARS], target.path), file)
        if fault:
            faults.append(
                f"The reason for {quote(reference)}, {quote(reason)}, {fault}"
            )
        if len(faults) == bounds.SHOWN_FAULTS:  # further faults would not be shown
            break
    return faults


def has_quotation(path: str, evidence: Evidence) -> bool:
    """Return True if `path` was cited with a quotation that was found in the file.

    A quotation of boilerplate alone, which is in almost any file, does not count.
    """
    for quotation in evidence.quoted.get(path, ()):
        is_only_boilerplate = all(is_boilerplate(word) for word in tokens_of(quotation))
        if not is_only_boilerplate:
            return True
    return False


@dataclass(frozen=True)
class _Reason:
    """A reason for citing a file."""

    text: str
    path: str
    """The path of the file. Its words support nothing: one knows them without reading the file."""

    @cached_property
    def tokens(self) -> list[str]:
        return list(tokens_of(self.text))

    @cached_property
    def words(self) -> list[str]:
        """The distinctive words, each once: no very common words, single letters or path words.

        For `/docs/returns.md`, "the returns file limits refunds" -> ["limits", "refunds"].
        """
        path_words = {*tokens_of(self.path), *tokens_of(base_name(self.path))}
        words = [
            word
            for word in dict.fromkeys(self.tokens)
            if len(word) > 1 and not is_boilerplate(word) and word not in path_words
        ]
        return words[:MOST_WORDS]

    @cached_property
    def values(self) -> list[WrittenValue]:
        """The ids, numbers, dates and quotations, except those in the path."""
        path_parts = set(parts_of(fold_text(self.path)))
        return [
            value
            for value in written_values(self.text, kinds=NAMING_KINDS)
            if not path_parts.issuperset(parts_of(fold_text(value.text)))
        ]

    @property
    def says_changed(self) -> bool:
        return not CHANGING_WORDS.isdisjoint(self.tokens)

    @property
    def is_denial(self) -> bool:
        return not NEGATIONS.isdisjoint(self.tokens)


_ADVICE: Final = (
    "name an id, a number or words of the page in its own language, or quote it: "
    "`scratchpad.cite(path, reason, quote)`"
)


def _fault_of(reason: _Reason, file: CitedFile) -> str:
    """Return what is wrong with a reason, or an empty string if the file supports it.

    "names nothing that was found there: looked for `order 99`. … Closest: line 3 `…`."
    """
    if not reason.words and not reason.values:
        return f"names nothing that was found there: {_ADVICE}."
    if _cannot_be_refuted(reason, file) or _is_supported(reason, file):
        return ""
    sought = [value.text for value in reason.values] or reason.words
    return (
        f"names nothing that was found there: looked for {quote_some(sought)}. "
        f"{_ADVICE.capitalize()}.{file.closest_lines(reason.text)}"
    )


def _cannot_be_refuted(reason: _Reason, file: CitedFile) -> bool:
    """Return True if a reason may be right although the file does not contain what it names."""
    was_changed_or_run = file.access.actions != {"read"}
    if was_changed_or_run and reason.says_changed:  # "marked as returned"
        return True
    if reason.values and reason.is_denial:  # "no order 17 in the list"
        return True
    return file.is_unknown_or_empty


def _is_supported(reason: _Reason, file: CitedFile) -> bool:
    """Return True if the file has a value of the reason, or else enough of its words."""
    if reason.values:
        if file.states_any(reason.values):
            return True
        # A value that the script itself wrote into the file does not count, but the
        # words then may.
        return "write" in file.access.actions and file.shares_words(reason.words)
    return file.shares_words(reason.words) or file.shares_cjk_text(reason.text)
