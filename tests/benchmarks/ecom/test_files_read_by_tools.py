"""Which files count as read after a script has run a tool. An answer may cite only these.

/bin/cat /a.md            /a.md
/bin/cat -n /a.md         /a.md
/bin/cat - /a.md          none: what is printed may be the script's own words
"""

import pytest

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from tests.benchmarks.shop.functions.goods_records import branch
from tests.benchmarks.shop.functions.written_shop import written_shop

BRANCH = "/proc/branches/store-1.json"


def files_read_by(tool: str, *arguments: str, stdin: str = "") -> set[str]:
    """Run a tool as a script does, in a shop with /a.md and a branch, and return what counts as read.

    `files_read_by("cat", "/a.md")` -> `{"/a.md"}`, besides the tool itself, which must succeed.
    """
    shop = written_shop(
        {"/a.md": "a page", BRANCH: branch("store-1", "Graz", {"TARP-SAND": 4})}
    )
    # The recorder is what makes the calls of a trial, and notes what they have read.
    recorder = new_recorder(
        trial_id="t", environment=shop, emit=lambda event: None, tape=Tape()
    )
    recorder.step_log.begin(1)

    result = recorder.calls.make(
        "exec", {"path": f"/bin/{tool}", "args": list(arguments), "stdin": stdin}
    )

    assert result["exit_code"] == 0
    return recorder.evidence_log.view().accesses.keys() - {f"/bin/{tool}"}


def test_files_that_cat_prints_count_as_read() -> None:
    assert files_read_by("cat", "/a.md", BRANCH) == {"/a.md", BRANCH}


def test_a_file_that_cat_prints_with_line_numbers_counts_as_read() -> None:
    assert files_read_by("cat", "-n", "/a.md") == {"/a.md"}


@pytest.mark.parametrize(
    "program",
    [
        pytest.param([".id"], id="a field"),
        pytest.param(["-r", ".inventory[0].sku"], id="a field of a field"),
    ],
)
def test_a_file_from_which_jq_prints_a_value_counts_as_read(program: list[str]) -> None:
    assert files_read_by("jq", *program, BRANCH) == {BRANCH}


def test_the_record_of_a_branch_counts_as_read_if_its_stock_is_printed() -> None:
    """The tool has read the record, although the branch does not have the product TARP-NONE."""
    assert files_read_by("availability", BRANCH, "TARP-NONE") == {BRANCH}


def test_a_file_does_not_count_as_read_if_cat_prints_its_input() -> None:
    """The file is printed, too, but after the words of the script."""
    assert files_read_by("cat", "-", "/a.md", stdin="own words") == set()


def test_a_file_does_not_count_as_read_if_jq_prints_its_input() -> None:
    assert files_read_by("jq", ".", "-", stdin="{}") == set()


def test_a_branch_does_not_count_as_read_if_the_stock_is_that_of_the_input() -> None:
    """After `-`, the branch's path is no file, but stands in the place of a product's SKU."""
    read = files_read_by("availability", "-", BRANCH, stdin='{"inventory": []}')

    assert read == set()


def test_a_tool_that_prints_its_help_reads_no_file() -> None:
    assert files_read_by("sql", "--help") == set()
