"""Fuzzer target: the evidence of a trial, citations of it, and the judging of what is submitted.

    log.add_call("read", {"path": "/a.md"}, {"content": "fee: 7"}, None)   a call, and its result
    log.citations.check("/a.md", "the fee is 7")                           a citation
    find_verdicts(submission, log.view(), ...)                             the judging of an answer

Here the results, citations and answers are random. Nothing of this may raise an error of its own, or take
long.
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
from tests.fuzz.inputs.random_data import random_data
from tests.fuzz.inputs.random_paths import random_path
from tests.fuzz.target import Target
from tests.sandbox.declared_calls import TOOL_SCHEMA
from tests.sandbox.shop_files import FILES

KNOWN_PATHS = (*FILES, "/proc", "/bin/id", "/bin/cat", "/bin/checkout")
"""Paths of files, folders and programs. Random paths are often like these."""


class Evidence(Target):
    """Plays an evidence log and the gates, which are checks of a submitted answer.

    Each input is a call and a citation. Every tenth one is an answer, too, and every 300th is the first
    of a new log.
    """

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        self._input_count = 0

    def play_one(self, rng: Random) -> None:
        if self._input_count % 300 == 0:
            self._log = EvidenceLog(TOOL_SCHEMA)
        self._input_count += 1

        self._record_call(rng)
        self._cite(rng)
        if self._input_count % 10 == 0:
            self._submit(rng)

    def _record_call(self, rng: Random) -> None:
        operation = rng.choice(TOOL_SCHEMA.operations)
        arguments = random_arguments(
            rng,
            operation.name,
            known_paths=KNOWN_PATHS,
            text_for=lambda path: generators.text(rng),
        )
        # The fields are often of wrong types: {"content": [null]}
        result: Any = {field.name: random_data(rng) for field in operation.fields}
        if rng.random() < 0.5:
            result["path"] = random_path(rng, KNOWN_PATHS)
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
        path = random_path(rng, KNOWN_PATHS)
        # A reason of fewer than 8 characters would be refused unread (`LEAST_REASON_CHARS`).
        reason = generators.text(rng) + " stock same day"

        with suppress(ValueError):  # This is how a citation is refused.
            self.meter.call(
                f"cite {path}", lambda: self._log.citations.check(path, reason)
            )

    def _submit(self, rng: Random) -> None:
        scratchpad = random_scratchpad(rng)
        submission = Submission.from_scratchpad(scratchpad, None)
        case = Case(
            # The end demands a form of the answer, "<COUNT:7>", which a rule checks.
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

        # Either each gate has judged the answer, or the only verdict, called `judging`, says why not.
        is_judged = len(verdicts) >= len(GATE_NAMES)
        assert is_judged or verdicts[0].name == "judging", verdicts
        for verdict in verdicts:
            # A rule that raises an exception does not stop the judging, but says so.
            assert not verdict.reason.startswith(RULE_FAILED), verdicts


def random_scratchpad(rng: Random) -> dict[str, Any]:
    """Return what a script may submit: `{"answer": "x", "outcome": 1e308, "refs_why": {…}, …}`."""
    citations: dict[str, str] = {}
    for _ in range(5):
        path = random_path(rng, KNOWN_PATHS)
        citations[path] = generators.text(rng)
    outcomes = ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY", random_data(rng)]
    return {
        "answer": rng.choice([generators.text(rng), random_data(rng)]),
        "outcome": rng.choice(outcomes),
        "refs_why": rng.choice([citations, random_data(rng)]),
        "facts": random_data(rng),
        "tokens": random_data(rng),
        "changes": random_data(rng),
    }
