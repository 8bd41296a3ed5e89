"""Judges the outcome of a submission, what it declares as changed, and its wording: gate 6.

Gate 6 itself is structure: a declared outcome, an answer, `changes` as in the trace. Its rules
only ask: `wording`, `internal-error`, `unowned-change` and `arithmetic`. They go by the kind of an
outcome, which the benchmark declares, and by OUTCOME_ERR_INTERNAL: the trial gives up.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.paths import base_name
from controlplane.gates.quoting import Plain, describe, quote, quote_some
from controlplane.gates.submission import Case, Submission
from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.arithmetic import shown_results
from controlplane.gates.text_folding import encodable, surrogate_at
from controlplane.gates.trial import Change
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.outcomes import INTERNAL, OutcomeKind

# Words changes for messages: "write of `/a.md`", or `["/a.md", "mail.send"]`.

_SHOWN_CHANGES: Final = 4
_SHOWN_NAME_CHARS: Final = 200


def _change_names(changes: Sequence[Change]) -> str:
    """Return the first changes in words: "write of `/a.md`, delete of `/b.md` and 2 more"."""
    names = [
        f"{change.action} of {quote(change.path)}"
        for change in changes[:_SHOWN_CHANGES]
    ]
    text = ", ".join(names)
    if len(changes) > _SHOWN_CHANGES:
        text += f" and {len(changes) - _SHOWN_CHANGES} more"
    return text


def change_entries(changes: Sequence[Change]) -> str:
    """Return changes as a script would declare them: `["/a.md", "mail.send"]`."""
    names = list(dict.fromkeys(change.path[:_SHOWN_NAME_CHARS] for change in changes))
    # An invisible character is shown as an escape: `\u200b`. `json` can then only escape all
    # characters beyond ASCII, also the visible ones.
    has_invisible_characters = not all(name.isprintable() for name in names)
    text = json.dumps(
        names[: bounds.SHOWN_NAMES], ensure_ascii=has_invisible_characters
    )
    if len(names) > bounds.SHOWN_NAMES:
        text += f" and {len(names) - bounds.SHOWN_NAMES} more"
    return text


# Reads one entry of a submission's `changes`, in which a script says what it changed.
#
# "/orders/7.json"                            a changed file
# {"path": "/a.md", "action": "delete"}       with what was done to it
# {"tool": "harness.mail.send()"}             the call of a tool or operation: `mail.send`

_ACTIONS: Final = ("write", "delete", "execute")
_ENTRY_KEYS: Final = ("path", "tool", "operation", "name")
"""The keys under which an entry may name its change: `{"path": "/a.md"}`.

If an entry has several, the first one in this order counts.
"""


@dataclass(frozen=True, slots=True)
class _DeclaredChange:
    """What an entry of `changes` says about one change."""

    name: str
    """The file, tool or operation as the script spells it, such as `/a.md`; empty if none is named."""
    action: str = ""
    """One of `_ACTIONS`; empty if the entry names none."""


def _declared_change(entry: Plain) -> _DeclaredChange:
    """Read an entry: the name itself, or an object such as `{"path": "/a.md", "action": "write"}`.

    Never raises: an entry of another form has an empty name.
    """
    if not isinstance(entry, dict):
        return _DeclaredChange(_plain_name(entry))
    action = entry.get("action")
    if not isinstance(action, str) or action not in _ACTIONS:
        action = ""
    for key in _ENTRY_KEYS:
        if entry.get(key):
            return _DeclaredChange(_plain_name(entry[key]), action)
    return _DeclaredChange("")


def _plain_name(name: Plain) -> str:
    """Return a name without the syntax of a call: `harness.mail.send()` -> `mail.send`.

    Return an empty string for anything that is not a text.
    """
    if not isinstance(name, str):
        return ""
    return name.strip().removeprefix("harness.").removesuffix("()")


# The changes that the calls of a trial made, found by the names that a script gives them.
#
# A script may spell a name freely:
#
#     the calls changed   the script may declare
#     `/a/7.json`         `/a/7.json`, `a/7.json`, `7.json`, or `write`, the call that wrote it
#     `mail.send`         `mail.send` or `send`
#     `/bin/restart`      `/bin/restart`, `restart`, or `tools.restart` with any prefix


class _MadeChanges:
    """The changes that the calls of one trial made, found by the names that a script gives them.

    A script declares what it changed, and may spell it freely: `/a/7.json`, `7.json`, or
    `write`, the call that wrote it. What was changed is known from the trial's calls (`Evidence`).
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.all = list(evidence.changes)
        """All changes, and the runs of tools that may have changed something.

        Such a run is optional: a script may declare it, but need not.
        """
        for tool in evidence.unclear_tools:
            self.all.append(Change(tool, "execute", is_optional=True))

        self._by_name: dict[str, list[Change]] = {}
        """The changes by each of their names (see `_names_of`); `send` may name several."""
        for change in self.all:
            for name in _names_of(change):
                self._by_name.setdefault(name, []).append(change)

    def named_by(self, declared: _DeclaredChange) -> list[Change]:
        """Return the changes that a declared one may mean; empty if no such change was made."""
        changes: list[Change] = []
        for name in self._names_meant_by(declared.name):
            for change in self._by_name.get(name, ()):
                if declared.action in ("", change.action):
                    changes.append(change)
        return changes

    def _names_meant_by(self, declared_name: str) -> list[str]:
        """Return the names of changes, as in `_by_name`, that a declared name may mean.

        | the script declares | the change may have the name                    |
        | ------------------- | ----------------------------------------------- |
        | `a/7.json`          | `a/7.json`, or the known path `/a/7.json`       |
        | `7.JSON`            | `7.json`: without a slash, case does not matter |
        | `tools.restart`     | `tools.restart`, or `*.restart`                 |
        """
        if "/" in declared_name:
            path = declared_name
            if not path.startswith("/"):
                path = f"/{path}"
            # The script may spell a path otherwise than the calls did.
            known_path = self._evidence.find(path).path
            return [declared_name, known_path]

        name = declared_name.casefold()
        _prefix, dot, last_name = name.rpartition(".")
        if dot:
            return [name, f"*.{last_name}"]
        return [name]

    def to_declare(self) -> list[Change]:
        """Return the changes that a script must declare: those that surely happened, and still hold.

        A file that was written and deleted again is not one of them.
        """
        return [
            change
            for change in self.all
            if not change.is_optional and not self._evidence.is_undone(change)
        ]


