"""A folder on disk as the `/` of a script, and tools in a worker beside it.

`python -m controlplane.sandbox run --files DIR` shows DIR to a script. Changes stay in memory (an
*overlay*) unless `--write` is given, no path leads out of DIR, and `harness.exec` runs a few
tools, such as `/bin/cat`. A *worker* is an isolated process in which the tools of a world run.
"""

from collections import UserDict
from datetime import UTC, datetime
from typing import NamedTuple

import pytest

from controlplane.sandbox import Ending, FileTree, ForkServer, Limits, Sandbox, Worker
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.files.folder_host import FolderHost
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.files.worker_tools import WorkerTools
from controlplane.sandbox.interface import CallError, plain_result
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.sandbox.script_world import memory_growth_below, run_script_over_folder
from tests.support.executed_work import executed_lines

pytestmark = pytest.mark.usefixtures("commands_share_servers")

CHANGE_FILES = """
harness.write("/new/x.txt", "new")
harness.delete("/docs/a.txt")
print(harness.find("*.txt").paths)
"""
"""The script sees its own changes, whether they reach the disk or not."""


def test_without_write_the_changes_of_a_script_stay_in_memory(folder):
    result = run_script_over_folder(folder, CHANGE_FILES)

    assert result["output"] == "['/new/x.txt']\n"
    assert (folder / "docs/a.txt").exists()
    assert not (folder / "new").exists()


def test_with_write_the_changes_of_a_script_reach_the_disk(folder):
    result = run_script_over_folder(folder, CHANGE_FILES, "--write")

    assert result["output"] == "['/new/x.txt']\n"
    assert not (folder / "docs/a.txt").exists()
    assert (folder / "new/x.txt").read_text() == "new"


def test_no_path_leads_out_of_the_folder(folder, tmp_path_factory):
    """The script reads, writes and deletes through symbolic links and through `..`."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text("SECRET")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "dir").symlink_to(outside)
    script = """
calls = (harness.read, harness.stat, lambda path: harness.write(path, "changed"), harness.delete)
for path in ("/link.txt", "/dir/secret.txt", "/../outside/secret.txt", "/docs/../../secret.txt"):
    for call in calls:
        try:
            call(path)
        except Exception as error:
            pass
print(harness.search("SECRET").matches, [e.name for e in harness.list("/").entries])
"""

    result = run_script_over_folder(folder, script, "--write")

    assert "SECRET" not in result["output"]
    assert (outside / "secret.txt").read_text() == "SECRET"


def test_a_tool_gives_up_before_its_output_takes_much_time_or_memory(folder):
    """The script asks for 1.8 GB: a thousand times the content of one file."""
    script = """
harness.write("/big", "ab" * 900_000)
try:
    harness.exec("/bin/cat", ["/big"] * 1_000)
except HarnessError as error:
    print(error.code)
"""
    with memory_growth_below(96):
        result = run_script_over_folder(folder, script)

    assert result["output"] == "resource_exhausted\n"


def test_a_script_can_run_cat_on_files_and_on_its_input(folder):
    """The second call names a missing file, so the tool ends with the exit code 1."""
    script = """
print(harness.exec("/bin/cat", ["/docs/a.txt"]).stdout, end="")
print(harness.exec("/bin/cat", ["/docs/a.txt", "/none"]).exit_code)
print(harness.exec("/bin/cat", stdin="in").stdout)
"""

    result = run_script_over_folder(folder, script)

    assert result["output"] == "alpha\nbeta\n1\nin\n"


def test_the_tool_date_and_the_clock_of_scripts_show_the_given_time(folder):
    script = """
from datetime import datetime, timezone
print(harness.exec("/bin/date").stdout, end="")
print(datetime.now(timezone.utc).isoformat())
"""

    result = run_script_over_folder(folder, script, "--now", "2026-03-11T10:00:00Z")

    assert result["output"] == "2026-03-11T10:00:00Z\n2026-03-11T10:00:00+00:00\n"


def test_a_tool_given_on_the_command_line_prints_the_text_of_its_file(folder, tmp_path):
    """Any other name is a missing tool, whose error names those that there are."""
    (tmp_path / "id.txt").write_text("clerk-7\n")
    script = """
print(harness.exec("/bin/id").stdout, end="")
harness.exec("/bin/nope")
"""

    result = run_script_over_folder(
        folder, script, "--exec", f"/bin/id={tmp_path / 'id.txt'}"
    )

    assert result["output"] == "clerk-7\n"
    assert (
        "FileNotFoundError: there is no tool /bin/nope; there are /bin/cat, /bin/date, /bin/id"
        in result["error"]
    )


def test_an_error_of_the_system_does_not_show_where_the_folder_is(folder):
    """A name of 300 characters is too long for the disk."""
    script = """
