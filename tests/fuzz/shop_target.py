"""Fuzzer target: random calls of the embedded shop: its files, SQL and jq.

    exec {"path": "/bin/jq", "args": [".[-1]|\\"", "/proc/crew/emp_4.json#"]}

A call may fail with an error for scripts, such as "there is no file ...", and must not crash, hang,
or change what an ordinary call returns afterwards.
"""

from contextlib import suppress
from random import Random

from controlplane import BenchmarkContext
from controlplane.benchmarks.ecom.ecom_benchmark import open_benchmark
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import CallError
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.inputs.damaged_json import damaged_record
from tests.fuzz.inputs.random_calls import OPERATION_NAMES, random_arguments
from tests.fuzz.shop_trial import ShopTrial
from tests.fuzz.target import Target


class Shop(Target):
    """Calls of a trial of the shop. Some of its records are those that earlier calls have written.

    A call may only fail with `CallError`, and must not change the result of an ordinary call.
    """

    CALLS_PER_TRIAL = 400
    """After so many calls, a new trial starts with fresh records."""
    CALLS_PER_CHECK = 40
    """After so many calls, the ordinary call is made."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        opened = open_benchmark("", {}, BenchmarkContext())
        self._benchmark = opened.benchmark
        self._server = self._resources.enter_context(ForkServer(opened.worker_modules))
        self._start_trial(attempt=0)
        # Ends the trial that is the current one by then.
        self._resources.callback(lambda: self._trial.end())

    def _start_trial(self, attempt: int) -> None:
        """Play against a new trial from now on. The caller ends the one before."""
        self._trial = ShopTrial(self._benchmark, self._server, attempt)
        self._known_paths = self._trial.paths_of_files()
        self._ordinary_result = self._trial.result_of_ordinary_call()
        self._calls = 0

    def play_one(self, rng: Random) -> None:
        """Make one random call, and now and then the ordinary one or a new trial."""
        operation = rng.choice(OPERATION_NAMES)
        arguments = random_arguments(
            rng,
            operation,
            known_paths=self._known_paths,
            text_for=lambda path: damaged_record(rng, self._trial.text_at(path)),
        )

        with suppress(CallError):
            self.meter.call(
                f"{operation} {arguments}",
                lambda: self._trial.call(operation, arguments),
            )

        self._calls += 1
        if self._calls % self.CALLS_PER_CHECK == 0:
            assert self._trial.result_of_ordinary_call() == self._ordinary_result
        if self._calls == self.CALLS_PER_TRIAL:
            ended_trial = self._trial
            self._start_trial(rng.randrange(1_000))
            ended_trial.end()
