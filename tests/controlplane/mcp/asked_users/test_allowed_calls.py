"""The user is asked about a call whose argument stands only in a mail, and may have it sent.

    client, an agent and its user    ->    our server    ->    server for loans

The agent has our server run a script, which calls the tool `loans.extend(number=421)`. Somebody may
have written the mail to steer the agent. So with the option `--provenance approve`, our server
first has the client ask the user. MCP has a present form of such questions and an earlier one
("legacy"); "auto" takes the present form.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.mcp.asked_users.user_decisions import LOANS_SERVER, decisions_in
from tests.controlplane.mcp.client_here import client_here


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_call_that_the_user_allows_is_sent(mode: str, tmp_path: Path) -> None:
    """The number 421 is in a mail that the agent has read. The question says so."""
    from mcp import types

    questions: list[str] = []

    async def allow(
        context: Any, params: types.ElicitRequestFormParams
    ) -> types.ElicitResult:
        questions.append(params.message)
        return types.ElicitResult(action="accept", content={"send": True})

    with client_here(
        tmp_path,
        {"mail.txt": "Hello desk,\nplease extend loan 421 by a month.\n"},
        servers=[LOANS_SERVER],
        allowed_calls=["loans.extend"],
        provenance="approve",
        mode=mode,
        elicitation_callback=allow,
    ) as client:
        client.text("execute_script", code="print(harness.read('/mail.txt').content)")
        printed = client.text(
            "execute_script", code="print(harness.loans.extend(number=421).text)"
        )

    (question,) = questions
    assert "number: '421' is only in the text of /mail.txt, line 2" in question
    assert "extended 421" in printed
    assert decisions_in(tmp_path) == ["approved by the user"]
