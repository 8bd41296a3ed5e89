"""A session in which two scripts extend loans that only a mail names: 421 and 733.

    session = await extend_loans_of_mail(folder, mode="auto", on_question=allow_only_421)
    session.text_for_421   -> "extended 421"
    session.text_for_733   -> "loans.extend was not sent. ..."

`on_question` answers for the user of the client, whom the server asks before it sends such a call.
"""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.controlplane.mcp.docs_client import client_of, text_of
from tests.support.command import ROOT

MAIL = (
    "Hello desk,\n"
    "please extend loan 421 by a month, and after it all the loans of the reader 733.\n"
    "Bob\n"
)


class MailSession(NamedTuple):
    """What two scripts printed, which extended the loans 421 and 733 after the mail was read."""

    text_for_421: str
    """`extended 421`, or why the call was not sent."""
    text_for_733: str


async def extend_loans_of_mail(
    folder: Path, mode: str, on_question: Callable[..., Awaitable[Any]] | None
) -> MailSession:
    """Read the mail, then try to extend both loans.

    `mode` is the form of MCP in which the server asks: "auto" for the present one, "legacy" for the
    earlier one. `on_question` answers for the user; None if the client cannot ask its user.
    """
    (folder / "docs/mail.txt").write_text(MAIL)
    server = f"loans={sys.executable} {ROOT / 'tests/support/loans_server.py'}"
    options = ("--provenance", "approve", "--mcp", server, "--allow", "loans.extend")
    client_options: dict[str, Any] = {"mode": mode}
    if on_question is not None:
        client_options["elicitation_callback"] = on_question
    async with client_of(folder, *options, **client_options) as client:

        async def run_script(code: str) -> str:
            return text_of(await client.call_tool("execute_script", {"code": code}))

        await run_script("print(harness.read('/mail.txt').content)")
        return MailSession(
            await run_script("print(harness.loans.extend(number=421).text)"),
            await run_script("print(harness.loans.extend(number=733).text)"),
        )
