"""Judges in a worker process, where a user's own rules hold up no run. What crosses the border is plain data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Final

from pydantic import TypeAdapter

from controlplane.gates.evidence import Evidence
from controlplane.gates.rules import find_objections, load_rule_set
from controlplane.gates.submission import SUBMITTED_KEYS, Case, Probe, Submission, Verdict

JUDGE: Final = f"{__name__}:judge_in_worker"
_EVIDENCE: Final = TypeAdapter(Evidence)
_VERDICTS: Final = TypeAdapter(tuple[Verdict, ...])


def objections_of_worker(
    call: Callable[..., Any],
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: Sequence[str],
) -> tuple[Verdict, ...]:
    """Return what `find_objections` returns in the worker that `call` asks. Raises `ValueError` for any other reply."""
    probe = submission.probe
    parts = {name: getattr(submission, name) for name in (*SUBMITTED_KEYS, "from_script")}
    signature = [probe.is_callable, probe.takes_one_argument] if probe else None
    seen = _EVIDENCE.dump_python(evidence, mode="json")
    return _VERDICTS.validate_python(
        call(JUDGE, parts, signature, seen, asdict(case), list(rule_sets))
    )


def judge_in_worker(
    parts: Any, signature: Any, evidence: Any, case: Any, rule_sets: list[str]
) -> Any:
    """Return the verdicts, as data, of every gate but the seventh and of the rule sets of these names."""
    submission = Submission(**parts, probe=Probe(*signature) if signature else None)
    own = tuple(map(load_rule_set, rule_sets))
    return list(
        map(
            asdict,
            find_objections(submission, _EVIDENCE.validate_python(evidence), Case(**case), own),
        )
    )
