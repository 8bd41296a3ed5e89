"""A file does not count as read if a tool prints what the script itself has put in. No answer may cite it.

/bin/cat - /a.md          none: what is printed may be the script's own words
"""

from tests.benchmarks.ecom.tools.read_files import BRANCH, files_read_by


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
