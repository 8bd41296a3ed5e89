"""Gate 5: the reason for a citation must name something that the cited file contains.

A script cites a file with a reason: `cite("/orders/17.json", "order 17 is paid")`. The
gate accepts the reason if one of the following is true:

- The citation came with a quotation that was found in the file.
- The reason has an id, number, date or quotation, and the file contains one of them.
- The reason has no such value, but shares enough words with the file.
- The reason says that the script changed the file, and the trace shows that it did.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.boilerplate import is_boilerplate
from controlplane.gates.checks.citing.cited_file import CitedFile
from controlplane.gates.checks.citing.cjk_text import shares_cjk_text
from controlplane.gates.checks.citing.closest_lines import closest_lines
from controlplane.gates.checks.citing.reason import Reason
from controlplane.gates.checks.citing.shared_words import shares_words
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.quoting import quote, quote_some
from controlplane.gates.submission import Case, Submission
from controlplane.gates.text_folding import tokens_of
from controlplane.sandbox.interface import bounds

MOST_REASON_CHARS: Final = 300
"""Characters of a reason that are judged. A reason is a sentence; more would only take time."""


def ask_justification(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to each reason that names nothing that its file contains.

    | reason                | fault                                              |
    | --------------------- | -------------------------------------------------- |
    | "relevant file"       | always: it is true of any file                     |
    | "order 17 is paid"    | if there is no 17, in any spelling, in the file    |
    | "lists 40 orders"     | if the file has neither a 40, nor 40 lines or rows |
    | "no order 17"         | never: a denial names what is missing              |
    | "marked as returned"  | if the trial only read the file                    |
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
        fault = _fault_of(Reason(reason[:MOST_REASON_CHARS], target.path), file)
        if fault:
            faults.append(
                f"The reason for {quote(reference)}, {quote(reason)}, {fault}"
            )
        if len(faults) == bounds.SHOWN_FAULTS:  # further faults would not be shown
            break
    return faults


_ADVICE: Final = (
    "name an id, a number or words of the page in its own language, or quote it: "
    "`scratchpad.cite(path, reason, quote)`"
)


def _fault_of(reason: Reason, file: CitedFile) -> str:
    """Return what is wrong with a reason, or an empty string if the file supports it.

    "relevant file"    "names nothing that was found there: name an id, …"
    "order 99"         "names nothing that was found there: looked for `order 99`. … Closest: …"
    """
    if not reason.words and not reason.values:  # only boilerplate
        return f"names nothing that was found there: {_ADVICE}."
    if _cannot_be_refuted(reason, file) or _is_supported(reason, file):
        return ""
    sought = [value.text for value in reason.values] or reason.words
    return (
        f"names nothing that was found there: looked for {quote_some(sought)}. "
        f"{_ADVICE.capitalize()}.{closest_lines(reason.text, file.access.given_texts)}"
    )


def _cannot_be_refuted(reason: Reason, file: CitedFile) -> bool:
    """Return True if a reason may be right although the file does not contain what it names.

    The reason says that the file was changed, or that something is missing in it; or too
    little of the file is known.
    """
    was_only_read = file.access.actions == {"read"}
    if reason.says_changed and not was_only_read:  # "marked as returned"
        return True
    if reason.is_denial and reason.values:  # "no order 17 in the list"
        return True
    return file.is_unknown_or_empty


def _is_supported(reason: Reason, file: CitedFile) -> bool:
    """Return True if the file supports a reason, by a value or by words.

    Only texts that the environment gave are searched, not what the script wrote into the file:

    | reason              | these texts       | script wrote the file | is supported        |
    | ------------------- | ----------------- | --------------------- | ------------------- |
    | "order 17 is paid"  | contain 17        | yes or no             | yes                 |
    | "order 17 is paid"  | do not contain 17 | no                    | no                  |
    | "order 17 is paid"  | do not contain 17 | yes                   | if they share words |
    | "the opening hours" | any               | yes or no             | if they share words |
    """
    if file.states_any(reason.values):
        return True
    if reason.values:
        # The value may be in what the script wrote, so that the search has missed it.
        was_written = "write" in file.access.actions
        return was_written and shares_words(reason.words, file.access)
    if shares_words(reason.words, file.access):
        return True
    # Chinese, Japanese and Korean have no blanks between words, so they are compared
    # by the characters in a row that reason and file share.
    texts = [seen.text for seen in file.access.given_texts]
    return shares_cjk_text(reason.text, texts)


def has_quotation(path: str, evidence: Evidence) -> bool:
    """Return True if `path` was cited with a quotation that was found in the file.

    A quotation of boilerplate alone, which is in almost any file, does not count.
    """
    for quotation in evidence.quotations.get(path, ()):
        is_only_boilerplate = all(is_boilerplate(word) for word in tokens_of(quotation))
        if not is_only_boilerplate:
            return True
    return False
