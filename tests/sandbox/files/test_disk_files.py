"""A folder on disk as a script's world, tools in a worker
beside it, and what a hostile script asks of it."""

import resource
import time
from collections import UserDict
from datetime import UTC, datetime

import pytest

from controlplane.sandbox import Ending, FileTree, ForkServer, Limits, Sandbox, Worker
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.files.folder_host import FolderHost
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.files.worker_tools import WorkerTools
from controlplane.sandbox.interface import CallError, plain_result
from controlplane.sandbox.interface.host import WorkerLimits
from tests.sandbox.script_world import run_script_over_folder

pytestmark = pytest.mark.usefixtures("commands_share_servers")


def test_changes_stay_in_an_overlay_unless_write_is_given(folder):
    script = "harness.write('/new/x.txt', 'new')\nharness.delete('/docs/a.txt')\nprint(harness.find('*.txt').paths)"
    assert run_script_over_folder(folder, script)["output"] == "['/new/x.txt']\n"
    assert (folder / "docs/a.txt").exists()
    assert not (folder / "new").exists()
    assert (
        run_script_over_folder(folder, script, "--write")["output"]
        == "['/new/x.txt']\n"
    )
    assert not (folder / "docs/a.txt").exists()
    assert (folder / "new/x.txt").read_text() == "new"


def test_no_path_leads_out_of_the_folder(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text("SECRET")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "dir").symlink_to(outside)
    script = """
for path in ("/link.txt", "/dir/secret.txt", "/../outside/secret.txt", "/docs/../../secret.txt"):
    for call in (harness.read, harness.stat, lambda p: harness.write(p, "changed"), harness.delete):
        try:
            call(path)
        except Exception as error:
            pass
print(harness.search("SECRET").matches, [e.name for e in harness.list("/").entries])
"""

    assert "SECRET" not in run_script_over_folder(folder, script, "--write")["output"]
    assert (outside / "secret.txt").read_text() == "SECRET"


def test_a_tool_gives_up_before_its_answer_takes_much_time_or_memory(folder):
    script = """
harness.write("/big", "ab" * 900_000)
try:
    harness.exec("/bin/cat", ["/big"] * 1_000)
except HarnessError as error:
    print(error.code)
"""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = run_script_over_folder(folder, script)

    assert found["output"] == "resource_exhausted\n"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 96 * 1024


def test_tools_are_the_clock_cat_and_what_is_canned(folder, tmp_path):
    (tmp_path / "id.txt").write_text("clerk-7\n")
    script = """
from datetime import datetime, timezone
print(harness.exec("/bin/date").stdout.strip(), datetime.now(timezone.utc).isoformat())
print(harness.exec("/bin/id").stdout.strip(), harness.exec("/bin/cat", ["/docs/a.txt", "/none"]).exit_code)
print(harness.exec("/bin/cat", ["/docs/a.txt"]).stdout, harness.exec("/bin/cat", stdin="in").stdout)
harness.exec("/bin/nope")
"""
    found = run_script_over_folder(
        folder,
        script,
        "--exec",
        f"/bin/id={tmp_path / 'id.txt'}",
        "--now",
        "2026-03-11T10:00:00Z",
    )

    assert (
        found["output"]
        == "2026-03-11T10:00:00Z 2026-03-11T10:00:00+00:00\nclerk-7 1\nalpha\nbeta\n in\n"
    )
    assert (
        "FileNotFoundError: there is no tool /bin/nope; there are /bin/cat, /bin/date, /bin/id"
        in found["error"]
    )


def test_an_error_of_the_system_hides_the_place_on_disk(folder):
    script = """
name = "/" + "x" * 300
try:
    harness.write(name, "text")
except HarnessError as error:
    print(error)
print(harness.find("x*").paths)
"""

    assert (
        run_script_over_folder(folder, script, "--write")["output"]
        == "invalid_argument: File name too long\n[]\n"
    )