def _names_of(change: Change) -> set[str]:
    """Return the names by which a change may be declared.

    `/a/7.JSON`, written      -> `/a/7.JSON`, `7.json`, `write`
    `mail.send`, executed     -> `mail.send`, `send`
    `/bin/restart`, executed  -> `/bin/restart`, `restart`, `*.restart`: with any prefix

    Paths are as the calls spelled them. Names without a slash are in lower case.
    """
    name = base_name(change.path).casefold()
    names = {change.path, name}
    if change.result_path:  # the path at which the result of an operation can be cited
        names.add(change.result_path)
    is_operation = not change.path.startswith("/")
    if is_operation:
        names.add(name.rpartition(".")[2])  # `send` of `mail.send`
    if change.action == "execute":
        # A name with a dot of its own, such as `mail.send` or `restart.sh`, takes no prefix.
        if "." not in name:
            names.add(f"*.{name}")
    else:
        names.add(change.action)  # `write` or `delete`, the call that made it
    return names - {""}


# Compares the changes that a submission declares with those that its calls made.
#
# A script may declare `changes = ["/orders/7.json", "mail.send"]`. Gate 6 rejects a
# declared change that no call made, and a change that was made but not declared.
#
# A change that was undone later, such as a file that was written and deleted, may be left
# out. So may a run of a tool that does not say whether it changes anything.


def _faults_of_changes(changes: Plain, evidence: Evidence) -> list[str]:
    """Return the faults of `changes`. A submission may omit it."""
    if changes is None:
        return []
    if not isinstance(changes, list) or len(changes) > bounds.MOST_DECLARED:
        return [
            f"`changes` is {describe(changes)}: list at most {bounds.MOST_DECLARED} paths, tools "
            "and operations."
        ]
    faults: list[str] = []
    declared_changes: list[_DeclaredChange] = []
    for entry in changes:
        declared = _declared_change(entry)
        if declared.name:
            declared_changes.append(declared)
        else:
            faults.append(
                f"`changes` holds {describe(entry)}, which names nothing: list paths, tools and "
                "operations as strings."
            )
    if evidence.has_trace:  # the calls of the trial are known
        faults += differences(declared_changes, _MadeChanges(evidence))
    return faults


def differences(
    declared_changes: Sequence[_DeclaredChange], made: _MadeChanges
) -> list[str]:
    """Return at most two faults: declared changes not made, and made ones not declared.

    - "`changes` names `/b.md`: the trace shows no such change."
    - "`changes` leaves out write of `/a.md`. By the trace, `changes` = ["/a.md"]."

    Whichever comes last also says, as the second one here, what to declare.
    """
    unmade_names: list[str] = []
    named: set[Change] = set()
    for declared in declared_changes:
        changes = made.named_by(declared)
        named.update(changes)
        if not changes:
            unmade_names.append(declared.name)

    to_declare = made.to_declare()
    undeclared = [change for change in to_declare if change not in named]

    advice = f" By the trace, `changes` = {change_entries(to_declare)}."
    faults: list[str] = []
    if unmade_names:
        fault = f"`changes` names {quote_some(unmade_names)}: the trace shows no such change."
        faults.append(fault if undeclared else fault + advice)
    if undeclared:
        faults.append(f"`changes` leaves out {_change_names(undeclared)}.{advice}")
    return faults


