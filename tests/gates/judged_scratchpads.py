"""Scratchpads that a script submits, and how the gates judge them.

A scratchpad is a dictionary with an answer, its outcome and its citations. Eight gates, and rules
such as `6/wording`, compare it with the calls that the trial made, and accept or reject it:
`judge_scratchpad(valid_scratchpad(answer="")).message` -> "[gate 6: outcome] The answer is empty:
…"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from controlplane.agent.events import Citation
from controlplane.agent.evidence.citations import CitedPlace
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.gates.evidence import Evidence
from controlplane.gates.judging import judge
from controlplane.gates.rules import RuleSet
from controlplane.gates.submission import Case, Probe, Submission
from controlplane.gates.trial import Access
from controlplane.gates.verdicts import GatePolicy, Judgement, Verdict
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    FileArguments,
    ToolSchema,
)
from tests.support.ended_calls import add_call

# The workspace of a small library: its files, and the programs that a trial may run there.
#
# A trial is one attempt of an agent at a task, such as "How long does a loan run?". The answer is in
# `/docs/Loans.md`, and `/bin/query` is a program that only reads.

TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    executables=(
        Executable("/bin/query", ExecutableKind.READS),
        # `files` says which arguments of a program are files: here all, except for the option -n.
        # show [-n] FILE...
        Executable(
            "/bin/show", ExecutableKind.READS, files=FileArguments(options=("-n",))
        ),
        # pick [-r] PATTERN FILE...: the first argument is not a file
        Executable(
            "/bin/pick",
            ExecutableKind.READS,
            files=FileArguments(first=1, options=("-r",)),
        ),
        # stock FILE ID...: only the first argument is a file
        Executable("/bin/stock", ExecutableKind.READS, files=FileArguments(count=1)),
        Executable("/bin/ship", ExecutableKind.CHANGES),
        Executable("/bin/odd", ExecutableKind.UNKNOWN),
    ),
    rules_document="/RULES.md",
)
"""What a trial in the workspace can call: the file operations and six programs.

