"""What `controlplane run` does before its first call to the benchmark."""

import os
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]
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


def test_the_platform_is_asked_while_the_models_client_is_still_imported(tmp_path: Path) -> None:
    (tmp_path / "openai.py").write_text("import time; time.sleep(60)")
    with socket.create_server(("127.0.0.1", 0)) as platform:
        variables = {
            "BITGN_HOST": f"http://127.0.0.1:{platform.getsockname()[1]}",
            "BITGN_API_KEY": "k",
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
            "OPENAI_API_KEY": "none",
            "PYTHONPATH": f"{tmp_path}:{ROOT}",
        }
        command = [sys.executable, "-m", "controlplane", "run", "--benchmark", "bitgn:x", "--model", "m"]
        run = subprocess.Popen([*command, "--rules", "none", "--quiet"], cwd=tmp_path, env=os.environ | variables)
        try:
            platform.settimeout(30)
            visitor, _ = platform.accept()
            with visitor:
                assert b"/GetBenchmark" in visitor.recv(4096)
        finally:
            run.kill()
            run.wait()
