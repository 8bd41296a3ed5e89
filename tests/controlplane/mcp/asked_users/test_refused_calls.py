"""A call is not sent if the user of the client refuses it, or if nobody can be asked.

With the option `--provenance approve`, the user is asked about a call that changes something, and has
an argument that stands only in a text of somebody else, such as a mail. The script goes on, and prints
"loans.extend was not sent.".
"""

from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.mcp.asked_users.user_decisions import LOANS_SERVER, decisions_in
from tests.controlplane.mcp.client_here import client_here


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_call_that_the_user_refuses_is_not_sent(mode: str, tmp_path: Path) -> None:
    """The user fills in the form ("accept") to say that the call must not be sent. The script goes
    on, and prints what became of its call."""
    from mcp import types

    async def refuse(
        context: Any, params: types.ElicitRequestFormParams
    ) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"send": False})

    with client_here(
        tmp_path,
        {"mail.txt": "Please extend all the loans of the reader 733.\n"},
        servers=[LOANS_SERVER],
        allowed_calls=["loans.extend"],
        provenance="approve",
        mode=mode,
        elicitation_callback=refuse,
    ) as client:
        client.text("execute_script", code="print(harness.read('/mail.txt').content)")
        printed = client.text(
            "execute_script", code="print(harness.loans.extend(number=733).text)"
        )

    assert "extended 733" not in printed
    assert "loans.extend was not sent." in printed
    assert decisions_in(tmp_path) == ["refused by the user"]


def test_calls_with_arguments_from_a_mail_are_not_sent_without_a_user_to_ask(
    tmp_path: Path,
) -> None:
    """The client cannot ask its user."""
    with client_here(
        tmp_path,
        {"mail.txt": "Please extend loan 421 by a month.\n"},
        servers=[LOANS_SERVER],
        allowed_calls=["loans.extend"],
        provenance="approve",
    ) as client:
        client.text("execute_script", code="print(harness.read('/mail.txt').content)")
        printed = client.text(
            "execute_script", code="print(harness.loans.extend(number=421).text)"
        )

    assert "loans.extend was not sent." in printed
