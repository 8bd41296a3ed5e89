"""Scripts over a folder whose searches take very long, or much memory, cost the parent process little.

The parent answers the calls of scripts: `search('(a|a)*c')` could stop it, and all other trials.
Each call must fail, or end soon. `write`, `search` and `find` are calls of `harness`, which print
their error.
"""

from pathlib import Path

import pytest

from controlplane.sandbox import Ending, ForkServer
from tests.sandbox.files.hostile.hostile_runs import run_hostile_script

HOSTILE_PATTERNS = {
    "a pattern that never ends": (
        "write('/x', 'a' * 60 + 'b')\n"
        "search('(a|a)*c', root='/x')"
    ),
    "a pattern of nested repeats": "write('/x', 'x' * 40 + '!')\nsearch('(x+x+)+y')",
    "a pattern of a million groups": "search('(' * 1000000)",
    "a pattern with a huge count": "search('(?:a{60000}){60000}')",
    "a pattern of many alternatives": (
        "search('|'.join(str(i) for i in range(200000)))"
    ),
    "a pattern that refers to what its groups matched": (
        "write('/x', 'ab' * 500000)\n"
        r"search('(?s)(.*)(.*)(.*)\\1\\2\\3c')"
    ),
    "an empty pattern over a million lines": (
        "write('/x', chr(10) * 1900000)\nsearch('', limit=0)"
    ),
    "a glob of stars": "write('/' + 'a' * 250, 'x')\nfind('*a' * 120 + 'b')",
    "a glob of brackets": "find('[' * 255)",
}  # fmt: skip


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_worker_calls")
@pytest.mark.parametrize(
    "script", HOSTILE_PATTERNS.values(), ids=HOSTILE_PATTERNS.keys()
)
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