The kind of a program says whether it only reads, changes something, or may do either.
"""

FILES = {
    "/docs/Loans.md": "A loan runs 21 days. Books marked reserved cannot be renewed. Ask the librarian for data.",
    "/shelves/north side/b-104.json": '{"id": "b-104", "title": "Die Küste", "copies": 3, "fee_cents": 1150}',
    "/shelves/north side/b-105.json": '{"id": "b-105", "title": "Harbour lights", "copies": 0}',
    "/logs/lent.tsv": "row\tbook\n7\tb-104\n8\tb-105\n",
    "/empty.txt": "",
}
"""The files of the workspace and their texts."""


# Calls of a trial with their results, recorded in an evidence log.
#
# The gates believe an answer only as far as the results of calls support it.


class CallRecorder:
    """Records calls of a trial, with results of any kind.

    After `calls.record("read", {"path": "/a.md"}, {"path": "/a.md", "content": "21 days", …})`,
    `calls.access_to("/a.md")` has the text that was seen, and a submission may cite `/a.md`.
    """

    def __init__(self, tool_schema: ToolSchema = TOOL_SCHEMA) -> None:
        self.evidence_log = EvidenceLog(tool_schema)

    def record(
        self,
        operation: str,
        arguments: Mapping[str, object],
        result: Mapping[str, object],
        *,
        shown_chars: int | None = None,
    ) -> tuple[str, ...]:
        """Record a call that succeeds with this result.

        Return the remarks of the log on the call, which a trial shows to its model. `shown_chars`
        is how much of a result the first message to the model shows; None if a script made the call.
        """
        return add_call(
            self.evidence_log,
            operation,
            arguments,
            result,
            error=None,
            shown_chars=shown_chars,
        )

    def fail(self, operation: str, path: str, code: str = "unavailable") -> None:
        """Record a call that fails. By default the environment is out of order."""
        error = CallError(code, "the desk is closed")
        add_call(
            self.evidence_log,
            operation,
            arguments={"path": path},
            result=None,
            error=error,
        )

    def cite(self, path: str, reason: str, quotation: str = "") -> CitedPlace:
        """Cite a file, as a script does by its function `cite`; return the cited file and line.

        `calls.cite("/A.md", "has the term", "21 days")` -> `CitedPlace("/a.md", line=1)`
        Raises `ValueError`, with a message for the script, if the citation is refused.
        """
        place = self.evidence_log.citations.check(path, reason, quotation)
        accepted = Citation(
            path=path,
            reason=reason,
            quote=quotation,
            spelling=place.spelling,
            line=place.line,
        )
        self.evidence_log.add_citation(accepted)
        return place

    @property
    def evidence(self) -> Evidence:
        """What the gates may know of the calls so far."""
        return self.evidence_log.view()

    def access_to(self, path: str) -> Access:
        """Return what the calls so far did at a path, and which texts they showed there."""
        return self.evidence.accesses[path]


# Calls of a trial in the library workspace, and the evidence that they give.
#
# The gates believe an answer only as far as the results of calls support it. These are kept in an
# evidence log: after `calls.read("/docs/Loans.md")`, a submission may cite this file.


class CallsOfTrial(CallRecorder):
    """Makes calls as a trial would, and records them with their results in an evidence log.

    `calls.read("/docs/Loans.md")` is a call of a trial that read this file. The methods that make
    a call return the log's notes on it, which the model would see.
    """

    def __init__(self, tool_schema: ToolSchema = TOOL_SCHEMA) -> None:
        super().__init__(tool_schema)
        self._changed_texts: dict[str, str | None] = {}
        """The texts of files that the trial wrote, and None for files that it deleted."""

    def read(self, *paths: str) -> tuple[str, ...]:
        """Read files of the workspace, with the texts that the trial may have written into them.

        A file that is not in `FILES` has the text `text of <path>`. To read a deleted file fails.
        """
        notes: list[str] = []
        for path in paths:
            original_text = FILES.get(path, f"text of {path}")
            content = self._changed_texts.get(path, original_text)
            if content is None:
                self.fail("read", path, "not_found")
            else:
                notes += self.read_text(path, content)
        return tuple(notes)

    def read_text(
        self, path: str, content: str, *, truncated: bool = False
    ) -> tuple[str, ...]:
        """Read any file, which has this content; only the first part of it if `truncated`."""
        result = {"path": path, "content": content, "truncated": truncated}
        return self.record("read", {"path": path}, {**result, "sha256": "0" * 64})

    def list_folder(
        self, folder: str, *files: str, folders: tuple[str, ...] = ()
    ) -> tuple[str, ...]:
        """List a folder that has these files and folders, given by their full paths."""
        entries: list[dict[str, object]] = []
        for path in (*files, *folders):
            name = path.rpartition("/")[2]
            entries.append({"name": name, "path": path, "is_dir": path in folders})
        return self.record("list", {"path": folder}, {"entries": entries})

    def run(
        self, path: str, *arguments: str, stdout: str = "", exit_code: int = 0
    ) -> tuple[str, ...]:
        """Run a program, which prints `stdout`."""
        result = {"stdout": stdout, "stderr": "", "exit_code": exit_code}
        return self.record("exec", {"path": path, "args": list(arguments)}, result)

    def write(self, path: str, content: str = "new text") -> tuple[str, ...]:
        """Write a file; `read` then returns this content."""
        self._changed_texts[path] = content
        return self.record("write", {"path": path, "content": content}, {"path": path})

    def delete(self, path: str) -> tuple[str, ...]:
        """Delete a file; `read` then fails."""
        self._changed_texts[path] = None
        return self.record("delete", {"path": path}, {"path": path})


# A stand-in for the function `verify`, by which a script checks its own answer.
#
# A script ends with `harness.answer(scratchpad, verify)`. Gate 7 calls `verify` with the submitted
# scratchpad, and then with a blanked copy, whose answer is empty. A sound one says yes and then no:
# a function that says yes to both has checked nothing.


class VerifyAnswer(NamedTuple):
    """What one call of a script's `verify` function returned, or the error that it ended with."""

    says_yes: bool
    error: str = ""


