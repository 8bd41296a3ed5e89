"""Starts `controlplane view`, the web server that shows recorded runs.

    with serving_view(folder) as view:
        page = view.text("/runs/a")

The server is a process of its own, on a free port of this machine. Its pages are read by HTTP, or
opened in a real browser at `view.address`.
"""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlplane.errors import Interrupted
from tests.controlplane.report.served_pages import RunningView
from tests.support.command import start_controlplane


@contextmanager
def serving_view(folder: Path, journals: str = ".") -> Iterator[RunningView]:
    """Call `controlplane view` in this folder for the length of the block, and end it with Ctrl-C.

    `journals` names the folder with the journals, such as "runs". By default, `folder` has them.
    """
    process = start_controlplane("view", journals, "--no-open", cwd=folder)
    try:
        assert process.stdout is not None
        # The command prints its address, such as "http://127.0.0.1:8765/?token=3f2a".
        address = re.search(
            r"http://127\.0\.0\.1:(?P<port>\d+)\S*\?token=(?P<token>\S+)",
            process.stdout.readline(),
        )
        assert address is not None
        yield RunningView(address[0], int(address["port"]), address["token"])
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) in (0, Interrupted.exit_code)
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()
