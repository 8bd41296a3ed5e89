"""A small invented workspace, the evidence of a trial in it, and submissions to vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.rules import RuleSet
from controlplane.gates.submission import (
    Case,
    GatePolicy,
    Judgement,
    Submission,
    Verdict,
)
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
        Executable(
            "/bin/show", ExecutableKind.READS, files=FileArguments(options=("-n",))
        ),
        Executable(
            "/bin/pick",
            ExecutableKind.READS,
            files=FileArguments(first=1, options=("-r",)),
        ),
        Executable("/bin/stock", ExecutableKind.READS, files=FileArguments(count=1)),
        Executable("/bin/ship", ExecutableKind.CHANGES),
        Executable("/bin/odd", ExecutableKind.UNKNOWN),
    ),
    rules_document="/RULES.md",
)
FILES = {
    "/docs/Loans.md": "A loan runs 21 days. Books marked reserved cannot be renewed. Ask the librarian for data.",
    "/shelves/north side/b-104.json": '{"id": "b-104", "title": "Die Küste", "copies": 3, "fee_cents": 1150}',
    "/shelves/north side/b-105.json": '{"id": "b-105", "title": "Harbour lights", "copies": 0}',
    "/logs/lent.tsv": "row\tbook\n7\tb-104\n8\tb-105\n",
    "/empty.txt": "",
}


class VerifyAnswer(NamedTuple):
    says_yes: bool
    error: str = ""


@dataclass
class ScriptedVerify:
    """A `verify` that says yes to the real answer and no to a blank one, unless told otherwise."""

    is_callable: bool = True
    takes_one_argument: bool = True
    as_submitted: VerifyAnswer = field(default_factory=lambda: VerifyAnswer(True))
    blanked: VerifyAnswer = field(default_factory=lambda: VerifyAnswer(False))
    asked: list[bool] = field(default_factory=list)

    def ask(self, blanked: bool) -> VerifyAnswer:
        self.asked.append(blanked)
        return self.blanked if blanked else self.as_submitted


class CallsOfTrial:
    """Fills an evidence log with calls, as a trial would."""

    def __init__(self, tool_schema: ToolSchema = TOOL_SCHEMA) -> None:
        self.evidence_log = EvidenceLog(tool_schema)
        self._texts: dict[str, str | None] = {}
        """What was written, and None for what was deleted: a later read finds that."""

    def read(
        self, *paths: str, resolved: str = "", shown_chars: int | None = None
    ) -> tuple[str, ...]:
        """Read files. They have the texts of `FILES`, and others `text of <path>`.

        `resolved` is the canonical path, if the environment names one that differs.
        """
        notes: list[str] = []
        for path in paths:
            canonical = resolved or path
            default_text = FILES.get(canonical, f"text of {canonical}")
            content = self._texts.get(canonical, default_text)
            if content is None:
                self.fail("read", path, "not_found")
                continue
            result = {
                "path": canonical,
                "content": content,
                "truncated": False,
                "sha256": "0" * 64,
            }
            notes += self.evidence_log.record(
                "read", {"path": path}, result, None, shown_chars=shown_chars
            )
        return tuple(notes)

    def see(
        self,
        path: str,
        content: str,
        *,
        truncated: bool = False,
        shown_chars: int | None = None,
    ) -> CallsOfTrial:
        """Read a file with this content."""
        result = {
            "path": path,
            "content": content,
            "truncated": truncated,
            "sha256": "0" * 64,
        }
        self.evidence_log.record(
            "read", {"path": path}, result, None, shown_chars=shown_chars
        )
        return self

    def list(
        self, folder: str, *files: str, folders: tuple[str, ...] = ()
    ) -> tuple[str, ...]:
        entries = [
            {"name": path.rpartition("/")[2], "path": path, "is_dir": path in folders}
            for path in (*files, *folders)
        ]
        return self.evidence_log.record(
            "list", {"path": folder}, {"entries": entries}, None
        )

    def run(
        self, path: str, *arguments: str, stdout: str = "", exit_code: int = 0
    ) -> tuple[str, ...]:
        result = {"stdout": stdout, "stderr": "", "exit_code": exit_code}
        return self.evidence_log.record(
            "exec", {"path": path, "args": list(arguments)}, result, None
        )

    def write(self, path: str, content: str = "new text") -> tuple[str, ...]:
        self._texts[path] = content
        return self.evidence_log.record(
            "write", {"path": path, "content": content}, {"path": path}, None
        )

    def delete(self, path: str) -> tuple[str, ...]:
        self._texts[path] = None
        return self.evidence_log.record("delete", {"path": path}, {"path": path}, None)

    def fail(self, operation: str, path: str, code: str = "unavailable") -> None:
        self.evidence_log.record(
            operation, {"path": path}, None, CallError(code, "the desk is closed")
        )

    @property
    def evidence(self) -> Evidence:
        return self.evidence_log.view()


def valid_scratchpad(**changed: object) -> dict[str, object]:
    """A scratchpad that every gate passes after
    `CallsOfTrial().read("/docs/Loans.md")`, with `changed` keys."""
    base: dict[str, object] = {
        "answer": "A loan runs 21 days.",
        "outcome": "OUTCOME_OK",
        "refs_why": {"/docs/Loans.md": "rule that a loan runs 21 days"},
    }
    return {
        key: value for key, value in (base | changed).items() if value is not LEFT_OUT
    }


LEFT_OUT = object()


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
    """Judge a scratchpad on the evidence of `calls` (default: the loan rules were read)."""
    if calls is None:
        calls = CallsOfTrial()
        calls.read("/docs/Loans.md")
    case = Case(instruction, rules, "/RULES.md", internal_errors_before, now)
    submission = Submission.from_scratchpad(scratchpad, verify or ScriptedVerify())
    return judge(
        submission,
        calls.evidence,
        case,
        policy=policy,
        rule_sets=rule_sets,
        earlier_objections=earlier_objections,
    )


def verdict_of(judgement: Judgement, key: int | str) -> Verdict:
    """Return the verdict of a gate (7) or a rule (`6/wording`)."""
    for rule_verdict in judgement.verdicts:
        if rule_verdict.key == str(key):
            return rule_verdict
    raise AssertionError(f"no verdict of {key}")


def objection_of(judgement: Judgement, key: int | str) -> str:
    """Return what a gate or a rule objects to; empty if it does not."""
    rule_verdict = verdict_of(judgement, key)
    if rule_verdict.result == "reject":
        return rule_verdict.reason
    return ""


def rejecting_keys(judgement: Judgement) -> list[str]:
    """Return the keys of all verdicts that reject."""
    return [verdict.key for verdict in judgement.verdicts if verdict.result == "reject"]


def rejecting_gates(judgement: Judgement) -> list[int]:
    """Return the gates that reject, or of which a rule does, each of them once."""
    gates: list[int] = []
    for rule_verdict in judgement.verdicts:
        if rule_verdict.result == "reject" and rule_verdict.gate not in gates:
            gates.append(rule_verdict.gate)
    return gates
