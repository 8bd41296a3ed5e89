"""Gate cases: files that hold a submission, its evidence and its verdicts. A folder of them is a regression test."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue, SkipValidation, ValidationError

from gates.ordered_gates import NO_WORKSPACE, judge
from gates.rule_packs import load_pack
from gates.types.evidence import Action, Change, Evidence, Execution, Failure, LookUp, SeenText, Touch, seen_text
from gates.types.plain_data import Foreign, Plain
from gates.types.submission import SUBMITTED_KEYS, Case, Probe, ProbeReply, Submission
from gates.types.verdict import Judgement

_Text: TypeAlias = Annotated[str, SkipValidation]
"""Text that a trial saw or produced, lone surrogates included."""
_Value: TypeAlias = Annotated[JsonValue, SkipValidation]
"""Data that a script submitted, lone surrogates included."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SubmissionData(_Model):
    """A submission; an unused field is null."""

    answer: _Value = None
    outcome: _Value = None
    refs_why: _Value = None
    facts: _Value = None
    tokens: _Value = None
    changes: _Value = None
    refs: _Value = None
    from_script: bool = True


class RecordedReply(NamedTuple):
    """What one call of a `verify` claimed."""

    says_yes: bool
    error: str


class VerifyData(_Model):
    """The probe of a recorded `verify`: its signature, and its replies."""

    is_callable: bool = True
    takes_one_argument: bool = True
    says_yes: bool = True
    error: _Text = ""
    says_yes_when_blanked: bool = False
    error_when_blanked: _Text = ""

    def ask(self, blanked: bool) -> RecordedReply:
        """Return the reply to the submission, or to the blanked one."""
        if blanked:
            return RecordedReply(self.says_yes_when_blanked, self.error_when_blanked)
        return RecordedReply(self.says_yes, self.error)


class SeenData(_Model):
    """One text of which more is to be said than its words."""

    text: _Text
    is_whole: bool = True
    is_proof: bool = True
    echoed: _Text = ""
    is_excerpt: bool = False


class TouchData(_Model):
    """What happened at one path, with every text seen there."""

    path: _Text
    actions: tuple[Action, ...]
    texts: tuple[_Text, ...] = ()
    seen: tuple[SeenData, ...] = ()


class ChangeData(_Model):
    """One change that the trace shows."""

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
    error: _Text = ""


class FailureData(_Model):
    """One call that failed through a fault of the environment."""

    operation: str
    code: str
    message: _Text = ""


class LookUpData(_Model):
    """One call that looked for something."""

    operation: str
    place: _Text
    terms: _Text = ""
    hits: int = 0
    is_whole: bool = True
    has_failed: bool = False


class EvidenceData(_Model):
    """What the trial had read and done before it submitted."""

    touches: tuple[TouchData, ...] = ()
    aliases: dict[_Text, _Text] = {}
    shown: dict[_Text, tuple[_Text, ...]] = {}
    """Canonical paths by their `spelling_key`."""
    directories: tuple[_Text, ...] = ()
    changes: tuple[ChangeData, ...] = ()
    executions: tuple[ExecutionData, ...] = ()
    failures: tuple[FailureData, ...] = ()
    look_ups: tuple[LookUpData, ...] = ()


class ExpectedVerdict(_Model):
    """One verdict that the case must have."""

    gate: int
    name: str
    result: str


class GateCase(_Model):
    """One case in the form of its file."""

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


def read_case(path: Path) -> GateCase:
    """Read the case in a file. Raises `CaseError`."""
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
    # UTF-8 cannot encode a lone surrogate, so it becomes a JSON escape.
    path.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def judge_case(case: GateCase) -> Judgement:
    """Judge a case by today's gates and its packs. Raises `PackError`."""
    submission = Submission(**case.submission.model_dump(), probe=case.verify)
    about = Case(case.instruction, case.rules, case.rules_path, case.internal_errors_before)
    evidence = _evidence(case.evidence) if case.evidence else Evidence()
    return judge(submission, evidence, about, packs=tuple(load_pack(name) for name in case.packs))


def expected_of(judgement: Judgement) -> tuple[ExpectedVerdict, ...]:
    """Return the verdicts of a judgement in the form in which a case holds them."""
    return tuple(ExpectedVerdict(gate=each.gate, name=each.name, result=each.result) for each in judgement.verdicts)


def changed_verdicts(case: GateCase) -> list[str]:
    """Return one line for each expected verdict that differs from today's. Raises `PackError`.

    A recomputation is left out: a case holds no workspace.
    """
    today = {(each.gate, each.name): each for each in judge_case(case).verdicts}
    lines: list[str] = []
    for each in case.expected:
        now = today.get((each.gate, each.name))
        if now is not None and now.reason == NO_WORKSPACE:
            continue
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
            each.path: Touch(
                each.path,
                frozenset(each.actions),
                (*map(seen_text, each.texts), *(SeenText(**seen.model_dump()) for seen in each.seen)),
            )
            for each in data.touches
        },
        aliases=data.aliases,
        paths_by_spelling=data.shown,
        directories=frozenset(data.directories),
        changes=tuple(Change(**each.model_dump()) for each in data.changes),
        executions=tuple(Execution(**each.model_dump()) for each in data.executions),
        failures=tuple(Failure(**each.model_dump()) for each in data.failures),
        look_ups=tuple(LookUp(**each.model_dump()) for each in data.look_ups),
    )


def case_of(case_id: str, submission: Submission, evidence: Evidence, about: Case) -> GateCase:
    """Return a submission as a case that still lacks packs, `verify` and expected verdicts."""
    used = {name: _json(getattr(submission, name)) for name in SUBMITTED_KEYS}
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
    """Return the signature and the replies of a `verify`; a missing reply counts as one that passes."""
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
            TouchData(
                path=each.path,
                actions=tuple(sorted(each.actions)),
                texts=tuple(seen.text for seen in each.seen if seen == SeenText(seen.text)),
                seen=tuple(SeenData(**asdict(seen)) for seen in each.seen if seen != SeenText(seen.text)),
            )
            for each in evidence.touches.values()
        ),
        aliases=dict(evidence.aliases),
        shown=dict(evidence.paths_by_spelling),
        directories=tuple(sorted(evidence.directories)),
        changes=tuple(ChangeData(**asdict(each)) for each in evidence.changes),
        executions=tuple(ExecutionData(**asdict(each)) for each in evidence.executions),
        failures=tuple(FailureData(**asdict(each)) for each in evidence.failures),
        look_ups=tuple(LookUpData(**asdict(each)) for each in evidence.look_ups),
    )
