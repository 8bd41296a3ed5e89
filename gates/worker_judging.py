"""Judges a submission in a worker process, so that a user's own rules cannot hold up the run.

    run's process    verdicts_of_worker: sends the submission, and waits for the verdicts
    worker           judge_in_worker: runs the gates and rules, and returns their verdicts

Both send only plain data, because objects cannot be shared between processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from pydantic import TypeAdapter

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging import all_verdicts
from controlplane.gates.rule_set_loading import load_rule_set
from controlplane.gates.submission import SUBMITTED_KEYS, Case, Probe, Submission
from controlplane.gates.values.notations import locale_names
from controlplane.gates.verdicts import Verdict

_JUDGE: Final = f"{__name__}:judge_in_worker"
"""The function that the worker calls, as `MODULE:FUNCTION`."""


@dataclass(frozen=True, slots=True)
class _JudgingRequest:
    """Everything that the worker needs to judge a submission."""

    submitted: dict[str, Any]
    """The parts of the submission, by the names in `SUBMITTED_KEYS`."""
    from_script: bool
    """False if the scratchpad is submitted after its last script has ended."""
    probe: tuple[bool, bool] | None
    """Whether the submission's `verify` is callable, and takes one argument; None without one.

    The worker cannot call it. Gate 7, which does, is judged in the run's process."""
    evidence: Evidence
    case: Case
    rule_sets: list[str]
    """The names of the rule sets, which the worker loads itself."""


# Convert the two messages between the processes into plain data and back.
_REQUEST: Final = TypeAdapter(_JudgingRequest)
_VERDICTS: Final = TypeAdapter(tuple[Verdict, ...])


def warm_up() -> None:
    """Read the names of months and units from their file.

    A worker calls this before it is isolated, because it can open no files afterwards.
    """
    locale_names()


def verdicts_of_worker(
    call: Callable[..., Any],
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: Sequence[str],
) -> tuple[Verdict, ...]:
    """Have a worker process judge a submission, and return the verdicts of gates and rules.

    A user's own rule may take forever, and a worker can be stopped. `call` runs a function in
    the worker, given its name and arguments, and returns its result. Raises `ValueError` if
    the worker replies anything but verdicts.
    """
    probe = submission.probe
    request = _JudgingRequest(
        submitted={name: getattr(submission, name) for name in SUBMITTED_KEYS},
        from_script=submission.from_script,
        probe=probe and (probe.is_callable, probe.takes_one_argument),
        evidence=evidence,
        case=case,
        rule_sets=list(rule_sets),
    )
    reply = call(_JUDGE, _REQUEST.dump_python(request, mode="json"))
    return _VERDICTS.validate_python(reply)


def judge_in_worker(request_data: Any) -> list[dict[str, Any]]:
    """Return the verdicts on a submission as plain data. This runs in the worker.

    `request_data` is a `_JudgingRequest` as plain data.
    """
    request = _REQUEST.validate_python(request_data)
    # Its third field, `ask`, would call the script, which the worker cannot reach.
    probe = None if request.probe is None else Probe(*request.probe)
    submission = Submission(
        **request.submitted, probe=probe, from_script=request.from_script
    )
    rule_sets = [load_rule_set(name) for name in request.rule_sets]
    verdicts = all_verdicts(submission, request.evidence, request.case, rule_sets)
    return [asdict(verdict) for verdict in verdicts]
