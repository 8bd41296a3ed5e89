"""A script over a folder may run `/bin/cat`, which prints files and its input.

`python -m controlplane.sandbox run --files DIR` shows the folder DIR to a script as `/`. Its call
`harness.exec("/bin/cat", ["/docs/a.txt"]).stdout` is the text of the file.
"""

import pytest

from tests.sandbox.opened_sandboxes import memory_growth_below
from tests.sandbox.sandbox_command import run_script_over_folder

pytestmark = pytest.mark.usefixtures("commands_share_servers")


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
