"""Gates 6 and 8: outcome and answer can be sent, `changes` agrees with the trace, declared tokens are in the answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

import re2

from gates.evidence import Change, Evidence, base_name
from gates.rules import Inapplicable, Opinion
from gates.submission import (
    CLARIFICATION,
    INTERNAL,
    OK,
    OUTCOMES,
    REFUSALS,
    Case,
    Plain,
    Submission,
    describe,
    encodable,
    quote,
    quote_some,
    surrogate_at,
)
from gates.terms import QUOTATION, asked_text

MAX_ANSWER_CHARS: Final = 1_000_000
MAX_TOKENS: Final = 100
ACTIONS: Final = ("write", "delete", "execute")
MAX_DECLARED: Final = 1_000
"""Max entries of `changes`."""
_MAX_ENTRIES: Final = 40
_OUTCOME_NAME: Final = re2.compile(r"\bOUTCOME_[A-Z_]+\b")
_ONE_WORD: Final = re2.compile(r"[!->@-~]+")
"""ASCII without a question mark: some writing systems put no spaces between the words of a question."""


def judge_outcome_class(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject an unknown outcome, an answer that cannot be sent, and `changes` that differ from the trace.

    `changes` must name exactly what the trace shows as changed: paths, tools and operations, in any spelling. A change
    that was undone, and a call of which nobody declares whether it changes something, may be named or left out.
    """
    answer, outcome = submission.answer, submission.outcome
    faults: list[str] = []
    if outcome not in OUTCOMES:
        given = "missing" if outcome is None else describe(outcome)
        faults.append(f"The outcome is {given}: set `outcome` to one of {', '.join(OUTCOMES)}.")
    if not isinstance(answer, str):
        faults.append(f"The answer is {'missing' if answer is None else describe(answer)}: set `answer` to a string.")
    elif not answer.strip() and not case.is_uncited:
        faults.append("The answer is empty: say what was found or why it cannot be done.")
    elif len(answer) > MAX_ANSWER_CHARS:
        faults.append(f"The answer has {len(answer)} characters: keep it under {MAX_ANSWER_CHARS}.")
    elif (place := surrogate_at(answer)) is not None:
        faults.append(f"The answer holds a lone surrogate at character {place}, which cannot be sent: remove it.")
    return [*faults, *_faults_of_declared_changes(submission.changes, evidence)]


def _faults_of_declared_changes(changes: Plain, evidence: Evidence) -> list[str]:
    if changes is None:
        return []
    if not isinstance(changes, list) or len(changes) > MAX_DECLARED:
        return [f"`changes` is {describe(changes)}: list at most {MAX_DECLARED} paths, tools and operations."]
    entries = [_entry_of(entry) for entry in changes]
    faults = [
        f"`changes` holds {describe(entry)}, which names nothing: list paths, tools and operations as strings."
        for entry, (name, _) in zip(changes, entries, strict=True)
        if not name
    ]
    if not evidence.has_trace:
        return faults
    made = (*evidence.changes, *(Change(path, "execute", is_optional=True) for path in evidence.unclear_runs))
    needed = [at for at, change in enumerate(made) if not (change.is_optional or evidence.is_undone(change))]
    by_name: dict[str, set[int]] = {}
    for number, change in enumerate(made):
        for known in _names_of(change):
            by_name.setdefault(known, set()).add(number)
    told: set[int] = set()
    unmade: list[str] = []
    for name, action in entries:
        found = {number for one in _names_told(name, evidence) for number in by_name.get(one, ())}
        found = {number for number in found if not action or action == made[number].action}
        told |= found
        unmade += [name] if name and not found else []
    missing = [made[at] for at in needed if at not in told]
    faults += [f"`changes` names {quote_some(unmade)}: the trace shows no such change."] if unmade else []
    faults += [f"`changes` leaves out {change_names(missing)}."] if missing else []
    if unmade or missing:
        faults[-1] += f" By the trace, `changes` = {change_entries([made[at] for at in needed])}."
    return faults