@dataclass
class ScriptedVerify:
    """Stands in for the script's own `verify` function, which gate 7 calls to check the answer.

    Gate 7 asks it twice: about the submitted scratchpad, and about a blanked copy without an
    answer. By default it replies as it should: yes to the first, and no to the blanked copy.
    """

    is_callable: bool = True
    takes_one_argument: bool = True
    as_submitted: VerifyAnswer = field(
        default_factory=lambda: VerifyAnswer(says_yes=True)
    )
    blanked: VerifyAnswer = field(default_factory=lambda: VerifyAnswer(says_yes=False))
    asked: list[bool] = field(default_factory=list)
    """The calls so far: True for each that passed the blanked copy."""

    def ask(self, blanked: bool) -> VerifyAnswer:
        self.asked.append(blanked)
        return self.blanked if blanked else self.as_submitted

    @property
    def probe(self) -> Probe:
        """The handle by which gates call this function."""
        return Probe(self.is_callable, self.takes_one_argument, self.ask)


# Verdicts of gates and rules, found in the judgement of a submission.
#
# A judgement has a verdict of each of eight gates, and of rules such as `6/wording`. After the answer
# is left out, `objection_of(judgement, 6)` -> "The answer is empty: …"


def verdict_of(judgement: Judgement, key: int | str) -> Verdict:
    """Return the verdict of a gate, such as 7, or of a rule, such as `"6/wording"`.

    `verdict_of(judgement, 7).result` -> `"pass"`
    """
    for verdict in judgement.verdicts:
        if verdict.key == str(key):
            return verdict
    raise AssertionError(f"no verdict of {key}")


def objection_of(judgement: Judgement, key: int | str) -> str:
    """Return the reason why a gate or a rule rejects; an empty string if it does not."""
    verdict = verdict_of(judgement, key)
    if verdict.result == "reject":
        return verdict.reason
    return ""


def rejecting_keys(judgement: Judgement) -> list[str]:
    """Return the keys of all gates and rules that reject: `["5", "6/wording"]`."""
    keys: list[str] = []
    for verdict in judgement.verdicts:
        if verdict.result == "reject":
            keys.append(verdict.key)
    return keys


def rejecting_gates(judgement: Judgement) -> list[int]:
    """Return each gate that rejects itself or by one of its rules: `[5, 6]`."""
    gates: list[int] = []
    for verdict in judgement.verdicts:
        if verdict.result == "reject" and verdict.gate not in gates:
            gates.append(verdict.gate)
    return gates


def valid_scratchpad(**changed: object) -> dict[str, object]:
    """Return a scratchpad that every gate accepts if the trial read `/docs/Loans.md`.

    `changed` replaces or adds values: `valid_scratchpad(outcome="WELL", changes=[])`.
    """
    scratchpad: dict[str, object] = {
        "answer": "A loan runs 21 days.",
        "outcome": "OUTCOME_OK",
        "refs_why": {"/docs/Loans.md": "rule that a loan runs 21 days"},
    }
    scratchpad.update(changed)
    return scratchpad


def submission_of(
    scratchpad: object, verify: ScriptedVerify | None = None
) -> Submission:
    """Submit a scratchpad; without `verify`, the script's own check confirms the answer."""
    verify = verify or ScriptedVerify()
    return Submission.from_scratchpad(scratchpad, verify.probe)


def judge_scratchpad(
    scratchpad: object,
    calls: CallsOfTrial | None = None,
    *,
    instruction: str = "How long does a loan run?",
    rules: str = "",
    now: str = "",
    verify: ScriptedVerify | None = None,
    internal_errors_before: int = 0,
    policy: GatePolicy | None = None,
    rule_sets: Sequence[RuleSet] = (),
    earlier_objections: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Let all gates, and the rules of `rule_sets`, judge a scratchpad after these calls.

    Without `calls`, the trial read `/docs/Loans.md`; without `verify`, it confirms the answer.
    `internal_errors_before` is how often the trial has given up before, and `earlier_objections`
    are the reasons of earlier rejections: `{"6/wording": ["names an outcome class"]}`.
    """
    if calls is None:
        calls = CallsOfTrial()
        calls.read("/docs/Loans.md")
    case = Case(instruction, rules, "/RULES.md", internal_errors_before, now)
    return judge(
        submission_of(scratchpad, verify),
        calls.evidence,
        case,
        policy=policy,
        rule_sets=rule_sets,
        earlier_objections=earlier_objections,
    )
