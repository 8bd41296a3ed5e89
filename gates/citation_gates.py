"""Gates 3 to 5: citations have canonical spellings, were read, and have reasons that name what was found there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

import re2

from gates.evidence import Access, Evidence, Reference, base_name, canonical, parse, split_fragment
from gates.rules import Inapplicable, Objection, Opinion
from gates.submission import OK, Case, Submission, describe, fault_of_reason, quote, surrogate_at
from gates.terms import asked_text, is_boilerplate, tokens_of

TAKE_BACK: Final = "take it back with `scratchpad.uncite(path)`"
_DETAILED: Final = 8
"""Max faults of one rule that come with a hint."""


def judge_canonical_citations(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject citations that are not a map of canonical paths to reasons.

    Guards against references that fail a grader's string comparison: relative paths, `..`, double or trailing slashes,
    another case, an alias, a folder, the same file twice. Accepts a submission without citations, spaces in names,
    names without an extension, executables, and one file with different fragments.
    """
    given, bare = submission.refs_why, submission.refs
    if given is None and bare is None:
        return Inapplicable("nothing is cited")
    if given is None:
        if not isinstance(bare, list):
            return f"`refs` is {describe(bare)}: it must be a list of paths."
        faults = [f"{describe(path)} is not a path: cite strings." for path in bare if not isinstance(path, str)]
        return faults + list(_faults_of_paths(submission.citations, evidence))
    if not isinstance(given, dict):
        return (
            f"`refs_why` is {describe(given)}: it must be a map of paths to reasons; use "
            "`scratchpad.cite(path, reason)` for each."
        )
    faults = [fault for path, reason in given.items() if (fault := fault_of_reason(path, reason))]
    return faults + list(_faults_of_paths(submission.citations, evidence))


def _faults_of_paths(citations: tuple[str, ...], evidence: Evidence) -> Iterator[str]:
    first: dict[str, str] = {}
    for reference in citations:
        if fault := _fault_of_spelling(reference, evidence):
            yield fault
            continue
        cited = evidence.find(reference).citation
        if cited in first:
            yield f"{quote(reference)} is cited twice, once as {quote(first[cited])}: {TAKE_BACK}."
        first.setdefault(cited, reference)


def _fault_of_spelling(reference: str, evidence: Evidence) -> str:
    """Return the fault of the spelling of `reference`, with the right spelling if it is known."""
    if surrogate_at(reference) is not None:
        return f"{quote(reference)} holds a lone surrogate, which a path cannot: cite the path as it was read."
    target = evidence.find(reference)
    if target.path == "/":
        return f"{quote(reference)} is not a file: {TAKE_BACK}."
    if target.is_directory:
        return f"{quote(reference)} is a folder: cite the files in it that were read, and {TAKE_BACK}."
    if target.is_known and reference != target.citation:
        known_from = "was read as" if target.access is not None else "is listed as"
        return f"{quote(reference)} {known_from} {quote(target.path)}: cite {quote(target.citation)}."
    base, fragment = split_fragment(reference)
    right = canonical(base.strip())
    if not target.is_known and base != right:
        what = "a folder or a misspelt file" if base.endswith("/") else "not an absolute canonical path"
        return f"{quote(reference)} is {what}: read and cite {quote(right + fragment)}, and {TAKE_BACK}."
    return ""


_CITE: Final = re2.compile(r"\b(?:[Cc]ite|grounding refs?)\b")
_MAYBE_NONE: Final = re2.compile(r"(?i)\b(?:every|each|all|any|if|no|not|don't|never)\b")
_SENTENCE_END: Final = re2.compile(r"[.!?]|\n\s*\n")
_ROW_FORMAT: Final = re2.compile(r"(?:^|\s)((/[^\s#]+#[\pL\pN_]+=)<[\pL\pN_]+>)")
_SOURCE: Final = re2.compile(r"\b(?:[Rr]ead|[Ll]ook at|upload)\s(?:[a-zA-Z]+\s){0,8}?(/[\pL\pN_./#-]+)")


