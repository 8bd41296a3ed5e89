"""`run` does not import slow libraries, such as clients for models, unless it needs them.

When the run starts, its benchmark prints which of four libraries are imported by then: "imported:
openai rich" for two, and "imported:" for none.
"""

from pathlib import Path

from tests.support.command import run_python

BENCHMARK_THAT_PRINTS_IMPORTS = """
import sys

from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark

SLOW_LIBRARIES = {
    "openai",  # a client for models
    "httpx2",  # a client for HTTP
    "rich",  # tables in terminals
    "RestrictedPython",
}


class ImportPrinter(EcomBenchmark):
    def start_run(self, request):
        print("imported:", *(SLOW_LIBRARIES & set(sys.modules)))
        return super().start_run(request)


def open_benchmark(*unused):
    return ImportPrinter()
"""


def test_a_run_without_a_model_starts_without_importing_slow_libraries(
    tmp_path: Path,
) -> None:
    """The run is a process of its own, because the tests' own process has imported the libraries."""
    (tmp_path / "printer.py").write_text(BENCHMARK_THAT_PRINTS_IMPORTS)

    run = run_python(
        "-m",
        "controlplane",
        "run",
        "calendar-date.1",
        "--benchmark=printer",
        cwd=tmp_path,
    )

    assert run.code == 0, run.err
    assert run.out.startswith("imported:\n")
