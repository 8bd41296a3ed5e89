"""Fuzzer target: the evidence of a trial, citations of it, and the judging of what is submitted.

The *evidence log* records what a script read, such as the text of `/a.md`. *Gates* are checks that
compare the answer, which a script submits with citations, with the log. None of them may fail with
an error of its own, whatever a call returned and whatever is submitted.
"""

from contextlib import suppress
from random import Random
from typing import Any

from controlplane.agent.evidence import EvidenceLog
from controlplane.agent.submission import find_verdicts
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import GATE_NAMES, RULE_FAILED
from controlplane.sandbox.interface import CallError
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.inputs import generators
from tests.fuzz.inputs.random_calls import random_arguments
from tests.fuzz.target import Target
from tests.sandbox.declared_calls import TOOL_SCHEMA
from tests.sandbox.shop_files import FILES


class Evidence(Target):
    """Plays the evidence log and the gates with random calls, citations and submissions.

    Each input is one call with a result and one citation. After ten inputs, an answer is submitted.
    """

    KNOWN_PATHS = (*FILES, "/proc", "/bin/id", "/bin/cat", "/bin/checkout")
    INPUTS_PER_LOG = 300
    """After so many inputs, a new log is begun."""
    INPUTS_PER_SUBMISSION = 10
    """After so many inputs, an answer is submitted."""
    GATES = len(GATE_NAMES)
    """A submission that can be judged has at least so many verdicts: one of each gate."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        self._inputs = 0

    def play_one(self, rng: Random) -> None:
        """Record a call, cite a path, and now and then submit an answer."""
        if self._inputs % self.INPUTS_PER_LOG == 0:
            self._log = EvidenceLog(TOOL_SCHEMA)
        self._inputs += 1
        self._record_call(rng)
        self._cite(rng)
        if self._inputs % self.INPUTS_PER_SUBMISSION == 0:
            self._submit(rng)

    def _record_call(self, rng: Random) -> None:
        """Record a call with a random result, often of wrong types: `{"content": [null]}`.

        In a fifth of cases the call has failed.
        """
        operation = rng.choice(TOOL_SCHEMA.operations)
        arguments = random_arguments(
            rng,
            operation.name,
            known_paths=self.KNOWN_PATHS,
            text_for=lambda path: generators.text(rng),
        )
        result: Any = {field.name: generators.data(rng) for field in operation.fields}
        if rng.random() < 0.5:
            result["path"] = generators.path(rng, self.KNOWN_PATHS)
            result["content"] = generators.text(rng)
        error = None
        if rng.random() < 0.2:
            code = rng.choice(["not_found", "internal"])
            error = CallError(code, generators.word(rng))

        self.meter.call(
            f"record {operation.name}",
            lambda: self._log.add_call(operation.name, arguments, result, error),
        )

    def _cite(self, rng: Random) -> None:
        """Cite a path with a reason, as scripts do. A citation may be refused with `ValueError`."""
        path = generators.path(rng, self.KNOWN_PATHS)
        # These words make the reason long enough. A shorter one is refused unread.
        reason = generators.text(rng) + " stock same day"

        with suppress(ValueError):
            self.meter.call(
                f"cite {path}", lambda: self._log.citations.check(path, reason)
            )

    def _submit(self, rng: Random) -> None:
        """Let the gates and the shop's rules judge a random answer by the log.

        A rule that fails by an exception gives a verdict whose reason begins with `RULE_FAILED`.
        """
        scratchpad = self._random_scratchpad(rng)
        submission = Submission.from_scratchpad(scratchpad, None)
        case = Case(
            # A request that demands a form, so that the rules about forms apply as well.
            instruction=generators.text(rng)
            + " Answer with the number only, <COUNT:%d>.",
            rules=generators.text(rng),
        )

        def judge() -> Any:
            return find_verdicts(
                worker=None,
                submission=submission,
                evidence=self._log.view(),
                case=case,
                rule_sets=("ecom",),
            )

        verdicts = self.meter.call(f"judge {scratchpad}", judge)

        # If the submission cannot be judged, the only verdict says so. It is called `judging`.
        is_judged = len(verdicts) >= self.GATES
        assert is_judged or verdicts[0].name == "judging", verdicts
        for verdict in verdicts:
            assert not verdict.reason.startswith(RULE_FAILED), verdicts

    def _random_scratchpad(self, rng: Random) -> dict[str, Any]:
        """Return what a script may submit: `{"answer": "x", "outcome": 1e308, "refs_why": {…}, …}`."""
        citations: dict[str, str] = {}
        for _ in range(5):
            path = generators.path(rng, self.KNOWN_PATHS)
            citations[path] = generators.text(rng)
        outcomes = ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY", generators.data(rng)]
        return {
            "answer": rng.choice([generators.text(rng), generators.data(rng)]),
            "outcome": rng.choice(outcomes),
            "refs_why": rng.choice([citations, generators.data(rng)]),
            "facts": generators.data(rng),
            "tokens": generators.data(rng),
            "changes": generators.data(rng),
        }
