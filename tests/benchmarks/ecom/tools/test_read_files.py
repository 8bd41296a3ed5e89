"""A file counts as read if a tool that a script has run prints from it. An answer may cite only these.

/bin/cat /a.md            /a.md
/bin/cat -n /a.md         /a.md
"""

import pytest

from tests.benchmarks.ecom.tools.read_files import BRANCH, files_read_by


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
