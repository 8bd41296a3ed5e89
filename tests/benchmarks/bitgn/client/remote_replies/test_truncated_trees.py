"""Trees of which the platform (BitGN) left out folders. They do not say where these are missing.

The platform is a server that offers tasks to agents. `harness.tree(level=2)` asks for the tree of
folders to the second level, and level 0 means all.
"""

import json

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.client.remote_replies.stub_trials import trial_on_stub
from tests.benchmarks.bitgn.client.stub_platform import http_reply

TRUNCATED_TREE = json.dumps(
    {
        "root": {
            "name": "/",
            "kind": "NODE_KIND_DIR",
            "children": [{"name": "docs", "kind": "NODE_KIND_DIR"}],
        },
        "truncated": True,
    }
).encode()
"""A reply to `tree` from which folders are missing."""


@pytest.mark.parametrize(
    "level", [pytest.param(0, id="all levels"), pytest.param(2, id="two levels")]
)
def test_truncated_tree_is_refused_with_another_way(level: int) -> None:
    """The reply does not say which folders are incomplete, so the tree is of no use.

    The level 0 asks for all levels. The error tells the model what it can do instead.
    """
    with (
        trial_on_stub(http_reply(TRUNCATED_TREE)) as trial,
        pytest.raises(CallError, match="list its folders one by one") as caught,
    ):
        trial.environment.call("tree", {"level": level})

    assert caught.value.code == "resource_exhausted"
    assert trial.request_count == 1


def test_truncated_tree_of_one_level_is_used() -> None:
    """With one level, no folder's content was asked for, so that nothing is missing."""
    with trial_on_stub(http_reply(TRUNCATED_TREE)) as trial:
        result = trial.environment.call("tree", {"level": 1})

    assert result["children"]
    assert trial.request_count == 1
