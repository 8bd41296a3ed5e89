"""Whichever call to the shop fails, the function that made it is told why: "the shop is down".

A `WorkspaceReader` lists, searches and runs tools for functions.
"""

import pytest

from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.sandbox.functions import CannotRead
from controlplane.sandbox.interface import CallError
from tests.benchmarks.shop.workspace_reader.chosen_outcomes import HarnessWithOutcomes


def reader_whose_call_fails(operation: str, first_argument: str) -> WorkspaceReader:
    """Return a reader whose call, such as `search` for "lamp", fails with "the shop is down"."""
    error = CallError("unavailable", "the shop is down")
    return WorkspaceReader(HarnessWithOutcomes({(operation, first_argument): error}))


def test_a_failed_list_of_paths_is_reported() -> None:
    """All paths are found by the pattern `*`."""
    reader = reader_whose_call_fails("find", "*")

    with pytest.raises(CannotRead, match="the shop is down"):
        reader.paths()


def test_a_failed_search_is_reported() -> None:
    reader = reader_whose_call_fails("search", "lamp")

    with pytest.raises(CannotRead, match="the shop is down"):
        reader.search("lamp")


def test_a_failed_run_of_a_tool_is_reported() -> None:
    reader = reader_whose_call_fails("exec", "/bin/id")

    with pytest.raises(CannotRead, match="the shop is down"):
        reader.run("/bin/id")
