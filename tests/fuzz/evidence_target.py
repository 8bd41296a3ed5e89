"""Fuzzer target: the evidence of a trial, citations of it, and the judging of what is submitted.

    log.add_call("read", {"path": "/a.md"}, {"content": "fee: 7"}, None)   a call, and its result
    log.citations.check("/a.md", "the fee is 7")                           a citation
    find_verdicts(submission, log.view(), ...)                             the judging of an answer

Here the results, citations and answers are random. Nothing of this may raise an error of its own, or take
long.
"""

from contextlib import suppress
from random import Random

from controlplane.agent.evidence import EvidenceLog
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.inputs import generators
from tests.fuzz.inputs.random_calls import random_arguments
from tests.fuzz.inputs.random_paths import random_path
from tests.fuzz.inputs.random_submissions import random_error, random_result
from tests.fuzz.judged_answers import judge_random_answer
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
            judge_random_answer(rng, self._log, self.meter, KNOWN_PATHS)

    def _record_call(self, rng: Random) -> None:
        operation = rng.choice(TOOL_SCHEMA.operations)
        arguments = random_arguments(
            rng,
            operation.name,
            known_paths=KNOWN_PATHS,
            text_for=lambda path: generators.text(rng),
        )
        result = random_result(rng, operation, KNOWN_PATHS)
        error = random_error(rng)
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