@pytest.mark.parametrize(
    ("deed", "path", "cited"),
    [
        ("harness.read('/docs/a.txt')", "/docs/a.txt#row=1", "/docs/a.txt#row=1"),
        ("harness.read('/docs/a.txt')", "/docs//a.txt#row=1", "/docs/a.txt#row=1"),
        ("harness.exec('/bin/cat', ['/docs/a.txt'])", "/docs/a.txt", "/docs/a.txt"),
        ("harness.exec('/bin/cat', ['/docs/a.txt', '/none'])", "/docs/a.txt", ""),
        ("harness.write('/docs/a.txt#1', 'x')", "/docs/a.txt", ""),
        ("harness.write('/docs/a.txt#1', 'x')", "/docs/a.txt#1", "/docs/a.txt#1"),
        ("harness.write('/docs/a.txt#1', 'x')", "/docs/a.txt#2", ""),
        ("harness.read('/docs/a.txt')", "/docs/b#1", ""),
    ],
)
def test_a_path_is_citable_once_it_was_opened_and_a_name_with_a_fragments_sign_is_a_name(
    folder, deed, path, cited
):
    (folder / "docs/b").write_text("x")
    (folder / "docs/b#1").write_text("x")
    script = f"""
{deed}
try:
    scratchpad.cite({path!r}, "long enough")
except CitationError:
    pass
print(*scratchpad.get("refs_why", []))
"""

    assert run_script_over_folder(folder, script)["output"].strip() == cited


MODULE = "tests.sandbox.worker_functions"
FILES = {
    f"/d/{number:03}.md": f"file {number}\nline of {number}\n" for number in range(100)
} | {"/a.md": "alpha"}


class Counted(UserDict):
    """Counts how often a text is taken."""

    taken = 0

    def __getitem__(self, key):
        self.taken += 1
        return super().__getitem__(key)


@pytest.fixture(scope="module")
def loaded_server():
    with ForkServer([TOOL_WORLD, MODULE]) as running:
        yield running


def tools_in(worker, base=FILES, **others):
    tree = FileTree(base)
    return WorkerTools(worker, tree, WorldFiles(base, MODULE, **others)), tree


@pytest.fixture
def world(loaded_server):
    with Worker(loaded_server) as worker:
        yield tools_in(worker, Counted(FILES), directories=("/empty",), data={"n": 1})


def read(tools, path):
    return tools.call("read", {"path": path})["content"]


def test_changes_of_either_side_reach_the_other_and_outlive_the_process(world):
    tools, tree = world
    tree.write("/early.md", "written before the process began")
    tools.call("write", {"path": "/new.md", "content": "new"})
    tree.delete("/a.md")
    tree.write("/new.md", "newer")

    assert tree.changes == {
        "/early.md": "written before the process began",
        "/new.md": "newer",
        "/a.md": None,
    }
    assert read(tools, "/new.md") == "newer"
    with pytest.raises(CallError):
        tools.call("write", {"path": "/lost.md", "content": "die"})
    assert "/lost.md" not in tree.changes
    assert (read(tools, "/new.md"), read(tools, "/early.md")[:7]) == (
        "newer",
        "written",
    )
    for gone in ("/a.md", "/lost.md"):
        with pytest.raises(CallError, match="not_found"):
            read(tools, gone)


def test_a_tool_that_never_ends_costs_one_call(loaded_server):
    with Worker(loaded_server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
        tools, tree = tools_in(worker)
        tree.write("/x.md", "aaa")
        with pytest.raises(CallError, match=r"0.3 s of CPU"):
            tools.call("spin", {})
        assert read(tools, "/x.md") == "aaa"


def test_a_result_with_parts_is_bounded_and_needs_no_copy(world):
    tools, _ = world
    given = tools.call("forge", {"result": {"entries": [{"n": [1.5, None]}]}})

    assert plain_result("forge", lambda: given)["entries"] is given["entries"]
    for entries in ([[]] * 10_001, [0] * 400_002):
        with pytest.raises(
            CallError, match="more than 10000 lists and mappings, or 400000 values"
        ):
            tools.call("forge", {"result": {"entries": entries}})
    deep = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(CallError, match="nested deeper than 100 levels"):
        tools.call("forge", {"result": {"x": deep}})


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


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_worker_calls")
@pytest.mark.parametrize("name", EVERY)
def test_a_hostile_input_ends_in_time_costs_little_and_loses_no_trial(
    server, folder, name
):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    host = FolderHost(folder, now)
    with Sandbox(
        host.tool_schema, host, now=now, seed=1, limits=LIMITS, server=server
    ) as box:
        box.ready_child()
        before = time.process_time()
        hostile = box.run(HANDS + EVERY[name])
        assert time.process_time() - before < MOST_CPU_S, hostile
        assert hostile.ending is not Ending.KILLED, hostile
        assert (
            box.run("print(harness.read('/docs/a.txt').content, end='')").output
            == "alpha\nbeta\n"
        )
