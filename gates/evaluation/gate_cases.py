"""Gate cases: a submission with its evidence in one file, and the verdicts it had. A folder of them is a test table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation, ValidationError

from gates.judge import judge
from gates.rule_packs import load_pack
from gates.types.evidence import Action, Change, Evidence, Execution, Failure, Touch, seen_text
from gates.types.plain_data import Foreign, Plain
from gates.types.submission import HANDED_IN, Case, Probe, ProbeReply, Submission
from gates.types.verdict import Judgement

_Text: TypeAlias = Annotated[str, SkipValidation]
"""Text as a trial saw or said it, lone surrogates included."""
_Value: TypeAlias = Annotated[JsonValue, SkipValidation]
"""Data as a script handed it in, lone surrogates included."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SubmissionData(_Model):
    """What was handed in; a field that was not used is null."""

    answer: _Value = None
    outcome: _Value = None
    refs_why: _Value = None
    facts: _Value = None
    tokens: _Value = None
    changes: _Value = None
    refs: _Value = None
    from_script: bool = True


class VerifyData(_Model):
    """What the script's `verify` was, and what it claimed when it was asked."""

    is_callable: bool = True
    takes_one_argument: bool = True
    says_yes: bool = True
    error: _Text = ""
    says_yes_when_blanked: bool = False
    error_when_blanked: _Text = ""


class TouchData(_Model):
    """What happened at one path, with every text that was seen there."""

    path: _Text
    actions: tuple[Action, ...]
    texts: tuple[_Text, ...] = ()


class ChangeData(_Model):
    """One alteration that the trace shows."""

    path: _Text
    action: Literal["write", "delete", "execute"]
    detail: _Text = ""
    is_read_back: bool = False


class ExecutionData(_Model):
    """One run of a tool."""

    path: _Text
    arguments: tuple[_Text, ...] = ()
    kind: Literal["reads", "changes", "unknown"] = "unknown"
    exit_code: int = 0
    in_verify: bool = False


class FailureData(_Model):
    """One call that failed because the environment did."""

    operation: str
    code: str
    message: _Text = ""


class EvidenceData(_Model):
    """What the trial had seen and done by then."""

    touches: tuple[TouchData, ...] = ()
    aliases: dict[_Text, _Text] = {}
    shown: dict[_Text, tuple[_Text, ...]] = {}
    """Canonical paths by their folded spelling."""
    directories: tuple[_Text, ...] = ()
    changes: tuple[ChangeData, ...] = ()
    executions: tuple[ExecutionData, ...] = ()
    failures: tuple[FailureData, ...] = ()


class ExpectedVerdict(_Model):
    """The verdict that the case is expected to have."""

    gate: int
    name: str
    result: str


class GateCase(_Model):
    """One case, as a file holds it."""

    id: str
    instruction: _Text
    rules: _Text = ""
    rules_path: str = ""
    internal_errors_before: int = 0
    packs: tuple[str, ...] = ()
    submission: SubmissionData
    verify: VerifyData | None = None
    evidence: EvidenceData | None = None
    """Null for a submission without a trace."""
    expected: tuple[ExpectedVerdict, ...] = ()


class CaseError(ValueError):
    """A file is no gate case; the message names it and what is wrong."""


@dataclass(frozen=True, slots=True)
class _Reply:
    says_yes: bool
    error: str


@dataclass(frozen=True, slots=True)
class RecordedProbe:
    """Answers for a `verify` that is no longer there."""

    data: VerifyData

    @property
    def is_callable(self) -> bool:
        return self.data.is_callable

    @property
    def takes_one_argument(self) -> bool:
        return self.data.takes_one_argument

    def ask(self, blanked: bool) -> _Reply:
        if blanked:
            return _Reply(self.data.says_yes_when_blanked, self.data.error_when_blanked)
        return _Reply(self.data.says_yes, self.data.error)


def read_cases(folder: Path) -> Iterator[GateCase]:
    """Yield the cases of a folder in the order of their file names. Raises `CaseError`."""
    for path in sorted(folder.glob("*.json")):
        yield read_case(path)


def read_case(path: Path) -> GateCase:
    """Return the case that a file holds. Raises `CaseError`."""
    try:
        return GateCase.model_validate(json.loads(path.read_bytes()))
    except ValidationError as fault:
        first = fault.errors()[0]
        msg = f"{path}: {'.'.join(str(each) for each in first['loc']) or 'the file'}: {first['msg']}"
        raise CaseError(msg) from fault
    except ValueError as fault:
        msg = f"{path}: it is no JSON: {fault}"
        raise CaseError(msg) from fault


