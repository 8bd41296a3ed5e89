"""A server asks the user of its client about a call, and sends it if the user agrees.

A text that somebody else wrote, such as a mail, may try to steer a model. With the option
`--provenance approve`, the user is asked about a call that changes something, and has an argument that
stands only in such a text. MCP has a present and an earlier ("legacy") form of such questions.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.mcp.asked_users.user_decisions import LOANS_SERVER, decisions_in
from tests.controlplane.mcp.client_here import client_here


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_call_that_the_user_allows_is_sent(mode: str, tmp_path: Path) -> None:
    """The question says where the argument comes from."""
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
