"""A folder on disk as the `/` of a script.

`python -m controlplane.sandbox run --files DIR` shows DIR to a script. Changes stay in memory (an
*overlay*) unless `--write` is given, no path leads out of DIR, and `harness.exec` runs a few
tools, such as `/bin/cat`. In these tests DIR has a file `docs/a.txt`: "alpha\\nbeta\\n".
"""

import pytest

from tests.sandbox.opened_sandboxes import memory_growth_below
from tests.sandbox.sandbox_command import run_script_over_folder

pytestmark = pytest.mark.usefixtures("commands_share_servers")

CHANGE_FILES = """
harness.write("/new/x.txt", "new")
harness.delete("/docs/a.txt")
print(harness.find("*.txt").paths)
"""
"""A script that sees its own changes, whether they reach the disk or not."""


class TestChangesOnDisk:
    """Changes of a script reach the disk only if the user allows it.

    The script writes `/new/x.txt`, deletes `/docs/a.txt`, and prints which texts it then sees.
    """

    def test_without_write_the_changes_of_a_script_stay_in_memory(self, folder):
        result = run_script_over_folder(folder, CHANGE_FILES)

        assert result["output"] == "['/new/x.txt']\n"
        assert (folder / "docs/a.txt").exists()
        assert not (folder / "new").exists()

    def test_with_write_the_changes_of_a_script_reach_the_disk(self, folder):
        """The script is the same; the option `--write` lets it change the folder."""
        result = run_script_over_folder(folder, CHANGE_FILES, "--write")

        assert result["output"] == "['/new/x.txt']\n"
        assert not (folder / "docs/a.txt").exists()
        assert (folder / "new/x.txt").read_text() == "new"


class TestTheWallsOfTheFolder:
    """A script sees nothing outside of its folder, not even where the folder is.

    The folder has links that lead out of it, and the script tries `..` as well. Errors of the
    operating system are shown without the folder's path.
    """

    def test_no_path_leads_out_of_the_folder(self, folder, tmp_path_factory):
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

    def test_an_error_of_the_system_does_not_show_where_the_folder_is(self, folder):
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


class TestTools:
    """A script may run a few tools: `/bin/cat`, `/bin/date`, and those of the user.

    `run_script_over_folder(folder, script, *options)` returns what the script printed and how it
    ended. A missing file or tool is an error that the script sees.
    """

    def test_a_script_can_run_cat_on_files_and_on_its_input(self, folder):
        """The second call names a missing file, so the tool ends with the exit code 1."""
        script = """
print(harness.exec("/bin/cat", ["/docs/a.txt"]).stdout, end="")
print(harness.exec("/bin/cat", ["/docs/a.txt", "/none"]).exit_code)
print(harness.exec("/bin/cat", stdin="in").stdout)
"""

        result = run_script_over_folder(folder, script)

        assert result["output"] == "alpha\nbeta\n1\nin\n"

    def test_the_tool_date_and_the_clock_of_scripts_show_the_given_time(self, folder):
        """The option `--now` gives the time, which stands still."""
        script = """
from datetime import datetime, timezone
print(harness.exec("/bin/date").stdout, end="")
print(datetime.now(timezone.utc).isoformat())
"""

        result = run_script_over_folder(folder, script, "--now", "2026-03-11T10:00:00Z")

        assert result["output"] == "2026-03-11T10:00:00Z\n2026-03-11T10:00:00+00:00\n"

    def test_a_tool_given_on_the_command_line_prints_the_text_of_its_file(
        self, folder, tmp_path
    ):
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

    def test_a_tool_gives_up_before_its_output_takes_much_time_or_memory(self, folder):
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


def paths_after_citation(folder, action, path):
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


class TestCitationsOfOpenedFiles:
    """A script may cite only what it has opened.

    `scratchpad.cite` keeps a path as evidence for the answer. A path may end with a fragment
    that says where in the file, such as `#row=1`; but `#1` may also be a part of a file's name.
    """

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
    def test_a_path_that_the_script_opened_can_be_cited(
        self, folder, action, path, cited_path
    ):
        """The script does the action first, and then cites the path."""
        assert paths_after_citation(folder, action, path) == [cited_path]


class TestCitationsOfOtherFiles:
    """A script may not cite a file that it has not opened.

    `#1` at the end of a path is a place in a file, or else a part of the file's name. The folder
    has the files `docs/b` and `docs/b#1`, so that `/docs/b#1` might be either.
    """

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
    def test_a_path_that_the_script_did_not_open_cannot_be_cited(
        self, folder, action, path
    ):
        """A tool that fails may have shown nothing of the file."""
        (folder / "docs/b").write_text("x")
        (folder / "docs/b#1").write_text("x")

        assert paths_after_citation(folder, action, path) == []