def write_case(path: Path, case: GateCase) -> None:
    """Write `case` to a file. Raises `OSError`."""
    text = json.dumps(case.model_dump(exclude_defaults=True), indent=1, ensure_ascii=False)
    # A lone surrogate, which UTF-8 has no bytes for, becomes what JSON escapes it by.
    path.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def judge_case(case: GateCase) -> Judgement:
    """Judge a case by today's gates and packs. Raises `PackError`."""
    probe = RecordedProbe(case.verify) if case.verify else None
    submission = Submission(**case.submission.model_dump(), probe=probe)
    about = Case(case.instruction, case.rules, case.rules_path, case.internal_errors_before)
    evidence = _evidence(case.evidence) if case.evidence else Evidence()
    return judge(submission, evidence, about, packs=tuple(load_pack(name) for name in case.packs))


def expected_of(judgement: Judgement) -> tuple[ExpectedVerdict, ...]:
    """Return the verdicts of a judgement as a case expects them."""
    return tuple(ExpectedVerdict(gate=each.gate, name=each.name, result=each.result) for each in judgement.verdicts)


def changed_verdicts(case: GateCase) -> list[str]:
    """Return one line for every expected verdict that today's gates do not give. Raises `PackError`."""
    today = {(each.gate, each.name): each for each in judge_case(case).verdicts}
    lines: list[str] = []
    for each in case.expected:
        now = today.get((each.gate, each.name))
        if now is None or now.result != each.result:
            reason = f": {now.reason}" if now and now.reason else ""
            lines.append(
                f"gate {each.gate or ''} {each.name}: was {each.result}, is {now.result if now else 'gone'}{reason}"
            )
    return lines


def _evidence(data: EvidenceData) -> Evidence:
    return Evidence(
        has_trace=True,
        touches={
            each.path: Touch(each.path, frozenset(each.actions), tuple(seen_text(text) for text in each.texts))
            for each in data.touches
        },
        aliases=data.aliases,
        folded=data.shown,
        directories=frozenset(data.directories),
        changes=tuple(Change(**each.model_dump()) for each in data.changes),
        executions=tuple(Execution(**each.model_dump()) for each in data.executions),
        failures=tuple(Failure(**each.model_dump()) for each in data.failures),
    )


def case_of(case_id: str, submission: Submission, evidence: Evidence, about: Case) -> GateCase:
    """Return a submission as a case, without packs, expected verdicts and what its `verify` was."""
    used = {name: _json(getattr(submission, name)) for name in HANDED_IN}
    return GateCase(
        id=case_id,
        instruction=about.instruction,
        rules=about.rules,
        rules_path=about.rules_path,
        internal_errors_before=about.internal_errors_before,
        submission=SubmissionData(**used, from_script=submission.from_script),
        evidence=_evidence_data(evidence) if evidence.has_trace else None,
    )


def verify_data(probe: Probe | None, replies: Mapping[bool, ProbeReply]) -> VerifyData | None:
    """Return what a `verify` was and claimed; where it was not asked, it is taken to have said what passes."""
    if probe is None:
        return None
    reply, blanked = replies.get(False), replies.get(True)
    return VerifyData(
        is_callable=probe.is_callable,
        takes_one_argument=probe.takes_one_argument,
        says_yes=reply.says_yes if reply else True,
        error=reply.error if reply else "",
        says_yes_when_blanked=blanked.says_yes if blanked else False,
        error_when_blanked=blanked.error if blanked else "",
    )


def _json(value: Plain) -> JsonValue:
    if isinstance(value, dict):
        return {name: _json(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_json(each) for each in value]
    return None if isinstance(value, Foreign) else value


def _evidence_data(evidence: Evidence) -> EvidenceData:
    return EvidenceData(
        touches=tuple(
            TouchData(path=each.path, actions=tuple(sorted(each.actions)), texts=tuple(seen.text for seen in each.seen))
            for each in evidence.touches.values()
        ),
        aliases=dict(evidence.aliases),
        shown=dict(evidence.folded),
        directories=tuple(sorted(evidence.directories)),
        changes=tuple(
            ChangeData(path=e.path, action=e.action, detail=e.detail, is_read_back=e.is_read_back)
            for e in evidence.changes
        ),
        executions=tuple(
            ExecutionData(path=e.path, arguments=e.arguments, kind=e.kind, exit_code=e.exit_code, in_verify=e.in_verify)
            for e in evidence.executions
        ),
        failures=tuple(FailureData(operation=e.operation, code=e.code, message=e.message) for e in evidence.failures),
    )
