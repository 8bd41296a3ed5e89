"""The eight gates and the general rules: each finds the faults of one kind in a submission.

Every function looks at data alone, but for `judge_verify_reply`, which calls the `verify` of a script.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice, pairwise
from typing import Final, TypeAlias

import re2

from controlplane.gates.answer_arithmetic import spelled_results
from controlplane.gates.evidence import (
    Access,
    Change,
    Evidence,
    Reference,
    base_name,
    canonical,
    parse,
    split_fragment,
)
from controlplane.gates.submission import (
    CLARIFICATION,
    INTERNAL,
    OK,
    OUTCOMES,
    REFUSALS,
    Case,
    Inapplicable,
    Objection,
    Opinion,
    Plain,
    Submission,
    describe,
    encodable,
    fault_of_reason,
    quote,
    quote_some,
    surrogate_at,
)
from controlplane.gates.text_folding import QUOTATION, asked_text, is_boilerplate, tokens_of
from controlplane.gates.value_support import answer_values
from controlplane.sandbox.interface import bounds

CONFIDENCES: Final = ("verified", "derived", "pending")
ORIGINS: Final = frozenset({"task", "identity"})
NO_SCRIPT: Final = Inapplicable("the submission does not come from a script")
_Slot: TypeAlias = dict[str, Plain]


def judge_verify_signature(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject a script's answer whose `verify` cannot be called with one argument.

    Guards against untested answers: gate 7 needs a function to call. Accepts any callable that takes the scratchpad: a
    lambda, a function of another name, further parameters with defaults.
    """
    if not submission.from_script:
        return NO_SCRIPT
    probe = submission.probe
    if probe is None or not probe.is_callable:
        return (
            "`verify` is not a function: define `def verify(sp): return <what must hold of sp>` and call "
            "`harness.answer(scratchpad, verify)`."
        )
    if not probe.takes_one_argument:
        return (
            "`verify` must be callable with one argument, the scratchpad: write `def verify(sp): …` and pass the "
            "function itself, not its result."
        )
    return None


