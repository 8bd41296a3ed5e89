"""Trees of folders that are too large for a reply of the server are cut to one level."""

from collections.abc import Mapping

import httpx2
import pytest

from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.bitgn.server.wire_calls import call, start_trial
from tests.benchmarks.bitgn.shelf import Shelf


def test_tree_that_is_too_large_is_cut_to_one_level(
    http: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment refuses every tree of more than one level as too large."""
    real_call = Shelf.call

    def refuse_large_trees(
        shelf: Shelf, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        if operation == "tree" and arguments["level"] != 1:
            raise CallError("resource_exhausted", "the result of tree holds too much")
        return real_call(shelf, operation, arguments)

    monkeypatch.setattr(Shelf, "call", refuse_large_trees)
    runtime_url = start_trial(http)

    one_level = call(http, runtime_url + "Tree", {"root": "/", "level": 1}).json()
    all_levels = call(http, runtime_url + "Tree", {"root": "/", "level": 0}).json()

    assert "truncated" not in one_level
    assert all_levels == {**one_level, "truncated": True}
