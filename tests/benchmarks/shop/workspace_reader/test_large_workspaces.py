"""A workspace with too many files to list is reported, and not taken for a smaller one.

`WorkspaceReader(harness).paths()` returns the paths of all files of a shop. It raises `CannotRead` if
the list is cut off.
"""

import pytest

from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.sandbox.functions import CannotRead
from controlplane.sandbox.interface import CallError
from tests.benchmarks.shop.workspace_reader.chosen_outcomes import HarnessWithOutcomes


def test_a_workspace_that_is_too_large_to_list_is_reported() -> None:
    """The result of `find` is cut off, and `tree`, which is tried next, fails."""
    too_large = "the result of tree holds more than 1300 lists"
    harness = HarnessWithOutcomes(
        {
            ("find", "*"): {"paths": [], "truncated": True},
            ("tree", "/"): CallError("resource_exhausted", too_large),
        }
    )

    with pytest.raises(CannotRead, match=too_large):
        WorkspaceReader(harness).paths()
