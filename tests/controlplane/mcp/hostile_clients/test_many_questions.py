"""A client opens more questions than `controlplane mcp docs` allows, and one is refused.

Each tool call `begin(question="?")` opens a question about the folder `docs`, which takes memory and
a process. The last one gets "... questions are open".
"""

import pytest

from controlplane.sandbox.interface import bounds
from tests.controlplane.mcp.hostile_clients.jsonl_client import Client


@pytest.mark.second_tier
def test_one_question_too_many_is_refused(client: Client) -> None:
    """An open question takes memory and a process, so that their number is limited."""
    one_too_many = bounds.MOST_OPEN_QUESTIONS + 1
    for number in range(one_too_many):
        client.call_tool(number + 1, "begin", question="?")

    refusals: list[object] = []
    for _ in range(one_too_many):
        result = client.reply()["result"]
        if result.get("isError"):
            refusals.append(result)

    (refusal,) = refusals
    assert "questions are open" in str(refusal)
