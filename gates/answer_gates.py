"""Gates 6 and 8: outcome and answer can be sent, `changes` and what the answer tells agree with the trace, declared
tokens are in the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from gates.citation_gates import NEGATION
from gates.claims import Source
from gates.evidence import Change, Evidence, Touch
from gates.request_text import asked_text, asks_only, fault_of_template
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
    quote,
    quote_some,
    surrogate_at,
)
from gates.terms import values_in
from gates.trial_facts import facts_of

MAX_ANSWER_CHARS: Final = 1_000_000
MAX_TOKENS: Final = 100
MAX_TOKEN_CHARS: Final = 20_000
ACTIONS: Final = ("write", "delete", "execute")
_MAX_ENTRIES: Final = 40
_MAX_PATH_CHARS: Final = 200
_OUTCOME_NAME: Final = re.compile(r"\bOUTCOME_[A-Z_]+\b")
_ONE_WORD: Final = re.compile(r"[!->@-~]+")
"""ASCII without a question mark: some writing systems put no spaces between the words of a question."""


# Gate 6 --------------------------------------------------------------------------------------------------------------


def judge_outcome_class(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject an unknown outcome, an answer that cannot be sent, and `changes` that differ from the trace.

    `changes` must list exactly the changes that the trace shows. A tool of unknown kind may have changed something, so
    its run may be listed or left out.
    """
    answer, outcome = submission.answer, submission.outcome
    faults: list[str] = []
    if outcome not in OUTCOMES:
        given = "missing" if outcome is None else describe(outcome)
        faults.append(f"The outcome is {given}: set `outcome` to one of {', '.join(OUTCOMES)}.")
    if not isinstance(answer, str):
        faults.append(f"The answer is {'missing' if answer is None else describe(answer)}: set `answer` to a string.")
    elif not answer.strip():
        faults.append("The answer is empty: say what was found or why it cannot be done.")
    elif len(answer) > MAX_ANSWER_CHARS:
        faults.append(f"The answer has {len(answer)} characters: keep it under {MAX_ANSWER_CHARS}.")
    elif (place := surrogate_at(answer)) is not None:
        faults.append(f"The answer holds a lone surrogate at character {place}, which cannot be sent: remove it.")
    return [*faults, *_faults_of_declared_changes(submission.changes, evidence)]


def _faults_of_declared_changes(changes: Plain, evidence: Evidence) -> list[str]:
    if changes is None:
        return []
    if not isinstance(changes, list):
        return [f"`changes` is {describe(changes)}: make it a list of {{path, action}}, one for each change made."]
    faults: list[str] = []
    declared: set[tuple[str, str]] = set()
    for entry in changes:
        path, action = (entry.get("path"), entry.get("action")) if isinstance(entry, dict) else (None, None)
        if isinstance(path, str) and action in ACTIONS:
            declared.add((evidence.find(path).path, str(action)))
        else:
            faults.append(
                f"`changes` holds {describe(entry)}, which is not {{path, action}} with an action of "
                f"{', '.join(ACTIONS)}."
            )
    if not evidence.has_trace:
        return faults
    real = {(change.path, change.action): change for change in evidence.changes}
    unclear = {(run.path, "execute") for run in evidence.executions if run.kind == "unknown" and not run.has_failed}
    faults += [
        f"`changes` names {action} of {quote(path)}, which did not happen: {what_changed(evidence.changes)}"
        for path, action in sorted(declared - set(real) - unclear)
    ]
    if missing := [change for key, change in real.items() if key not in declared]:
        faults.append(f"`changes` leaves out {change_names(missing)}: add {change_entries(missing)}.")
    return faults


def change_names(changes: Sequence[Change]) -> str:
    """Describe changes in words; only the first four are named."""
    shown = ", ".join(f"{change.action} of {quote(change.path)}" for change in changes[:4])
    return shown + (f" and {len(changes) - 4} more" if len(changes) > 4 else "")


def what_changed(changes: Sequence[Change]) -> str:
    """Return a sentence about the changes that the trace shows."""
    return f"the trace shows {change_names(changes) if changes else 'no change'}."


