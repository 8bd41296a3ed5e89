"""Scripts with large texts, arguments or line numbers cost the parent process little.

The parent answers the calls of scripts: `run('/bin/cat', ['/b'] * 50000)` could stop it, and all
other trials. Each call must fail, or end soon. `write`, `read`, `search` and `run` are calls of
`harness`, which print their error. One write takes at most two megabytes.
"""

from pathlib import Path

import pytest

from controlplane.sandbox import Ending, ForkServer
from tests.sandbox.files.hostile.hostile_runs import run_hostile_script

HOSTILE_TEXTS = {
    "more than may be written": "for i in range(8): write(f'/b{i}', 'x' * 1900000)",
    "texts that JSON writes longer": (
        "for i in range(12): write(f'/b{i}', chr(0) * 300000)"
    ),
    "characters of four bytes": (
        "for i in range(12): write(f'/b{i}', chr(0x10ffff) * 400000)\n"
        "search('x')"
    ),
    "one file written again and again": (
        "for i in range(40): write('/b', 'x' * (1000000 + i))"
    ),
    "nested JSON": (
        "write('/n.json', '[' * 900000)\n"
        "try:\n"
        "    harness.read('/n.json').json()\n"
        "except Exception as e:\n"
        "    print(type(e).__name__)"
    ),
    "cat of one file many times": (
        "write('/b', 'ab' * 900000)\n"
        "run('/bin/cat', ['/b'] * 50000)"
    ),
    "cat of many missing files": (
        "run('/bin/cat', [f'/none{i}' for i in range(50000)])"
    ),
    "a million arguments": (
        "run('/bin/cat', ['select'] * 200000)\n"
        "run('/bin/date', ['x'] * 200000)"
    ),
    "lines far beyond the end": (
        "write('/l', chr(10) * 900000)\n"
        "for n in (2**63, 10**6, -1): read('/l', n, n)"
    ),
    "a text larger than one call may have": "write('/b', 'x' * 5000000)",
    "a text that just fits": (
        "write('/b', chr(10) * 999900)\n"
        "read('/b')\n"
        "write('/b', 'y')\n"
        "read('/b')"
    ),
}  # fmt: skip


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_worker_calls")
@pytest.mark.parametrize("script", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS.keys())
def test_a_hostile_script_over_a_folder_costs_the_parent_little(
    server: ForkServer, folder: Path, script: str
) -> None:
    """The parent executes fewer than 20 million lines of Python, the work of some seconds. What it
    leaves to a worker, another process, is ended after 0.4 s (`short_worker_calls`). The process
    of the script lives on, and the next script can print a file of the folder."""
    hostile_run = run_hostile_script(server, folder, script)

    assert hostile_run.python_lines_of_parent < 20_000_000, hostile_run.result
    assert hostile_run.result.ending is not Ending.KILLED, hostile_run.result
    assert hostile_run.file_printed_by_next_script == "alpha\nbeta\n"