name = "/" + "x" * 300
try:
    harness.write(name, "text")
except HarnessError as error:
    print(error)
print(harness.find("x*").paths)
"""

    result = run_script_over_folder(folder, script, "--write")

    assert result["output"] == "invalid_argument: File name too long\n[]\n"


@pytest.mark.parametrize(
    ("action", "path", "cited_path"),
    [
        pytest.param(
            "harness.read('/docs/a.txt')",
            "/docs/a.txt#row=1",
            "/docs/a.txt#row=1",
            id="a fragment of a file that was read",
        ),
        pytest.param(
            "harness.read('/docs/a.txt')",
            "/docs//a.txt#row=1",
            "/docs/a.txt#row=1",
            id="a fragment, with two slashes",
        ),
        pytest.param(
            "harness.exec('/bin/cat', ['/docs/a.txt'])",
            "/docs/a.txt",
            "/docs/a.txt",
            id="a file that a tool read",
        ),
        pytest.param(
            "harness.write('/docs/a.txt#1', 'x')",
            "/docs/a.txt#1",
            "/docs/a.txt#1",
            id="a file whose name has the sign of a fragment",
        ),
    ],
)
def test_a_path_that_the_script_opened_can_be_cited(folder, action, path, cited_path):
    """`scratchpad.cite` keeps the path as evidence for the answer.

    A path may end with a fragment that says where in the file, such as `#row=1`.
    """
    assert paths_after_citation(folder, action, path) == [cited_path]


@pytest.mark.parametrize(
    ("action", "path"),
    [
        pytest.param(
            "harness.exec('/bin/cat', ['/docs/a.txt', '/none'])",
            "/docs/a.txt",
            id="the tool that read it failed",
        ),
        pytest.param(
            "harness.write('/docs/a.txt#1', 'x')",
            "/docs/a.txt",
            id="a file with '#1' in its name was opened instead",
        ),
        pytest.param(
            "harness.write('/docs/a.txt#1', 'x')",
            "/docs/a.txt#2",
            id="a file with '#1' in its name was opened, not '#2'",
        ),
        pytest.param(
            "harness.read('/docs/a.txt')",
            "/docs/b#1",
            id="another file was opened",
        ),
    ],
)
def test_a_path_that_the_script_did_not_open_cannot_be_cited(folder, action, path):
    """A tool that fails may not have shown the file at all."""
    assert paths_after_citation(folder, action, path) == []


def paths_after_citation(folder, action, path):
    """Return the cited paths of a script that does something and then tries to cite a path."""
    (folder / "docs/b").write_text("x")
    (folder / "docs/b#1").write_text("x")
    script = f"""
{action}
try:
    scratchpad.cite({path!r}, "long enough")
except CitationError:
    pass
print(*scratchpad.get("refs_why", []))
"""
    return run_script_over_folder(folder, script)["output"].split()


TOOL_MODULE = "tests.sandbox.worker_functions"
"""The module with the tools that the worker runs.

