"""What `controlplane run` does before its first call to the benchmark."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
WATCHFUL = """
import sys

from benchmarks.ecom.ecom_benchmark import EcomBenchmark


class Watchful(EcomBenchmark):
    def start_run(self, request):
        print(*({"openai", "httpx2", "rich", "RestrictedPython"} & set(sys.modules)), "are imported")
        return super().start_run(request)


def open_benchmark(argument, settings, context):
    return Watchful()
"""


def test_a_run_without_a_model_reaches_its_benchmark_without_slow_libraries(tmp_path: Path) -> None:
    (tmp_path / "watchful.py").write_text(WATCHFUL)
    command = [sys.executable, "-m", "controlplane", "run", "calendar-date.1", "--benchmark", "watchful"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("are imported\n")
