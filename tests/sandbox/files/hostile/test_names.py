"""Scripts with paths that are long, many, deep or alike cost the parent process little.

The parent answers the calls of scripts: `read('/a' * 900000)` could stop it, and all other trials.
Each call must fail, or end soon. `write`, `read`, `search` and `find` are calls of `harness`, which
print their error.
"""

from pathlib import Path

import pytest

from controlplane.sandbox import Ending, ForkServer
from tests.sandbox.files.hostile.hostile_runs import run_hostile_script

HOSTILE_NAMES = {
    "a tree of forty levels": (
        "write('/d' * 39 + '/x', 'x')\n"
        "print(len(str(harness.tree('/', 0))))\n"
        "find('x')\n"
        "search('x')"
    ),
    "a thousand files": (
        "for i in range(900): write(f'/many/{i % 7}/{i}', 'line' * 9)\n"
        "find('*', limit=0)\n"
        "search('l', limit=0)"
    ),
    "long names that are nearly the same": (
        "for i in range(200): write('/' + 'a' * 200 + str(i), '')\n"
        "for i in range(200): read('/' + 'ab' * 100 + str(i))"
    ),
    "paths of four thousand characters": (
        "for i in range(100): write(f'/{i}' + '/d' * 98 + 'e' * 3000, '')\n"
        "find('*', limit=0)"
    ),
    "a path of a million parts": (
        "read('/a' * 900000)\n"
        "read('/' * 1900000)\n"
        "read('/..' * 600000)"
    ),
    "names of other characters": (
        "for n in ('\\x00', '\\ud800', '\\u202e', ' ', '\\n', '%2e%2e', '...', '~', '$HOME', '*', '['):\n"
        "    write('/' + n, n)\n"
        "    read('/' + n)"
    ),
}  # fmt: skip


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_worker_calls")
@pytest.mark.parametrize("script", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES.keys())
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