def judge_fact_shapes(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject a fact that lacks a value, description, source or confidence, or that its source does not support.

    Guards against values of unknown origin. `verified` names a path that was read or a tool that was run (so a value
    found by SQL has a source), not one that was only written; `derived` names what was read, a verified fact, one
    derived above it, "task" or "identity"; `pending` has no value. Accepts scratchpads without facts, further keys in a
    fact, and any kind of value.
    """
    facts = submission.facts
    if facts is None:
        return Inapplicable("no facts are kept")
    if not isinstance(facts, dict):
        return f"`facts` is {describe(facts)}: make it a map of names to {{value, description, source, confidence}}."
    slots = {name: slot for name, slot in facts.items() if isinstance(slot, dict)}
    known = {
        *ORIGINS,
        *(name for name, slot in slots.items() if slot.get("confidence") == "verified"),
    }
    faults: list[str] = []
    for name, slot in facts.items():
        # Max facts whose fault comes with a hint.
        if fault := _fault_of_fact(name, slot, known, evidence, with_hint=len(faults) < 8):
            faults.append(fault)
        elif slots[name].get("confidence") == "derived":
            known.add(name)
    return faults


def _fault_of_fact(
    name: str, slot: Plain, known: Set[str], evidence: Evidence, *, with_hint: bool
) -> str:
    if not isinstance(slot, dict):
        return f"Fact {quote(name)} is {describe(slot)}: make it {{value, description, source, confidence}}."
    confidence, value, description = (
        slot.get("confidence"),
        slot.get("value"),
        slot.get("description"),
    )
    if confidence not in CONFIDENCES:
        return f"Fact {quote(name)} has the confidence {describe(confidence)}: use one of {', '.join(CONFIDENCES)}."
    if not isinstance(description, str) or not description.strip():
        return f"Fact {quote(name)} has no description: say in words what its value is."
    if confidence == "pending":
        if value in (None, ""):
            return ""
        return (
            f"Fact {quote(name)} is pending and yet holds {describe(value)}: name as its source where the value was "
            "read (verified) or what it was computed from (derived); leave out a value that was not found."
        )
    if value is None:
        return f"Fact {quote(name)} is {confidence} without a value: give it the value that its source holds."
    sources = _sources(slot)
    if confidence == "derived":
        if _is_grounded(slot, known, evidence):
            return ""
        return (
            f"Fact {quote(name)} is derived from {describe(slot.get('source'))}, which is no known fact: name the "
            'verified facts it was computed from, "task" if the request holds it, or "identity" if who asks decides it.'
        )
    if not sources:
        return f"Fact {quote(name)} is verified without a source: name the path that was read or the tool that was run."
    unread = (
        source for source in sources if evidence.has_trace and not _is_found(source, evidence)
    )
    source = next(unread, None)
    if source is None:
        return ""
    hint = evidence.nearest_note(source) if with_hint else ""
    return (
        f"Fact {quote(name)} is verified by {quote(source)}, which was not read{hint}: read it, and see that it holds "
        "the value, or name the path or the tool where the value was found."
    )


def _is_found(source: str, evidence: Evidence) -> bool:
    """Say whether a source is a path that was read, or a tool that was run."""
    access = evidence.find(source.strip()).access
    return access is not None and access.is_found


def _sources(slot: _Slot) -> list[str]:
    source = slot.get("source")
    given = source if isinstance(source, list) else [source]
    return [named for named in given if isinstance(named, str) and named.strip()]


def _is_grounded(slot: _Slot, known: Set[str], evidence: Evidence) -> bool:
    """Say whether a derived fact names a known one, the task, who asks, or what was read."""
    return any(
        _is_found(source, evidence) or not known.isdisjoint(_names_in(source, known))
        for source in _sources(slot)
    )


def _names_in(source: str, known: Set[str]) -> Iterator[str]:
    """Yield what `source` names, as a whole or word by word."""
    yield source.strip()
    words = "".join(char if char.isalnum() or char in "_-." else " " for char in source).split()
    for word in (word.strip(".-") for word in words):
        yield word if word in known else word.lower() if word.lower() in ORIGINS else ""


def judge_verify_reply(submission: Submission) -> Opinion:
    """Reject an answer that its own `verify` rejects, or whose `verify` checks nothing.

    Guards against answers that drifted from what the script found, and against `return True`. Calls `verify` on the
    submission (it must return yes), then with answer, outcome and refs blanked (it must not), then on the submission
    again (it must return yes again). An exception in the second call counts as a no. The reply is the script's
    untrusted claim.
    """
    probe = submission.probe
    if not submission.from_script or probe is None:
        return NO_SCRIPT
    says_yes, error = probe.ask(False)
    if error:
        return (
            f"`verify` did not answer: {quote(error, 300)}. Make it compare `sp` with values that the script "
            "already holds (it need not call the harness), and return True or False."
        )
    if not says_yes:
        return (
            "`verify(scratchpad)` did not return True (or a mapping whose `ok` is true) for this answer: compare both "
            "with what was read, and correct the one that is wrong."
        )
    if probe.ask(True) == (True, "") and submission.answer_text.strip():
        return (
            "`verify` also says yes when answer, outcome and refs are blank, so it checks nothing: have it test "
            '`sp["answer"]`, for example `return str(expected) in sp["answer"]`.'
        )
    if probe.ask(False) != (True, ""):
        return (
            "`verify(scratchpad)` returned True for this answer and something else when it was asked again: have it "
            "depend on `sp` and on values that the script holds, and change nothing."
        )
    return None


TAKE_BACK: Final = "take it back with `scratchpad.uncite(path)`"


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
        faults = [
            f"{describe(path)} is not a path: cite strings."
            for path in bare
            if not isinstance(path, str)
        ]
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
        return (
            f"{quote(reference)} is a folder: cite the files in it that were read, and {TAKE_BACK}."
        )
    if target.is_known and reference != target.citation:
        known_from = "was read as" if target.access is not None else "is listed as"
        return (
            f"{quote(reference)} {known_from} {quote(target.path)}: cite {quote(target.citation)}."
        )
    base, fragment = split_fragment(reference)
    right = canonical(base.strip())
    if not target.is_known and base != right:
        what = (
            "a folder or a misspelt file"
            if base.endswith("/")
            else "not an absolute canonical path"
        )
        return f"{quote(reference)} is {what}: read and cite {quote(right + fragment)}, and {TAKE_BACK}."
    return ""


_CITE: Final = re2.compile(r"\b(?:[Cc]ite|grounding refs?)\b")
_MAYBE_NONE: Final = re2.compile(r"(?i)\b(?:every|each|all|any|if|no|not|don't|never)\b")
_SENTENCE_END: Final = re2.compile(r"[.!?]|\n\s*\n")
_ROW_FORMAT: Final = re2.compile(r"(?:^|\s)((/[^\s#]+#[\pL\pN_]+=)<[\pL\pN_]+>)")
_SOURCE: Final = re2.compile(
    r"\b(?:[Rr]ead|[Ll]ook at|upload)\s(?:[a-zA-Z]+\s){0,8}?(/[\pL\pN_./#-]+)"
)


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
    if (
        rows is not None
        and not has_rows
        and any(digit in submission.answer_text for digit in "123456789")
    ):
        return f"No row is cited; rows are cited as {quote(rows[1])}: check which rows the answer rests on."
    named = (match[1].rstrip(".-") for match in islice(_SOURCE.finditer(text), 20))
    sources = dict.fromkeys(path for path in named if _is_file_below(path))
    paths = (evidence.find(path).path for path in sources)
    read = tuple(path for path in paths if not evidence.has_trace or path in evidence.accesses)
    return Objection(
        demands=read, lacking="{paths} is what the request is about, and it is not cited."
    )


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
            hint = evidence.nearest_note(reference) if len(faults) < bounds.SHOWN_FAULTS else ""
            faults.append(
                f"{quote(reference)} was not read in this trial{hint}: read it, and see that it supports the "
                f"answer; if it does not, {TAKE_BACK}."
            )
    return faults


_NEGATIONS: Final = frozenset(
    ("no", "not", "none", "never", "nothing", "without", "kein", "keine", "nicht", "aucun")
)
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
        quoted = (
            word
            for quotation in evidence.quoted.get(target.path, ())
            for word in tokens_of(quotation)
        )
        if (
            target.access is None
            or not isinstance(reason, str)
            or not all(map(is_boilerplate, quoted))
        ):
            continue
        if not _is_justified(target, target.access, reason):
            fix_it = (
                f"The reason for {quote(reference)}, {quote(reason)}, names nothing that was found there: name an id, "
                "a number or the rule that was read there, or quote it: `scratchpad.cite(path, reason, quote)`."
            )
            faults.append(fix_it if len(faults) < bounds.SHOWN_FAULTS else "")
    return faults


def _is_justified(target: Reference, access: Access, reason: str) -> bool:
    """Say whether a reason is of substance, and names something seen at the path if it names ids or numbers."""
    own = {*tokens_of(target.path), *tokens_of(base_name(target.path))}
    # Max words of one reason that are looked for; at least one must have been found.
    said = [word for word in dict.fromkeys(tokens_of(reason)) if len(word) > 1 and word not in own][
        :100
    ]
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
    counts = {str(max(names.values())) for names in data if names} | {
        str(seen.text.count("\n") + 1) for seen in texts
    }
    return not access.seen or not counts.isdisjoint(specific)


def _is_file_below(path: str) -> bool:
    return "#" not in path and "/" in path[1:] and "." in base_name(path).strip(".")


ACTIONS: Final = ("write", "delete", "execute")
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
        faults.append(
            f"The answer is {'missing' if answer is None else describe(answer)}: set `answer` to a string."
        )
    elif not answer.strip() and not case.is_uncited:
        faults.append("The answer is empty: say what was found or why it cannot be done.")
    elif len(answer) > bounds.MOST_ANSWER_CHARS:
        faults.append(
            f"The answer has {len(answer)} characters: keep it under {bounds.MOST_ANSWER_CHARS}."
        )
    elif (place := surrogate_at(answer)) is not None:
        faults.append(
            f"The answer holds a lone surrogate at character {place}, which cannot be sent: remove it."
        )
    return [*faults, *_faults_of_declared_changes(submission.changes, evidence)]


def _faults_of_declared_changes(changes: Plain, evidence: Evidence) -> list[str]:
    if changes is None:
        return []
    if not isinstance(changes, list) or len(changes) > bounds.MOST_DECLARED:
        return [
            f"`changes` is {describe(changes)}: list at most {bounds.MOST_DECLARED} paths, tools and operations."
        ]
    entries = [_entry_of(entry) for entry in changes]
    faults = [
        f"`changes` holds {describe(entry)}, which names nothing: list paths, tools and operations as strings."
        for entry, (name, _) in zip(changes, entries, strict=True)
        if not name
    ]
    if not evidence.has_trace:
        return faults
    made = (
        *evidence.changes,
        *(Change(path, "execute", is_optional=True) for path in evidence.unclear_runs),
    )
    needed = [
        at
        for at, change in enumerate(made)
        if not (change.is_optional or evidence.is_undone(change))
    ]
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
    faults += (
        [f"`changes` names {quote_some(unmade)}: the trace shows no such change."] if unmade else []
    )
    faults += [f"`changes` leaves out {change_names(missing)}."] if missing else []
    if unmade or missing:
        faults[-1] += f" By the trace, `changes` = {change_entries([made[at] for at in needed])}."
    return faults


def _entry_of(entry: Plain) -> tuple[str, str]:
    """Return the name and the action, if it has one, of an entry of `changes`: a string, or an object."""
    given, action = entry, None
    if isinstance(entry, dict):
        given = next(
            (entry[key] for key in ("path", "tool", "operation", "name") if entry.get(key)), None
        )
        action = entry.get("action")
    name = given.strip() if isinstance(given, str) else ""
    return name.removeprefix("harness.").removesuffix("()"), action if action in ACTIONS else ""


def _names_of(change: Change) -> Iterator[str]:
    """Yield the names of a change: of `/bin/restart` also `restart`, of `mail.send` also `send`, of a file its action.

    A name that begins with a point is the last part of any longer one.
    """
    name = base_name(change.path).casefold()
    yield from (
        change.path,
        change.result_path,
        name,
        name.rpartition(".")[2] if change.path[:1] != "/" else name,
    )
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
    more = f" and {len(names) - bounds.SHOWN_NAMES} more" if len(names) > bounds.SHOWN_NAMES else ""
    return (
        json.dumps(names[: bounds.SHOWN_NAMES], ensure_ascii=not all(map(str.isprintable, names)))
        + more
    )


def ask_wording(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an answer that its outcome contradicts: an outcome's name inside it, a question that asks nothing."""
    answer, outcome = encodable(submission.answer_text).strip(), submission.outcome
    named = _OUTCOME_NAME.search(answer)
    if named and outcome in (OK, CLARIFICATION) and named[0] not in case.instruction:
        return "The answer names an outcome class: the class belongs in `outcome` alone, and the answer says what holds."
    if outcome == CLARIFICATION and _ONE_WORD.fullmatch(answer) and not named:
        return f"{quote(answer)} asks nothing: a clarification names what is unclear and what there is to choose from."
    return None


def ask_internal_error(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to giving up because of failed tooling: always once, and again if the trace shows no failed call."""
    if submission.outcome != INTERNAL:
        return Inapplicable("the trial does not give up")
    if case.internal_errors_before and (evidence.has_failures or not evidence.has_trace):
        return None
    failed = (
        "Call again what failed"
        if evidence.has_failures
        else "No call of the environment has failed"
    )
    return f"{quote(INTERNAL)} is for failed tooling alone. {failed}; then answer from what is found, refuse, or ask."


def judge_literal_tokens(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject an answer that lacks its declared tokens, or an OK answer that leaves the request's placeholder unfilled.

    A token is a string; a list of strings declares alternatives, exactly one of which must be in the answer. A token
    counts if no letter or digit touches it and it lies outside every longer declared alternative.
    """
    faults = [*_faults_of_tokens(submission.tokens, submission.answer_text)]
    if submission.outcome == OK and (
        fault := _fault_of_form(case.instruction, submission.answer_text)
    ):
        faults.append(fault)
    if submission.tokens is None and not faults:
        return Inapplicable("no token is declared")
    return faults


_FORM: Final = re2.compile(
    r"([<\[][A-Za-z_ ]{1,30}[:=]\s?)%([0-9]{0,2})(?:\.([0-9]))?([dsf])([>\]])"
)


def _fault_of_form(instruction: str, answer: str) -> str:
    """Return the fault of an answer that fills in no bracketed placeholder of the request, or an empty string.

    `<N:%d>` takes an integer, `%02d` one of two digits or more, `%.2f` a number of two decimals, `%s` any text.
    Placeholders in quotations, quoted lines and fenced blocks do not count; one of several placeholders is enough.
    """
    forms = {
        found[0]: found for found in _FORM.finditer(QUOTATION.sub(" ", asked_text(instruction)))
    }
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
    value = {
        "s": r"\S(?:.*\S)?",
        "f": rf"-?\d+\.\d{{{decimals or 6}}}",
        "d": rf"-?\d{{{int(least)},}}",
    }[kind]
    return f"{re2.escape(head)}{value}{re2.escape(end)}"


def _faults_of_tokens(tokens: Plain, answer: str) -> Iterator[str]:
    declared = [tokens] if isinstance(tokens, str) else [] if tokens is None else tokens
    if not isinstance(declared, list):
        yield f"`tokens` is {describe(tokens)}: make it a list of strings; a list inside it means alternatives."
        return
    count = sum(len(token) if isinstance(token, list) else 1 for token in declared)
    if count > bounds.MOST_TOKENS:
        yield f"`tokens` declares {count} strings: declare at most {bounds.MOST_TOKENS}, those that a reader must find."
        return
    for token in declared:
        words = [
            word
            for word in (token if isinstance(token, list) else [token])
            if isinstance(word, str)
        ]
        if not all(map(str.strip, words or [""])) or (
            isinstance(token, list) and len(words) < len(token)
        ):
            yield f"`tokens` holds {describe(token)}: use strings, or lists of strings of which the answer holds one."
            continue
        present = words_present(words, answer)
        if not present and isinstance(token, str):
            yield (
                f"The declared token {quote(token)} is not in the answer as a word of its own: put it there exactly "
                "(words that exclude each other belong in a list inside the list)."
            )
        elif len(present) != 1:
            how_many = f"The answer holds {len(present)}" if present else "The answer holds none"
            yield f"{how_many} of the alternatives {quote_some(words, 8)}: use exactly one, as a word of its own."


def words_present(words: Iterable[str], text: str) -> list[str]:
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


def ask_arithmetic(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to arithmetic of an OK answer that gives another result when it is done again."""
    if submission.outcome != OK:
        return Inapplicable("the trial refuses")
    answer = submission.answer_text
    faults: list[str] = []
    for spelled in spelled_results(answer, answer_values(answer)):
        if not spelled.is_right:
            faults.append(
                f"{quote(spelled.text)} does not come out: compute it in a script, and print it."
            )
    return faults