def _entry_of(entry: Plain) -> tuple[str, str]:
    """Return the name and the action, if it has one, of an entry of `changes`: a string, or an object."""
    given, action = entry, None
    if isinstance(entry, dict):
        given = next((entry[key] for key in ("path", "tool", "operation", "name") if entry.get(key)), None)
        action = entry.get("action")
    name = given.strip() if isinstance(given, str) else ""
    return name.removeprefix("harness.").removesuffix("()"), action if action in ACTIONS else ""


def _names_of(change: Change) -> Iterator[str]:
    """Yield the names of a change: of `/bin/restart` also `restart`, of `mail.send` also `send`, of a file its action.

    A name that begins with a point is the last part of any longer one.
    """
    name = base_name(change.path).casefold()
    yield from (change.path, change.result_path, name, name.rpartition(".")[2] if change.path[:1] != "/" else name)
    if change.action == "execute":
        yield "" if "." in name else f".{name}"
    else:
        yield change.action


def _names_told(name: str, evidence: Evidence) -> tuple[str, ...]:
    """Return the names under which an entry of `changes` may stand in the trace."""
    if "/" in name:
        return name, evidence.find(name if name[0] == "/" else f"/{name}").path
    folded = name.casefold()
    return folded, f".{folded.rpartition('.')[2]}" if "." in folded else folded


def change_names(changes: Sequence[Change]) -> str:
    """Describe changes in words; only the first four are named."""
    shown = ", ".join(f"{change.action} of {quote(change.path)}" for change in changes[:4])
    return shown + (f" and {len(changes) - 4} more" if len(changes) > 4 else "")


def change_entries(changes: Sequence[Change]) -> str:
    """Return the first 40 different changes as a scratchpad lists them."""
    names = list(dict.fromkeys(change.path[:200] for change in changes))
    more = f" and {len(names) - _MAX_ENTRIES} more" if len(names) > _MAX_ENTRIES else ""
    return json.dumps(names[:_MAX_ENTRIES], ensure_ascii=not all(map(str.isprintable, names))) + more


