"""Scripts over a folder that try to cost much time or memory, by patterns, names and texts.

The parent process answers the calls of scripts, so a call such as `harness.search("(a|a)*c")`
could stop it, and with it all other trials. Each call must fail, or end soon.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from controlplane.sandbox import Ending, ForkServer, Limits, Sandbox, StepResult
from controlplane.sandbox.files.folder_host import FolderHost
from tests.support.executed_work import executed_lines

HARNESS_CALLS = """
def attempt(call):
    try:
        return call()
    except (HarnessError, FileNotFoundError, TypeError, ValueError) as error:
        print(str(error)[:200])
def write(path, text): attempt(lambda: harness.write(path, text))
def read(path, *lines): attempt(lambda: harness.read(path, *lines))
def search(pattern, **more): attempt(lambda: harness.search(pattern, **more))
def find(name, **more): attempt(lambda: harness.find(name, **more))
def run(tool, args): attempt(lambda: harness.exec(tool, args))
"""
"""The first lines of the hostile scripts below: calls that print their error and go on.

`read("/a", 2, 3)` is `harness.read("/a", 2, 3)`, and so on; `run` runs a tool such as `/bin/cat`.
"""

# Scripts with patterns for which a simple search tries very many ways to match, or takes much
# memory. `write`, `search` and `find` are calls of the harness.
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

# Scripts with paths that are long, many, deep or alike, or that mean something to a program.
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

# Scripts with large texts, arguments or line numbers. One write takes at most two megabytes, and
# `run` runs a tool.
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

HOSTILE_SCRIPTS = HOSTILE_PATTERNS | HOSTILE_NAMES | HOSTILE_TEXTS


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_worker_calls")
@pytest.mark.parametrize("script", HOSTILE_SCRIPTS.values(), ids=HOSTILE_SCRIPTS.keys())
def test_a_hostile_script_over_a_folder_costs_the_parent_little(
    server: ForkServer, folder: Path, script: str
) -> None:
    """Its calls fail or succeed; its process lives on, and the next step works.

    The parent's share is counted in lines of Python, which are the same on any machine.
    """
    now = datetime(2026, 1, 1, tzinfo=UTC)
    host = FolderHost(folder, now)
    script_limits = Limits(step_wall_s=120.0, step_cpu_s=10.0)

    with Sandbox(
        host.tool_schema, host, now=now, seed=1, limits=script_limits, server=server
    ) as sandbox:
        sandbox.ready_child()  # The start of the process does not count.
        results: list[StepResult] = []

        lines_of_parent = executed_lines(
            lambda: results.append(sandbox.run(HARNESS_CALLS + script))
        )
        next_step = sandbox.run("print(harness.read('/docs/a.txt').content, end='')")

    (result,) = results
    assert lines_of_parent < 20_000_000, result
    assert result.ending is not Ending.KILLED, result
    assert next_step.output == "alpha\nbeta\n"
