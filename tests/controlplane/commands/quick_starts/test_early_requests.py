"""`run` asks a platform, the server of a benchmark, while it still imports the client for models.

The platform may be slow to answer, and the client, `openai`, to import. So one waits for neither.
"""

import os
import socket
import subprocess
import sys
from pathlib import Path

from tests.support.command import ROOT


def test_the_platform_is_asked_while_the_client_for_models_is_being_imported(
    tmp_path: Path,
) -> None:
    """The benchmark is a server, the platform, which may be slow to answer. So it is asked at once.

    The client for models, `openai`, is replaced by a module that takes a minute to import. The
    platform gets its first request before that minute is over.
    """
    (tmp_path / "openai.py").write_text("import time\ntime.sleep(60)\n")

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
                sys.executable,
                "-m",
                "controlplane",
                "run",
                "--benchmark=bitgn:x",
                "--rule-sets=none",
                "--model=m",
                "--quiet",
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
