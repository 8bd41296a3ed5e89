"""A script sees nothing outside of its folder, not even where the folder is.

`python -m controlplane.sandbox run --files DIR` shows the folder DIR to a script as `/`. The folder
has links that lead out of it, and the script tries `..` as well.
"""

import pytest

from tests.sandbox.sandbox_command import run_script_over_folder

pytestmark = pytest.mark.usefixtures("commands_share_servers")


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