def judge_outcome_class(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Reject an unknown outcome, an answer that cannot be sent, and wrong `changes`.

    `changes` must name what the calls changed, in any spelling: paths, tools and
    operations. A change that was undone may be left out, and so may a call that may or may
    not have changed something.
    """
    faults: list[str] = []
    names = case.outcomes.names
    if submission.outcome not in names:
        shown = (
            "missing" if submission.outcome is None else describe(submission.outcome)
        )
        faults.append(
            f"The outcome is {shown}: set `outcome` to one of {', '.join(names)}."
        )
    answer_fault = _fault_of_answer(submission, case)
    if answer_fault:
        faults.append(answer_fault)
    return faults + _faults_of_changes(submission.changes, evidence)


def _fault_of_answer(submission: Submission, case: Case) -> str:
    """Return why an answer cannot be sent, or an empty string."""
    answer = submission.answer
    if not isinstance(answer, str):
        shown = "missing" if answer is None else describe(answer)
        return f"The answer is {shown}: set `answer` to a string."
    may_be_empty = case.is_uncited  # what counts is the state that the trial leaves
    if not answer.strip() and not may_be_empty:
        return "The answer is empty: say what was found or why it cannot be done."
    if len(answer) > bounds.MOST_ANSWER_CHARS:
        return f"The answer has {len(answer)} characters: keep it under {bounds.MOST_ANSWER_CHARS}."
    place = surrogate_at(answer)
    if place is not None:
        return (
            f"The answer holds a lone surrogate at character {place}, which cannot be sent: "
            "remove it."
        )
    return ""


# Objects to wrong arithmetic in an answer: the rule `arithmetic` of gate 6.


def ask_arithmetic(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to wrong arithmetic in an answer to the request: `300 + 470 = 780`."""
    if not case.is_done(submission):
        return Inapplicable("the trial refuses")
    answer = submission.answer_text
    faults: list[str] = []
    for calculation in shown_results(answer, answer_values(answer)):
        if not calculation.is_right:
            faults.append(
                f"{quote(calculation.text)} does not come out: compute it in a script, and print "
                "it."
            )
    return faults


_OUTCOME_NAME: Final = re2.compile(r"\bOUTCOME_[A-Z_]+\b")
_SINGLE_WORD: Final = re2.compile(r"[!->@-~]+")
"""A single word in ASCII: characters from `!` to `~` except `?`, and no blank.

A text in another script may be a whole question: Chinese has no blanks.
"""


def ask_wording(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an answer that does not fit its outcome.

    - The answer has the name of an outcome (`OUTCOME_OK: 7`), and the request does not.
    - The outcome is of the kind `unclear`, and the answer a single word, which asks nothing.
    """
    # RE2 cannot read lone surrogates, which `encodable` replaces.
    answer = encodable(submission.answer_text).strip()
    kind = case.kind_of(submission)
    outcome_name = _OUTCOME_NAME.search(answer)
    if outcome_name is not None:
        # The name is fine in two cases: if the trial refuses or gives up, when the answer may be
        # the name alone, and if the request itself mentions it.
        may_be_name_alone = kind not in (OutcomeKind.DONE, OutcomeKind.UNCLEAR)
        if may_be_name_alone or outcome_name[0] in case.instruction:
            return None
        return (
            "The answer names an outcome class: the class belongs in `outcome` alone, and the "
            "answer says what holds."
        )
    if kind is OutcomeKind.UNCLEAR and _SINGLE_WORD.fullmatch(answer):
        return (
            f"{quote(answer)} asks nothing: a clarification names what is unclear and what there "
            "is to choose from."
        )
    return None


def ask_internal_error(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object when a trial gives up with OUTCOME_ERR_INTERNAL, which is for failed tooling.

    The first time, the script is always asked to try again. The second time, the outcome
    passes if a call failed, or if it is unknown whether one did.
    """
    if submission.outcome != INTERNAL:
        return Inapplicable("the trial does not give up")
    is_second_time = case.internal_errors_before > 0
    may_have_failed = evidence.has_failures or not evidence.has_trace
    if is_second_time and may_have_failed:
        return None
    advice = "No call of the environment has failed"
    if evidence.has_failures:
        advice = "Call again what failed"
    return (
        f"{quote(INTERNAL)} is for failed tooling alone. {advice}; then answer from what is found, "
        "refuse, or ask."
    )


def ask_unowned_change(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to a refusal if the trial has changed something and does not say so in `changes`.

    An answer refuses if its outcome is of any other kind than `done`.
    """
    changes = evidence.present_changes
    refuses = case.kind_of(submission) not in (None, OutcomeKind.DONE)
    if not refuses or not changes:
        return Inapplicable("the trial does not refuse after a change")
    if submission.changes is not None:
        return None
    return (
        f"The answer refuses, but the trace shows {_change_names(changes)}. Check whether that was "
        "asked for and allowed; undo what was not if that is possible, and own up to what still "
        f"holds: `changes` = {change_entries(changes)}."
    )
