"""Turns submissions, evidence and verdicts into plain data, for other processes and for files, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gates.evidence import Change, Evidence, Execution, Failure, FindingValue, SeenText, Touch
from gates.submission import SUBMITTED_KEYS, Plain, ProbeReply, Submission
from gates.verdict import ENFORCEMENTS, Verdict


@dataclass(frozen=True, slots=True)
class VerifySignature:
    """The data that gate 1 needs of a script's `verify`, which stays in its process."""

    is_callable: bool = True
    takes_one_argument: bool = True

    def ask(self, blanked: bool) -> ProbeReply:
        """Raise `NotImplementedError`: gate 7 asks in the process that can reach the script."""
        raise NotImplementedError


def submission_data(submission: Submission) -> dict[str, Plain]:
    """Return a submission without its `verify`: its used fields, and what gate 1 needs."""
    probe = submission.probe
    used = {name: value for name in SUBMITTED_KEYS if (value := getattr(submission, name)) is not None}
    signature: Plain = None if probe is None else [probe.is_callable, probe.takes_one_argument]
    return {**used, "from_script": submission.from_script, "verify": signature}


def submission_of(data: Mapping[str, Any]) -> Submission:
    """Return the submission of `submission_data`."""
    given = {name: value for name, value in data.items() if name in SUBMITTED_KEYS}
    signature = data.get("verify")
    probe = None if signature is None else VerifySignature(*signature)
    return Submission(**given, probe=probe, from_script=bool(data.get("from_script")))


def evidence_data(evidence: Evidence) -> tuple[dict[str, Any], list[str]]:
    """Return evidence as plain data, and the texts that it refers to by number."""
    numbers = {seen: None for touch in evidence.touches.values() for seen in touch.seen}
    number_of = {seen: number for number, seen in enumerate(numbers)}
    data = {
        "has_trace": evidence.has_trace,
        "seen": [[seen.is_whole, seen.is_proof, seen.echoed, seen.is_excerpt, list(seen.lines)] for seen in numbers],
        "touches": [
            [touch.path, sorted(touch.actions), [number_of[seen] for seen in touch.seen]]
            for touch in evidence.touches.values()
        ],
        "aliases": dict(evidence.aliases),
        "paths_by_spelling": {key: list(paths) for key, paths in evidence.paths_by_spelling.items()},
        "directories": sorted(evidence.directories),
        "changes": [
            [change.path, change.action, change.detail, change.result_path, change.is_optional]
            for change in evidence.changes
        ],
        "executions": [
            [run.path, list(run.arguments), run.kind, run.exit_code, run.in_verify, run.error]
            for run in evidence.executions
        ],
        "failures": [[failure.operation, failure.code, failure.message] for failure in evidence.failures],
        "findings": [
            [finding.function, finding.value, list(finding.paths), finding.arguments, finding.has_notes]
            for finding in evidence.findings
        ],
        "steps": list(map(list, evidence.steps)),
        "quoted": {path: list(quotes) for path, quotes in evidence.quoted.items()},
    }
    return data, [seen.text for seen in numbers]


def evidence_of(data: Mapping[str, Any], texts: Sequence[str]) -> Evidence:
    """Return the evidence of `evidence_data`."""
    restored = [
        SeenText(text, whole, proof, echoed, excerpt, tuple(lines))
        for text, (whole, proof, echoed, excerpt, lines) in zip(texts, data["seen"], strict=True)
    ]
    return Evidence(
        has_trace=data["has_trace"],
        touches={
            path: Touch(path, frozenset(actions), tuple(restored[number] for number in seen))
            for path, actions, seen in data["touches"]
        },
        aliases=data["aliases"],
        paths_by_spelling={key: tuple(paths) for key, paths in data["paths_by_spelling"].items()},
        directories=frozenset(data["directories"]),
        changes=tuple(Change(*row) for row in data["changes"]),
        executions=tuple(Execution(path, tuple(words), *rest) for path, words, *rest in data["executions"]),
        failures=tuple(Failure(*row) for row in data["failures"]),
        findings=tuple(
            FindingValue(function, value, tuple(refs), *more) for function, value, refs, *more in data["findings"]
        ),
        steps=tuple((code, printed) for code, printed in data["steps"]),
        quoted={path: tuple(quotes) for path, quotes in data["quoted"].items()},
    )


def verdict_data(verdicts: Iterable[Verdict]) -> list[Plain]:
    """Return verdicts as rows."""
    return [[one.gate, one.name, one.result, one.reason, one.enforcement] for one in verdicts]


def verdicts_of(rows: object) -> tuple[Verdict, ...]:
    """Return the verdicts of `verdict_data`. Raises `ValueError` for data of another form."""
    if not isinstance(rows, list) or not all(map(_is_verdict, rows)):
        msg = "verdicts of another form"
        raise ValueError(msg)
    return tuple(Verdict(*row) for row in rows)


def _is_verdict(data: object) -> bool:
    match data:
        case [int(), str(), "pass" | "reject" | "not_applicable", str(), enforcement]:
            return enforcement in ENFORCEMENTS
    return False
