"""`run` does not wait for libraries that are imported slowly, such as clients for models."""

import os
import socket
import subprocess
import sys
from pathlib import Path

from tests.support.command import ROOT, run_python

BENCHMARK_THAT_PRINTS_IMPORTS = """
import sys

from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark

SLOW_LIBRARIES = {"openai", "httpx2", "rich", "RestrictedPython"}


class ImportPrinter(EcomBenchmark):
    def start_run(self, request):
        print("imported:", *(SLOW_LIBRARIES & set(sys.modules)))
        return super().start_run(request)


def open_benchmark(argument, settings, context):
    return ImportPrinter()
"""


def test_a_run_without_a_model_starts_without_importing_slow_libraries(
    tmp_path: Path,
) -> None:
    """When the run starts, its benchmark prints which are imported: "imported: openai rich".

    The run is a process of its own, because the tests' own process has imported the libraries.
    """
    (tmp_path / "printer.py").write_text(BENCHMARK_THAT_PRINTS_IMPORTS)

    run = run_python(
        *("-m", "controlplane", "run", "calendar-date.1", "--benchmark", "printer"),
        cwd=tmp_path,
    )

    assert run.code == 0, run.err
    assert run.out.startswith("imported:\n")


def test_the_platform_is_asked_while_the_client_for_models_is_being_imported(
    tmp_path: Path,
) -> None:
    """The benchmark is a server, the platform, which may be slow to answer. So it is asked at once.

    The client for models, `openai`, is replaced by a module that takes a minute to import. The
    platform gets its first request before that minute is over.
    """
    (tmp_path / "openai.py").write_text("import time\ntime.sleep(60)\n")
    benchmark = ("--benchmark", "bitgn:x", "--rule-sets", "none")

    with socket.create_server(("127.0.0.1", 0)) as platform:
        _, port = platform.getsockname()
        variables = {
            "BITGN_HOST": f"http://127.0.0.1:{port}",
            "BITGN_API_KEY": "k",
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
            "OPENAI_API_KEY": "none",
            "PYTHONPATH": f"{tmp_path}:{ROOT}",
        }
        run = subprocess.Popen(
            [
                *(sys.executable, "-m", "controlplane", "run"),
                *benchmark,
                *("--model", "m", "--quiet"),
            ],
            cwd=tmp_path,
            env=os.environ | variables,
        )
        try:
            platform.settimeout(30)  # less than the import takes
            connection, _ = platform.accept()
            with connection:
                first_request = connection.recv(4096)
        finally:
            run.kill()
            run.wait()

    assert b"/GetBenchmark" in first_request
