"""The words by which passages of files are searched: plain words, of which one is needed.

`harness.passages("cellar key")` in a script returns the paragraphs that match the words best.
"""

import pytest

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox.interface import CallError


def test_quotation_marks_and_operators_are_read_as_plain_words(
    loan_files: FilesEnvironment,
) -> None:
    """The search engine has a query language, in which these words would be an error."""
    result = loan_files.call("passages", {"words": 'a "quoted OR (odd', "limit": 3})

    assert result["shown"]


def test_search_without_a_word_is_refused(loan_files: FilesEnvironment) -> None:
    """Without a word, every passage would be as good as any other."""
    with pytest.raises(CallError, match="at least one word"):
        loan_files.call("passages", {"words": "?", "limit": 3})
