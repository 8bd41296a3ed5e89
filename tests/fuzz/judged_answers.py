"""The judging of random answers by all gates, for the fuzzer.

Gates are checks of an answer that a script submits. They judge by the evidence of a trial: what it has
read. Whatever the answer is, each gate has a verdict, or one verdict says why there is none.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from controlplane.agent.evidence import EvidenceLog
from controlplane.agent.judging import find_verdicts
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import GATE_NAMES, RULE_FAILED
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.inputs import generators
from tests.fuzz.inputs.random_submissions import random_scratchpad


def judge_random_answer(
    rng: Random, log: EvidenceLog, meter: CpuMeter, known_paths: Sequence[str]
) -> None:
    """Judge an answer that mostly cites `known_paths`.

    Raises `AssertionError` if a rule fails, or if the judging takes long.
    """
    scratchpad = random_scratchpad(rng, known_paths)
    submission = Submission.from_scratchpad(scratchpad, probe=None)
    # A task may demand a form of its answer, here such as "<COUNT:7>". A rule checks the form.
    demand = " Answer with the number only, <COUNT:%d>."
    case = Case(instruction=generators.text(rng) + demand, rules=generators.text(rng))

    def judge() -> Any:
        return find_verdicts(
            worker=None,  # The rules judge in this process, whose CPU time is measured.
            submission=submission,
            evidence=log.view(),
            case=case,
            rule_sets=("ecom",),
        )

    verdicts = meter.call(f"judge {scratchpad}", judge)

    is_judged_by_each_gate = len(verdicts) >= len(GATE_NAMES)
    if not is_judged_by_each_gate:
        # One verdict, `judging`, says why the gates have not judged, such as a too large answer.
        assert [verdict.name for verdict in verdicts] == ["judging"]
    for verdict in verdicts:
        # A rule that raises an exception does not stop the judging, but says so.
        assert not verdict.reason.startswith(RULE_FAILED), verdicts