def change_entries(changes: Sequence[Change]) -> str:
    """Return the first 40 changes as a scratchpad would list them."""
    more = f" and {len(changes) - _MAX_ENTRIES} more" if len(changes) > _MAX_ENTRIES else ""
    entries = [{"path": change.path[:_MAX_PATH_CHARS], "action": change.action} for change in changes[:_MAX_ENTRIES]]
    return json.dumps(entries, ensure_ascii=not all(change.path.isprintable() for change in changes)) + more


def ask_wording(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an answer that its outcome contradicts: an outcome's name inside it, a question that asks nothing."""
    answer, outcome = submission.answer_text.strip(), submission.outcome
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
    if case.internal_errors_before and (evidence.failures or not evidence.has_trace):
        return None
    failed = "Call again what failed" if evidence.failures else "No call of the environment has failed"
    return f"{quote(INTERNAL)} is for failed tooling alone. {failed}; then answer from what is found, refuse, or ask."


# Gate 8 --------------------------------------------------------------------------------------------------------------


def judge_literal_tokens(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject an answer that lacks its declared tokens, or an OK answer that leaves the request's placeholder unfilled.

    A token is a string; a list of strings declares alternatives, exactly one of which must be in the answer. A token
    counts if no letter or digit touches it and it lies outside every longer declared alternative.
    """
    faults = _faults_of_tokens(submission.tokens, submission.answer_text)
    if submission.outcome == OK and (fault := fault_of_template(case.instruction, submission.answer_text)):
        faults.append(fault)
    if submission.tokens is None and not faults:
        return Inapplicable("no token is declared")
    return faults


def _faults_of_tokens(tokens: Plain, answer: str) -> list[str]:
    if tokens is None:
        return []
    if isinstance(tokens, str):
        tokens = [tokens]
    if not isinstance(tokens, list):
        return [f"`tokens` is {describe(tokens)}: make it a list of strings; a list inside it means alternatives."]
    declared = sum(len(token) if isinstance(token, list) else 1 for token in tokens)
    if declared > MAX_TOKENS:
        return [f"`tokens` declares {declared} strings: declare at most {MAX_TOKENS}, those that a reader must find."]
    longest = max((len(word) for token in tokens for word in _strings_of(token)), default=0)
    if longest > MAX_TOKEN_CHARS:
        return [f"`tokens` declares a string of {longest} characters: declare at most {MAX_TOKEN_CHARS}."]
    return [fault for token in tokens if (fault := _fault_of_token(token, answer))]


def _strings_of(token: Plain) -> list[str]:
    return [word for word in (token if isinstance(token, list) else [token]) if isinstance(word, str)]


def _fault_of_token(token: Plain, answer: str) -> str:
    if isinstance(token, str):
        if not token.strip():
            return "`tokens` holds an empty string: remove it."
        if count_occurrences(token, answer):
            return ""
        return (
            f"The declared token {quote(token)} is not in the answer as a word of its own: put it there exactly (words "
            "that exclude each other belong in a list inside the list)."
        )
    if not isinstance(token, list) or not token or not all(isinstance(word, str) and word.strip() for word in token):
        return f"`tokens` holds {describe(token)}: use strings, or lists of strings of which the answer holds one."
    words = tuple(dict.fromkeys(_strings_of(token)))
    present = [word for word in words if count_occurrences(word, answer, words)]
    if len(present) == 1:
        return ""
    how_many = "None" if not present else f"The answer holds {len(present)}"
    rest = " is in the answer" if not present else ""
    return f"{how_many} of the alternatives {quote_some(list(words), 8)}{rest}: use exactly one, as a word of its own."


def count_occurrences(token: str, text: str, longer: tuple[str, ...] = ()) -> int:
    """Count `token` in `text` where no letter or digit touches it, outside all occurrences of `longer`."""
    covered = [
        (place, place + len(word))
        for word in longer
        if len(word) > len(token) and token in word
        for place in _places(word, text)
    ]
    return sum(
        not any(start <= place and place + len(token) <= end for start, end in covered)
        for place in _places(token, text)
    )


def _places(token: str, text: str) -> list[int]:
    """Return the first 1,000 positions of `token` in `text` where no letter or digit touches it."""
    alone = re.compile(rf"(?<![^\W_])(?={re.escape(token)}(?![^\W_]))")
    return [match.start() for match in islice(alone.finditer(text), 1_000)]


MAX_CHARS: Final = 20_000
_HELD_BEFORE: Final = re.compile(
    r"\b(?:already|before|still|as it (?:is|was)|bereits|schon|déjà|ya|già)\b", re.IGNORECASE
)
"""Words that mark a state in an answer as an earlier one."""
_MARKS: Final = ".,;:()?!"
_REPEATED: Final = ("date", "time", "quotation")
"""Kinds of values that a reason repeats from the request only if the cited place holds them."""
_TO_A_TIME: Final = re.compile(r"from|until|till|by|for|since|right|ab|bis|von|seit|jusqu.*|dès|à")
"""Words before a "now" that means a point in time."""
_CHANGE_WORDS: Final = re.compile(
    r"->|→|now|added|appended|removed|deleted|renamed|replaced|updated|changed|edited|moved|entered|inserted|created|jetzt"
    r"|nun|nunmehr|hinzugefügt|ergänzt|gelöscht|entfernt|eingetragen|geändert|ersetzt|angelegt|verschoben|maintenant"
    r"|désormais|ajouté|supprimé|modifié|créé|remplacé|déplacé|ahora|añadido|eliminado|adesso|aggiunto|rimosso"
)
"""Words that report a change in any domain."""


def ask_unowned_change(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a refusal after a change that still holds, unless the submission declares `changes`."""
    standing = facts_of(evidence).standing_changes
    if submission.outcome not in REFUSALS or not standing:
        return Inapplicable("the trial does not refuse after a change")
    if submission.changes is not None:
        return None
    return (
        f"The answer refuses, but {what_changed(standing)} Check whether that was asked for and allowed; undo what was "
        f"not if that is possible, and own up to what still holds: `changes` = {change_entries(standing)}."
    )


def ask_unmade_change(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK answer that reports a change which nobody made.

    If the trace shows no change, an answer or a reason reports one by a word of change ("now", "removed"), or a reason
    by a value of the request that the cited record lacks.
    """
    if submission.outcome != OK or not evidence.has_trace:
        return Inapplicable("there is no trace, or the trial refuses")
    may_have_changed = any(run.kind == "unknown" and not run.has_failed for run in evidence.executions)
    if facts_of(evidence).standing_changes or may_have_changed:
        return Inapplicable("something was changed, or may have been")
    claim = next(_claimed_changes(submission, evidence, case), "")
    if not claim:
        return None
    return (
        f"Nothing was written, deleted or executed, but {claim}. Check what the request asks for, and what the record "
        "says now; a state that held before is told as such."
    )


def _claimed_changes(submission: Submission, evidence: Evidence, case: Case) -> Iterator[str]:
    request = asked_text(case.instruction[:MAX_CHARS])
    touches = {reference: evidence.find(reference).touch for reference in submission.citations}
    cited = {reference: touch for reference, touch in touches.items() if touch and touch.actions == {"read"}}
    if asks_only(request) or not cited or not all(touch.is_whole for touch in cited.values()):
        return
    reasons = submission.refs_why if isinstance(submission.refs_why, dict) else {}
    for reference, reason in reasons.items():
        touch = cited.get(reference)
        if touch is None or not isinstance(reason, str) or NEGATION.search(reason):
            continue
        for word in _change_words(reason, request, [touch]):
            yield f"the reason for {quote(touch.path)} says {quote(word)}"
        held = [Source(touch.path, seen.text) for seen in touch.seen]
        repeated = (one for one in values_in(reason) if one.kind in _REPEATED and one in values_in(request))
        for value in repeated:
            if not any(source.place_of(value) for source in held):
                yield f"the reason for {quote(touch.path)} says {quote(value.text)}, and the record does not"
    answer = submission.answer_text[:MAX_CHARS]
    if NEGATION.search(answer) or _HELD_BEFORE.search(answer):
        return
    for word in _change_words(answer, request, list(cited.values())):
        yield f"the answer says {quote(word)}, which neither the request nor anything that is cited says"


def _change_words(said: str, request: str, touches: list[Touch]) -> Iterator[str]:
    """Yield words of an answer or a reason that report a change and are in neither the request nor the files."""
    requested = {word.strip(_MARKS) for word in request.casefold().split()}
    words = said.casefold().split()
    for before, word in zip(["", *words], words, strict=False):
        if (
            _CHANGE_WORDS.fullmatch(bare := word.strip(_MARKS))
            and bare not in requested
            and not _TO_A_TIME.fullmatch(before)
            and not any(touch.holds(bare) for touch in touches)
        ):
            yield bare
