"""A script over a folder may run `/bin/date`, and programs that the user gives it.

`python -m controlplane.sandbox run --exec /bin/id=FILE` gives a program that prints the text of
FILE: `harness.exec("/bin/id").stdout` -> `"clerk-7\\n"`.
"""

import pytest

from tests.sandbox.sandbox_command import run_script_over_folder

pytestmark = pytest.mark.usefixtures("commands_share_servers")


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
