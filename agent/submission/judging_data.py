"""How submission, evidence and verdicts travel between a trial and the process that judges: as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from gates import GATE_NAMES, Findings, ProbeReply, Submission, Verdict, load_pack
from gates.checks import VERIFY_GATE
from gates.types import (
    PACK_GATE,
    SUBMITTED_KEYS,
    Change,
    Evidence,
    Execution,
    Failure,
    Foreign,
    LookUp,
    SeenText,
    Touch,
)
from sandbox.interface import Plain

_FOREIGN: Final = "$foreign"
_DICT: Final = "$dict"
_LEAVES: Final = frozenset((type(None), bool, int, float, str))


@dataclass(frozen=True, slots=True)
class VerifySignature:
    """What gate 1 must know of a script's `verify`, which stays where it is."""

    is_callable: bool
    takes_one_argument: bool

    def ask(self, blanked: bool) -> ProbeReply:
        """Raise `NotImplementedError`: gate 7 asks, and runs in the parent, which has the way to the trial's child."""
        raise NotImplementedError


def submission_data(submission: Submission) -> list[Plain]:
    """Return a submission without its `verify`."""
    probe = submission.probe
    signature: Plain = None if probe is None else [probe.is_callable, probe.takes_one_argument]
    return [submission.from_script, signature, *(_plain(getattr(submission, name)) for name in SUBMITTED_KEYS)]


def submission_of(data: Sequence[Any]) -> Submission:
    """Return the submission of `submission_data`."""
    from_script, signature, *values = data
    probe = None if signature is None else VerifySignature(*signature)
    given = dict(zip(SUBMITTED_KEYS, map(_restored, values), strict=True))
    return Submission(probe=probe, from_script=from_script, **given)


def evidence_data(
    evidence: Evidence, number_of: Callable[[SeenText], int], *, with_paths: bool = True
) -> dict[str, Any]:
    """Return evidence with each text that was seen as a number; None stands for listed paths that are left out."""
    return {
        "has_trace": evidence.has_trace,
        "touches": [
            [each.path, sorted(each.actions), [number_of(seen) for seen in each.seen]]
            for each in evidence.touches.values()
        ],
        "aliases": dict(evidence.aliases),
        "paths_by_spelling": {key: list(paths) for key, paths in evidence.paths_by_spelling.items()}
        if with_paths
        else None,
        "directories": list(evidence.directories),
        "changes": [[each.path, each.action, each.detail, each.is_read_back] for each in evidence.changes],
        "executions": [
            [each.path, list(each.arguments), each.kind, each.exit_code, each.in_verify, each.error]
            for each in evidence.executions
        ],
        "failures": [[each.operation, each.code, each.message] for each in evidence.failures],
        "look_ups": [
            [each.operation, each.place, each.terms, each.hits, each.is_whole, each.has_failed]
            for each in evidence.look_ups
        ],
    }


def evidence_of(data: Mapping[str, Any], texts: Sequence[SeenText]) -> Evidence:
    """Return the evidence of `evidence_data`."""
    return Evidence(
        has_trace=data["has_trace"],
        touches={
            path: Touch(path, frozenset(actions), tuple(texts[number] for number in seen))
            for path, actions, seen in data["touches"]
        },
        aliases=data["aliases"],
        paths_by_spelling={key: tuple(paths) for key, paths in data["paths_by_spelling"].items()},
        directories=frozenset(data["directories"]),
        changes=tuple(Change(*each) for each in data["changes"]),
        executions=tuple(Execution(path, tuple(words), *rest) for path, words, *rest in data["executions"]),
        failures=tuple(Failure(*each) for each in data["failures"]),
        look_ups=tuple(LookUp(*each) for each in data["look_ups"]),
    )


def text_data(seen: SeenText) -> list[Plain]:
    """Return what is known of a text that was seen; `SeenText(text, *data)` gives the whole back."""
    return [seen.is_whole, seen.is_proof, seen.echoed, seen.is_excerpt]


def findings_data(findings: Findings) -> list[Plain]:
    """Return what gates and rules found."""
    return [verdict_data(findings.verdicts), list(findings.hints)]


def findings_of(data: object, packs: Iterable[str] = ()) -> Findings:
    """Return the findings of `findings_data`, by every gate and every rule of `packs`.

    Raises `ValueError` for data of another form.
    """
    match data:
        case [list(rows), list(hints)] if all(map(_is_text, hints)):
            verdicts = verdicts_of(rows)
            if [(each.gate, each.name) for each in verdicts] == _expected(packs):
                return Findings(verdicts, tuple(hints))
    msg = "findings of another form"
    raise ValueError(msg)


def verdict_data(verdicts: Iterable[Verdict]) -> list[Plain]:
    """Return verdicts as rows."""
    return [[each.gate, each.name, each.result, each.reason] for each in verdicts]


def verdicts_of(rows: Sequence[Any]) -> tuple[Verdict, ...]:
    """Return the verdicts of `verdict_data`. Raises `ValueError` for data of another form."""
    if not all(map(_is_verdict, rows)):
        msg = "findings of another form"
        raise ValueError(msg)
    return tuple(Verdict(*each) for each in rows)


def _is_verdict(data: object) -> bool:
    match data:
        case [int(), str(), "pass" | "reject" | "not_applicable", str()]:
            return True
    return False


def _expected(packs: Iterable[str]) -> list[tuple[int, str]]:
    loaded = tuple(map(load_pack, packs))
    of_rules = [(pack.name, rule.name) for pack in loaded for rule in pack.rules]
    of_rules += [(pack.name, each.name) for pack in loaded for each in pack.recomputations]
    of_gates = [(gate, name) for gate, name in GATE_NAMES.items() if gate != VERIFY_GATE]
    return of_gates + [(PACK_GATE, f"{pack}/{rule}") for pack, rule in of_rules]


def _is_text(data: object) -> bool:
    return isinstance(data, str)


def _plain(value: object) -> Plain:
    """Return a value of a submission with what is no plain data marked."""
    if isinstance(value, Foreign):
        return {_FOREIGN: value.kind}
    if isinstance(value, list):
        return [each if type(each) in _LEAVES else _plain(each) for each in value]
    if isinstance(value, dict):
        copied = {name: each if type(each) in _LEAVES else _plain(each) for name, each in value.items()}
        return {_DICT: copied} if "$" in "".join(copied) and any(name.startswith("$") for name in copied) else copied
    return cast("Plain", value)


def _restored(value: Any) -> Any:
    match value:
        case {"$foreign": str(kind)}:
            return Foreign(kind)
        case {"$dict": dict(copied)}:
            return {name: _restored(each) for name, each in copied.items()}
        case dict():
            return {name: _restored(each) for name, each in value.items()}
        case list():
            return [_restored(each) for each in value]
    return value