They are those of a file tree (`read`, `write` and so on), `spin`, which never returns, and `forge`,
which returns its argument. A write of the text "die" kills the worker.
"""

WORLD_FILES = {"/a.md": "alpha"}
for number in range(100):
    WORLD_FILES[f"/d/{number:03}.md"] = f"file {number}\nline of {number}\n"


class FilesAsMapping(UserDict):
    """Files that are not in a plain dict, as those of an environment may be."""


class World(NamedTuple):
    """Tools in a worker, and the file tree in this process that has the same content."""

    tools: WorkerTools
    tree: FileTree

    def read(self, path):
        return self.tools.call("read", {"path": path})["content"]


@pytest.fixture(scope="module")
def tool_server():
    """A fork server that has imported the tools."""
    with ForkServer([TOOL_WORLD, TOOL_MODULE]) as server:
        yield server


def world_in(worker, files=WORLD_FILES, **options):
    """Return the world of a worker; `options` are those of `WorldFiles`, such as `directories`."""
    tree = FileTree(files)
    tools = WorkerTools(worker, tree, WorldFiles(files, TOOL_MODULE, **options))
    return World(tools, tree)


@pytest.fixture
def world(tool_server):
    """The tools and the files of a world, whose worker is closed after the test."""
    with Worker(tool_server) as worker:
        yield world_in(
            worker,
            FilesAsMapping(WORLD_FILES),
            directories=("/empty",),
            data={"n": 1},
        )


def test_the_worker_and_the_file_tree_see_the_changes_of_each_other(world):
    """Changes by the tools of the worker and by scripts are made in turn."""
    world.tree.write("/early.md", "written before the process began")
    world.tools.call("write", {"path": "/new.md", "content": "new"})
    world.tree.delete("/a.md")
    world.tree.write("/new.md", "newer")

    assert world.tree.changes == {
        "/early.md": "written before the process began",
        "/new.md": "newer",
        "/a.md": None,
    }
    assert world.read("/new.md") == "newer"


def test_changes_outlive_the_process_of_a_worker_that_dies(world):
    """The next call gets a new process, with all changes but the one of the call that failed."""
    world.tree.write("/early.md", "written before the process began")
    world.tools.call("write", {"path": "/new.md", "content": "new"})
    world.tree.write("/new.md", "newer")
    world.tree.delete("/a.md")

    with pytest.raises(CallError):
        world.tools.call("write", {"path": "/lost.md", "content": "die"})

    assert "/lost.md" not in world.tree.changes
    assert world.read("/new.md") == "newer"
    assert world.read("/early.md").startswith("written")
    for missing_path in ("/a.md", "/lost.md"):
        with pytest.raises(CallError, match="not_found"):
            world.read(missing_path)


def test_a_tool_that_never_ends_fails_one_call_and_loses_no_change(tool_server):
    """The worker is ended after 0.3 s of CPU, and the next call gets a new one."""
    with Worker(tool_server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
        world = world_in(worker)
        world.tree.write("/x.md", "aaa")

        with pytest.raises(CallError, match=r"0.3 s of CPU"):
            world.tools.call("spin", {})

        assert world.read("/x.md") == "aaa"


def test_a_checked_result_of_a_worker_is_not_copied(world):
    """Results may have megabytes."""
    result = world.tools.call("forge", {"result": {"entries": [{"n": [1.5, None]}]}})

    plain = plain_result("forge", lambda: result)

    assert plain["entries"] is result["entries"]


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param([[]] * 10_001, id="too many lists"),
        pytest.param([0] * 400_002, id="too many numbers"),
    ],
)
def test_a_result_of_too_many_parts_fails_its_call(world, entries):
    with pytest.raises(
        CallError, match="more than 10000 lists and mappings, or 400000 values"
    ):
        world.tools.call("forge", {"result": {"entries": entries}})


def test_a_result_that_is_nested_too_deeply_fails_its_call(world):
    nested = []
    for _ in range(100):
        nested = [nested]

    with pytest.raises(CallError, match="nested deeper than 100 levels"):
        world.tools.call("forge", {"result": {"x": nested}})


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
"""The first lines of the hostile scripts below: calls that print their error and go on."""

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
    "a pattern that looks back far": (
        "write('/x', 'ab' * 500000)\n"
        "search('(?s)(.*)(.*)(.*)\\\\1\\\\2\\\\3c')"
    ),
    "an empty pattern over a million lines": (
        "write('/x', chr(10) * 1900000)\nsearch('', limit=0)"
    ),
    "a glob of stars": "write('/' + 'a' * 250, 'x')\nfind('*a' * 120 + 'b')",
    "a glob of brackets": "find('[' * 255)",
}  # fmt: skip
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
    "a text larger than a message": "write('/b', 'x' * 5000000)",
    "a text that just fits": (
        "write('/b', chr(10) * 999900)\n"
        "read('/b')\n"
        "write('/b', 'y')\n"
        "read('/b')"
    ),
}  # fmt: skip
HOSTILE_SCRIPTS = HOSTILE_PATTERNS | HOSTILE_NAMES | HOSTILE_TEXTS

SCRIPT_LIMITS = Limits(step_wall_s=120.0, step_cpu_s=10.0)
PARENT_LINES = 20_000_000
"""How many lines of Python the parent may execute for one hostile script, with all its calls."""


@pytest.fixture(scope="module")
def server():
    with ForkServer() as server:
        yield server


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_worker_calls")
@pytest.mark.parametrize("title", HOSTILE_SCRIPTS)
def test_a_hostile_script_over_a_folder_costs_the_parent_little(server, folder, title):
    """Its calls fail or succeed; its process lives on, and the next step works."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    host = FolderHost(folder, now)
    with Sandbox(
        host.tool_schema, host, now=now, seed=1, limits=SCRIPT_LIMITS, server=server
    ) as sandbox:
        sandbox.ready_child()
        results = []

        lines = executed_lines(
            lambda: results.append(sandbox.run(HARNESS_CALLS + HOSTILE_SCRIPTS[title]))
        )

        (result,) = results
        assert lines < PARENT_LINES, result
        assert result.ending is not Ending.KILLED, result
        next_step = sandbox.run("print(harness.read('/docs/a.txt').content, end='')")
        assert next_step.output == "alpha\nbeta\n"
