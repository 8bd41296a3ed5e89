"""Fuzzer target: the text of a task file, `task.toml`, which somebody wrote for a benchmark.

    instruction = "Please renew 'Bridges of the North' for me."      a task
    instruction = "Please renew 'Bridges of the trees = ["../desk"]  an error for users

Any text must give one of the two.
"""

from contextlib import suppress
from random import Random

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.task_text import TaskText
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.inputs import generators
from tests.fuzz.inputs.patterns import pattern
from tests.fuzz.target import Target
from tests.support.command import ROOT


class TaskTexts(Target):
    """Task files of the examples, with random texts inserted or in place of a part."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        paths = sorted((ROOT / "docs/examples/library").glob("*/task.toml"))
        self._samples = [path.read_text(encoding="utf-8") for path in paths]

    def play_one(self, rng: Random) -> None:
        """Parse the text of a task file that is damaged at up to 5 places.

        It is a task, or a `BenchmarkError`, which is meant for users.
        """
        text = rng.choice(self._samples)
        damage_count = rng.randrange(1, 6)
        for _ in range(damage_count):
            text = self._damaged(rng, text)
        try:
            text.encode()
        except UnicodeEncodeError:
            return  # A file on disk cannot have this text.

        with suppress(BenchmarkError):
            self.meter.call(text, TaskText(text, "t.toml").parsed)

    def _damaged(self, rng: Random, text: str) -> str:
        """Return the text with a random one inserted, or in place of up to 200 characters."""
        inserted_texts = [
            generators.word(rng),
            generators.text(rng),
            pattern(rng),
            rng.choice(self._samples),
        ]
        start = rng.randrange(len(text) + 1)
        end = start + rng.choice([0, 0, 1, 9, 200])
        return text[:start] + rng.choice(inserted_texts) + text[end:]