def ask_demanded_citations(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK answer without a citation that the request demands: any file, rows, a file it says to read."""
    if submission.outcome != OK:
        return Inapplicable("a refusal cites what it rests on, whatever the request asks for")
    text = asked_text(case.instruction)
    demands = (sentence for sentence in _SENTENCE_END.split(text) if _CITE.search(sentence))
    if not submission.citations and not all(_MAYBE_NONE.search(sentence) for sentence in demands):
        return "Nothing is cited, but the request asks for a citation: read what the answer rests on, and cite it."
    rows = _ROW_FORMAT.search(text)
    has_rows = rows is None or any(path.startswith(rows[2]) for path in submission.citations)
    if rows is not None and not has_rows and any(digit in submission.answer_text for digit in "123456789"):
        return f"No row is cited; rows are cited as {quote(rows[1])}: check which rows the answer rests on."
    named = (match[1].rstrip(".-") for match in islice(_SOURCE.finditer(text), 20))
    sources = dict.fromkeys(path for path in named if _is_file_below(path))
    paths = (evidence.find(path).path for path in sources)
    read = tuple(path for path in paths if not evidence.has_trace or path in evidence.accesses)
    return Objection(demands=read, lacking="{paths} is what the request is about, and it is not cited.")


def judge_read_citations(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject a citation of a path that this trial's calls never accessed.

    Guards against references that a model remembers, guesses or invents. A fragment counts as its base path, and
    another spelling as the path that it reached (gate 3 demands the right one). A name in a listing does not count as
    read. Accepts a file that was deleted after it was read, or that was only written.
    """
    if not evidence.has_trace:
        return Inapplicable("there is no trace of what was read")
    if not submission.citations:
        return Inapplicable("nothing is cited")
    faults: list[str] = []
    for reference in submission.citations:
        target = evidence.find(reference)
        if target.access is None and not target.is_directory:
            hint = evidence.nearest_note(reference) if len(faults) < _DETAILED else ""
            faults.append(
                f"{quote(reference)} was not read in this trial{hint}: read it, and see that it supports the "
                f"answer; if it does not, {TAKE_BACK}."
            )
    return faults


_NEGATIONS: Final = frozenset(("no", "not", "none", "never", "nothing", "without", "kein", "keine", "nicht", "aucun"))
_CHANGES: Final = """
    written write updated changed edited added created saved stored modified appended exported set replaced filled
    renamed moved marked entered new now deleted removed cleared executed execute ran run called applied performed
    geschrieben geandert erganzt angelegt neu jetzt geloscht ausgefuhrt modifie ecrit ajoute nouveau cree supprime
"""
_CHANGED: Final = frozenset(_CHANGES.split())
"""Folded words that say that a path was written, deleted or run."""


def ask_justification(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a reason that is boilerplate, or of whose ids and numbers none was seen at its path.

    Guards against citations without support: bare paths, boilerplate, ids and numbers copied from another file. One of
    them, or another word of the text, is enough, in any format. Accepts plain words, which a text need not spell out; a
    count of what is there; "no row for X"; a citation with a quotation that was found and is more than boilerplate; for
    a path that was changed or run, that it was; and any reason of substance for an empty text. What the script itself
    wrote supports nothing.
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
        quoted = (word for quotation in evidence.quoted.get(target.path, ()) for word in tokens_of(quotation))
        if target.access is None or not isinstance(reason, str) or not all(map(is_boilerplate, quoted)):
            continue
        if not _is_justified(target, target.access, reason):
            fix_it = (
                f"The reason for {quote(reference)}, {quote(reason)}, names nothing that was found there: name an id, "
                "a number or the rule that was read there, or quote it: `scratchpad.cite(path, reason, quote)`."
            )
            faults.append(fix_it if len(faults) < _DETAILED else "")
    return faults


def _is_justified(target: Reference, access: Access, reason: str) -> bool:
    """Say whether a reason is of substance, and names something seen at the path if it names ids or numbers."""
    own = {*tokens_of(target.path), *tokens_of(base_name(target.path))}
    # Max words of one reason that are looked for; at least one must have been found.
    said = [word for word in dict.fromkeys(tokens_of(reason)) if len(word) > 1 and word not in own][:100]
    telling = [word for word in said if not is_boilerplate(word)]
    specific = [word for word in telling if any(map(str.isdigit, word))]
    if not specific:
        return bool(telling)
    if access.actions != {"read"} and not _CHANGED.isdisjoint(tokens_of(reason)):
        return True
    if any(map(access.holds, telling)) or not _NEGATIONS.isdisjoint(said):
        return True
    texts = access.given_texts
    if any(seen.is_whole and not seen.text.strip() for seen in texts):
        return True
    data = (Counter(name for name, _ in parse(seen.text, target.path)) for seen in texts)
    counts = {str(max(names.values())) for names in data if names} | {str(seen.text.count("\n") + 1) for seen in texts}
    return not access.seen or not counts.isdisjoint(specific)


def _is_file_below(path: str) -> bool:
    return "#" not in path and "/" in path[1:] and "." in base_name(path).strip(".")
