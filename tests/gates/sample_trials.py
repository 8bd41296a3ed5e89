"""An invented library workspace, recorded calls of a trial in it, and submissions to judge.

A trial is one attempt of an agent at a task. Its script makes calls, whose results are its
evidence, and submits a scratchpad (a dictionary) with its answer. Eight gates compare the two:
`objection_of(judge_scratchpad(valid_scratchpad(answer="")), 6)` -> "The answer is empty: …"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from controlplane.agent.evidence.log.citing.citations import CitedPlace
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.gates.evidence import Evidence
from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.rules import RuleSet
from controlplane.gates.submission import Case, Probe, Submission
from controlplane.gates.trial.accesses import Access
from controlplane.gates.verdicts import Judgement, Verdict
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    FileArguments,
    ToolSchema,
)

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


class CallsOfTrial:
    """Makes calls as a trial would, and records them with their results in an evidence log.

    `calls.read("/docs/Loans.md")` is a call of a trial that read this file. The methods that make
    a call return the log's notes on it, which the model would see.
    """

    def __init__(self, tool_schema: ToolSchema = TOOL_SCHEMA) -> None:
        self.evidence_log = EvidenceLog(tool_schema)
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
        result = {
            "path": path,
            "content": content,
            "truncated": truncated,
            "sha256": "0" * 64,
        }
        return self.record("read", {"path": path}, result)

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

    def fail(self, operation: str, path: str, code: str = "unavailable") -> None:
        """Make a call that fails. By default the environment is out of order."""
        error = CallError(code, "the desk is closed")
        self.evidence_log.record(operation, {"path": path}, None, error)

    def record(
        self,
        operation: str,
        arguments: Mapping[str, object],
        result: Mapping[str, object],
        *,
        shown_chars: int | None = None,
    ) -> tuple[str, ...]:
        """Make any call, which succeeds with this result."""
        return self.evidence_log.record(
            operation, arguments, result, None, shown_chars=shown_chars
        )

    def cite(self, path: str, reason: str, quotation: str = "") -> CitedPlace:
        """Cite a file, as a script does by its function `cite`.

        Raises `ValueError`, with a message for the script, if the citation is refused.
        """
        return self.evidence_log.citations.check(path, reason, quotation)

    @property
    def evidence(self) -> Evidence:
        """What the gates may know of the calls so far."""
        return self.evidence_log.view()

    def access_to(self, path: str) -> Access:
        """Return what the calls so far did at a path, and which texts they showed there."""
        return self.evidence.accesses[path]


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
    """Let all gates and the rules of `rule_sets` judge a scratchpad, by what `calls` read and changed.

    Without `calls`, the trial read `/docs/Loans.md`; without `verify`, it confirms the answer.
    `internal_errors_before` is how often the trial has given up before, and `earlier_objections`
    are the reasons of earlier rejections: `{"6/wording": ["names an outcome class"]}`.
    """
    if calls is None:
        calls = CallsOfTrial()
        calls.read("/docs/Loans.md")
    case = Case(
        instruction=instruction,
        rules=rules,
        rules_path="/RULES.md",
        internal_errors_before=internal_errors_before,
        now=now,
    )
    verify = verify or ScriptedVerify()
    submission = Submission.from_scratchpad(scratchpad, verify.probe)
    return judge(
        submission,
        calls.evidence,
        case,
        policy=policy,
        rule_sets=rule_sets,
        earlier_objections=earlier_objections,
    )


def verdict_of(judgement: Judgement, key: int | str) -> Verdict:
    """Return the verdict of a gate, such as 7, or of a rule, such as `"6/wording"`."""
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
