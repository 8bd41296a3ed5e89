"""Judges a submission in a worker process, where a user's own rules cannot hold up the run.

What crosses the border is plain data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Final

from pydantic import TypeAdapter

from controlplane.gates.evidence import Evidence
from controlplane.gates.rule_set_loading import load_rule_set
from controlplane.gates.rules import find_objections
from controlplane.gates.submission import SUBMITTED_KEYS, Case, Probe, Submission, Verdict
from controlplane.gates.values.locale_names import locale_names

JUDGE: Final = f"{__name__}:judge_in_worker"
_EVIDENCE: Final = TypeAdapter(Evidence)
_VERDICTS: Final = TypeAdapter(tuple[Verdict, ...])


def warm_up() -> None:
    """Read the tables of languages before the worker is isolated: an isolated process opens no
    files."""
    locale_names()


def objections_of_worker(
    call: Callable[..., Any],
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: Sequence[str],
) -> tuple[Verdict, ...]:
    """Return what `find_objections` returns in the worker that `call` asks.

    Raises `ValueError` if the worker replies anything but verdicts.
    """
    submitted_parts = {name: getattr(submission, name) for name in SUBMITTED_KEYS}
    submitted_parts["from_script"] = submission.from_script
    probe_parts: list[bool] | None = None
    if submission.probe is not None:
        probe_parts = [submission.probe.is_callable, submission.probe.takes_one_argument]
    evidence_data = _EVIDENCE.dump_python(evidence, mode="json")
    reply = call(JUDGE, submitted_parts, probe_parts, evidence_data, asdict(case), list(rule_sets))
    return _VERDICTS.validate_python(reply)


def judge_in_worker(
    submitted_parts: Any, probe_parts: Any, evidence_data: Any, case_data: Any, rule_sets: list[str]
) -> Any:
    """Return the verdicts, as data, of every gate but the seventh and of the rule sets of these
    names."""
    probe = Probe(*probe_parts) if probe_parts else None
    submission = Submission(**submitted_parts, probe=probe)
    evidence = _EVIDENCE.validate_python(evidence_data)
    loaded_rule_sets = [load_rule_set(name) for name in rule_sets]
    verdicts = find_objections(submission, evidence, Case(**case_data), loaded_rule_sets)
    return [asdict(verdict) for verdict in verdicts]