def ask_wording(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an answer that its outcome contradicts: an outcome's name inside it, a question that asks nothing."""
    answer, outcome = encodable(submission.answer_text).strip(), submission.outcome
    named = _OUTCOME_NAME.search(answer)
    if named and outcome in (OK, CLARIFICATION) and named[0] not in case.instruction:
        return (
            "The answer names an outcome class: the class belongs in `outcome` alone, and the answer says what holds."
        )
    if outcome == CLARIFICATION and _ONE_WORD.fullmatch(answer) and not named:
        return f"{quote(answer)} asks nothing: a clarification names what is unclear and what there is to choose from."
    return None


def ask_internal_error(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to giving up because of failed tooling: always once, and again if the trace shows no failed call."""
    if submission.outcome != INTERNAL:
        return Inapplicable("the trial does not give up")
    if case.internal_errors_before and (evidence.has_failures or not evidence.has_trace):
        return None
    failed = "Call again what failed" if evidence.has_failures else "No call of the environment has failed"
    return f"{quote(INTERNAL)} is for failed tooling alone. {failed}; then answer from what is found, refuse, or ask."


def judge_literal_tokens(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject an answer that lacks its declared tokens, or an OK answer that leaves the request's placeholder unfilled.

    A token is a string; a list of strings declares alternatives, exactly one of which must be in the answer. A token
    counts if no letter or digit touches it and it lies outside every longer declared alternative.
    """
    faults = [*_faults_of_tokens(submission.tokens, submission.answer_text)]
    if submission.outcome == OK and (fault := _fault_of_form(case.instruction, submission.answer_text)):
        faults.append(fault)
    if submission.tokens is None and not faults:
        return Inapplicable("no token is declared")
    return faults


_FORM: Final = re2.compile(r"([<\[][A-Za-z_ ]{1,30}[:=]\s?)%([0-9]{0,2})(?:\.([0-9]))?([dsf])([>\]])")


def _fault_of_form(instruction: str, answer: str) -> str:
    """Return the fault of an answer that fills in no bracketed placeholder of the request, or an empty string.

    `<N:%d>` takes an integer, `%02d` one of two digits or more, `%.2f` a number of two decimals, `%s` any text.
    Placeholders in quotations, quoted lines and fenced blocks do not count; one of several placeholders is enough.
    """
    forms = {found[0]: found for found in _FORM.finditer(QUOTATION.sub(" ", asked_text(instruction)))}
    patterns = [_filled(*found.groups("")) for found in [*forms.values()][:20]]
    if not patterns or any(re2.search(pattern, encodable(answer)) for pattern in patterns):
        return ""
    return (
        f"The request fixes the form {quote(next(iter(forms)))}, and the answer does not hold it: fill the placeholder "
        "in."
    )


def _filled(head: str, width: str, decimals: str, kind: str, end: str) -> str:
    """Return the pattern of a placeholder that is filled in."""
    least = width if width.startswith("0") and len(width) > 1 else "1"
    value = {"s": r"\S(?:.*\S)?", "f": rf"-?\d+\.\d{{{decimals or 6}}}", "d": rf"-?\d{{{int(least)},}}"}[kind]
    return f"{re2.escape(head)}{value}{re2.escape(end)}"


def _faults_of_tokens(tokens: Plain, answer: str) -> Iterator[str]:
    declared = [tokens] if isinstance(tokens, str) else [] if tokens is None else tokens
    if not isinstance(declared, list):
        yield f"`tokens` is {describe(tokens)}: make it a list of strings; a list inside it means alternatives."
        return
    count = sum(len(token) if isinstance(token, list) else 1 for token in declared)
    if count > MAX_TOKENS:
        yield f"`tokens` declares {count} strings: declare at most {MAX_TOKENS}, those that a reader must find."
        return
    for token in declared:
        words = [word for word in (token if isinstance(token, list) else [token]) if isinstance(word, str)]
        if not all(map(str.strip, words or [""])) or (isinstance(token, list) and len(words) < len(token)):
            yield f"`tokens` holds {describe(token)}: use strings, or lists of strings of which the answer holds one."
            continue
        present = _present(words, answer)
        if not present and isinstance(token, str):
            yield (
                f"The declared token {quote(token)} is not in the answer as a word of its own: put it there exactly "
                "(words that exclude each other belong in a list inside the list)."
            )
        elif len(present) != 1:
            how_many = f"The answer holds {len(present)}" if present else "The answer holds none"
            yield f"{how_many} of the alternatives {quote_some(words, 8)}: use exactly one, as a word of its own."


def _present(words: Iterable[str], text: str) -> list[str]:
    """Return those of several words that are in a text where no letter or digit touches them, outside longer ones."""
    present = []
    for word in sorted(dict.fromkeys(words), key=len, reverse=True):
        first, *parts = text.split(word)
        around = pairwise([first, *(part or word for part in parts[:-1]), *parts[-1:]])
        if any(not (before[-1:].isalnum() or behind[:1].isalnum()) for before, behind in around):
            present.append(word)
            text = text.replace(word, "\n")
    return present


def ask_unowned_change(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a refusal after a change that still holds, unless the submission declares `changes`."""
    standing = evidence.present_changes
    if submission.outcome not in REFUSALS or not standing:
        return Inapplicable("the trial does not refuse after a change")
    if submission.changes is not None:
        return None
    return (
        f"The answer refuses, but the trace shows {change_names(standing)}. Check whether that was asked for "
        "and allowed; undo what was not if that is possible, and own up to what still holds: `changes` = "
        f"{change_entries(standing)}."
    )
