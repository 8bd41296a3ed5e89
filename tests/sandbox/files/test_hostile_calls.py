"""What a hostile script asks of a folder: each input ends in time, costs this process little, and loses no trial."""
# ruff: noqa: E501 - an input is one line

import time
from datetime import UTC, datetime

import pytest

from sandbox import Ending, ForkServer, Limits, Sandbox
from sandbox.files.disk_files import FolderHost

pytestmark = pytest.mark.second_tier

LIMITS = Limits(step_wall_s=20.0, step_cpu_s=10.0)
MOST_CPU_S = 2.5
"""CPU seconds of the trusted process for a step of one hostile input, several calls included."""

PATTERNS = {
    "a pattern that never ends": "w('/x', 'a' * 60 + 'b'); s('(a|a)*c', root='/x')",
    "a pattern of nested repeats": "w('/x', 'x' * 40 + '!'); s('(x+x+)+y')",
    "a pattern of a million groups": "s('(' * 1000000)",
    "a pattern with a huge count": "s('(?:a{60000}){60000}')",
    "a pattern of many alternatives": "s('|'.join(str(i) for i in range(200000)))",
    "a pattern that looks back far": r"w('/x', 'ab' * 500000); s('(?s)(.*)(.*)(.*)\\1\\2\\3c')",
    "an empty pattern over a million lines": "w('/x', chr(10) * 1900000); s('', limit=0)",
    "a glob of stars": "w('/' + 'a' * 250, 'x'); f('*a' * 120 + 'b')",
    "a glob of brackets": "f('[' * 255)",
}
NAMES = {
    "a tree of forty levels": "w('/d' * 39 + '/x', 'x'); print(len(str(harness.tree('/', 0)))); f('x'); s('x')",
    "a thousand files": "for i in range(900): w(f'/many/{i % 7}/{i}', 'line' * 9)\nf('*', limit=0); s('l', limit=0)",
    "long names that are nearly the same": "for i in range(200): w('/' + 'a' * 200 + str(i), '')\n"
    "for i in range(200): r('/' + 'ab' * 100 + str(i))",
    "paths of four thousand characters": "for i in range(100): w(f'/{i}' + '/d' * 98 + 'e' * 3000, '')\nf('*', limit=0)",
    "a path of a million parts": "r('/a' * 900000); r('/' * 1900000); r('/..' * 600000)",
    "names of other characters": "for n in ('\\x00', '\\ud800', '\\u202e', ' ', '\\n', '%2e%2e', '...', '~', '$HOME', '*', '['): "
    "w('/' + n, n); r('/' + n)",
}
TEXTS = {
    "more than may be written": "for i in range(8): w(f'/b{i}', 'x' * 1900000)",
    "texts that JSON writes longer": "for i in range(12): w(f'/b{i}', chr(0) * 300000)",
    "characters of four bytes": "for i in range(12): w(f'/b{i}', chr(0x10ffff) * 400000)\ns('x')",
    "one file written again and again": "for i in range(40): w('/b', 'x' * (1000000 + i))",
    "nested JSON": "w('/n.json', '[' * 900000)\ntry:\n    harness.read('/n.json').json()\nexcept Exception as e:\n    print(type(e).__name__)",
    "cat of one file many times": "w('/b', 'ab' * 900000); x('/bin/cat', ['/b'] * 50000)",
    "cat of many missing files": "x('/bin/cat', [f'/none{i}' for i in range(50000)])",
    "a million arguments": "x('/bin/cat', ['select'] * 200000); x('/bin/date', ['x'] * 200000)",
    "lines far beyond the end": "w('/l', chr(10) * 900000)\nfor n in (2**63, 10**6, -1): a(lambda: harness.read('/l', n, n))",
    "a text larger than a message": "w('/b', 'x' * 5000000)",
    "a text that just fits": "w('/b', chr(10) * 999900); r('/b'); w('/b', 'y'); r('/b')",
}
EVERY = PATTERNS | NAMES | TEXTS

HANDS = """
def a(call):
    try:
        return call()
    except (HarnessError, FileNotFoundError, TypeError, ValueError) as error:
        print(str(error)[:200])
def w(path, text): a(lambda: harness.write(path, text))
def r(path): a(lambda: harness.read(path))
def s(pattern, **more): a(lambda: harness.search(pattern, **more))
def f(name, **more): a(lambda: harness.find(name, **more))
def x(tool, args): a(lambda: harness.exec(tool, args))
"""


@pytest.fixture(scope="module")
def server():
    with ForkServer() as running:
        yield running


@pytest.mark.usefixtures("short_worker_calls")
@pytest.mark.parametrize("name", EVERY)
def test_a_hostile_input_ends_in_time_costs_little_and_loses_no_trial(server, folder, name):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    host = FolderHost(folder, now)
    with Sandbox(host.tool_schema, host, now=now, seed=1, limits=LIMITS, server=server) as box:
        box.ready_child()
        before = time.process_time()
        hostile = box.run(HANDS + EVERY[name])
        assert time.process_time() - before < MOST_CPU_S, hostile
        assert hostile.elapsed_ms < 1_000 * LIMITS.step_wall_s, hostile
        assert hostile.ending is not Ending.KILLED, hostile
        assert box.run("print(harness.read('/docs/a.txt').content, end='')").output == "alpha\nbeta\n"
