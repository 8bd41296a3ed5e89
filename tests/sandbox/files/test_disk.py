"""A script over a folder sees this folder only, and changes it only if the user allows it.

No path or error leads out of it. A script may run `/bin/cat`, `/bin/date` and programs that the
user gives it, within limits, and may cite only what it has opened.
"""

from pathlib import Path

import pytest

from tests.sandbox.local_parent import memory_growth_below
from tests.sandbox.sandbox_command import run_script_over_folder

# Paths that a script over a folder may cite after it has done something.


def paths_after_citation(folder: Path, action: str, path: str) -> list[str]:
    """Run a script that does `action` and then tries to cite `path`; return the cited paths.

    `paths_after_citation(folder, "harness.read('/docs/a.txt')", "/docs/a.txt")` -> ["/docs/a.txt"]
    A citation that is refused leaves no path: [].
    """
    script = f"""
{action}
try:
    scratchpad.cite({path!r}, "long enough")
except CitationError:
    pass
print(*scratchpad.get("refs_why", []))
"""
    return run_script_over_folder(folder, script)["output"].split()


# A script over a folder may run `/bin/cat`, which prints files and its input.
#
# `python -m controlplane.sandbox run --files DIR` shows the folder DIR to a script as `/`. Its call
# `harness.exec("/bin/cat", ["/docs/a.txt"]).stdout` is the text of the file.

cat_pytestmark = pytest.mark.usefixtures("commands_share_servers")


def test_a_script_can_run_cat_on_files_and_on_its_input(folder):
    """The second call names a missing file, so the tool ends with the exit code 1."""
    script = """
print(harness.exec("/bin/cat", ["/docs/a.txt"]).stdout, end="")
print(harness.exec("/bin/cat", ["/docs/a.txt", "/none"]).exit_code)
print(harness.exec("/bin/cat", stdin="in").stdout)
"""

    result = run_script_over_folder(folder, script)

    assert result["output"] == "alpha\nbeta\n1\nin\n"


def test_a_tool_gives_up_before_its_output_takes_much_time_or_memory(folder):
    """The script asks `/bin/cat` for 1.8 GB: a thousand times the content of one file."""
    script = """
harness.write("/big", "ab" * 900_000)
try:
    harness.exec("/bin/cat", ["/big"] * 1_000)
except HarnessError as error:
    print(error.code)
"""
    with memory_growth_below(max_mib=96):
        result = run_script_over_folder(folder, script)

    assert result["output"] == "resource_exhausted\n"


# Changes that a script makes in a folder reach the disk only if the user allows it.
#
# `python -m controlplane.sandbox run --files DIR` shows the folder DIR to a script as `/`. Changes
# stay in memory unless `--write` is given.

changes_on_disk_pytestmark = pytest.mark.usefixtures("commands_share_servers")

CHANGE_FILES = """
harness.write("/new/x.txt", "new")
harness.delete("/docs/a.txt")
print(harness.find("*.txt").paths)
"""
"""A script that sees its own changes, whether they reach the disk or not."""


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


# A script over a folder may cite only what it has opened.
#
# `scratchpad.cite(path, reason)` keeps a path as evidence for the answer. A path may end with a
# place in the file, such as `#row=1`; but `#1` may also be a part of a file's name.

citations_pytestmark = pytest.mark.usefixtures("commands_share_servers")


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
            "harness.read('/docs/a.txt')", "/docs/b#1", id="another file was opened"
        ),
    ],
)
def test_a_path_that_the_script_did_not_open_cannot_be_cited(folder, action, path):
    """A tool that fails may have shown nothing of the file."""
    (folder / "docs/b").write_text("x")
    (folder / "docs/b#1").write_text("x")

    assert paths_after_citation(folder, action, path) == []


# A script over a folder may run `/bin/date`, and programs that the user gives it.
#
# `python -m controlplane.sandbox run --exec /bin/id=FILE` gives a program that prints the text of
# FILE: `harness.exec("/bin/id").stdout` -> `"clerk-7\n"`.

tools_of_the_user_pytestmark = pytest.mark.usefixtures("commands_share_servers")


def test_the_tool_date_and_the_clock_of_scripts_show_the_given_time(folder):
    """The option `--now` gives the time, which stands still."""
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


pytestmark = pytest.mark.usefixtures("commands_share_servers")


# A script sees nothing outside of its folder, not even where the folder is.
#
# `python -m controlplane.sandbox run --files DIR` shows the folder DIR to a script as `/`. The
# folder has links that lead out of it, and the script tries `..` as well.


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
        except Exception:
            pass
print(harness.search("SECRET").matches, [e.name for e in harness.list("/").entries])
"""

    result = run_script_over_folder(folder, script, "--write")

    assert "SECRET" not in result["output"]
    assert (outside / "secret.txt").read_text() == "SECRET"


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
