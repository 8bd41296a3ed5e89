"""What cannot be read to its end must not be taken for the whole.

`WorkspaceReader(harness).read("/docs/a.md")` returns the text of a file of the shop. It raises
`LookupError` if there is no such file, and `CannotRead` if the call fails or its result is cut off.
A function may rely on it that a file is missing, but learns nothing from a failed read.
"""

import pytest

from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.sandbox.functions import CannotRead
from controlplane.sandbox.interface import CallError
from tests.benchmarks.shop.workspace_reader.chosen_outcomes import HarnessWithOutcomes


def test_a_missing_file_raises_a_lookup_error() -> None:
    missing = CallError("not_found", "there is none")
    harness = HarnessWithOutcomes({("read", "/a"): missing})

    with pytest.raises(LookupError):
        WorkspaceReader(harness).read("/a")


def test_a_failed_read_raises_another_error() -> None:
    failed = CallError("unavailable", "down")
    harness = HarnessWithOutcomes({("read", "/a"): failed})

    with pytest.raises(CannotRead):
        WorkspaceReader(harness).read("/a")


def test_a_result_that_is_cut_off_raises_another_error() -> None:
    cut_off = {"content": "te", "truncated": True}
    harness = HarnessWithOutcomes({("read", "/a"): cut_off})

    with pytest.raises(CannotRead):
        WorkspaceReader(harness).read("/a")


def test_a_file_whose_next_part_is_empty_is_reported() -> None:
    """The second read returns nothing, but says that there is more.

    A third one would be the same call, so the rest of the file cannot be read.
    """
    first_part = {"content": "one\n", "truncated": True}
    empty_part = {"content": "", "truncated": True}
    harness = HarnessWithOutcomes({("read", "/a"): [first_part, empty_part]})

    with pytest.raises(CannotRead, match="read /a: what came back is cut off"):
        WorkspaceReader(harness).read("/a")
