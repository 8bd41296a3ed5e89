"""A client of `controlplane mcp docs`, with the server in the same process.

    with client_here(tmp_path, {"loans.md": "loan-02: kept until 2026-03-01.\\n"}) as client:
        client.text("begin", question="Until when?")
        # "question_id 3f2a...\\nThe files of /tmp/.../docs are below `/`. Next: ..."

The client is the one of MCP's own library, and sends the server its requests as it would to
another process. Questions are played as runs, with their journals in `tmp_path / "runs"`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal

from controlplane.commands.mcp.question_runs import QuestionRuns
from tests.controlplane.mcp.waiting_client import WaitingClient
from tests.support.command import PATIENCE_S


@contextmanager
def client_here(
    folder: Path,
    docs: Mapping[str, str],
    *,
    servers: Sequence[str] = (),
    allowed_calls: Sequence[str] = (),
    provenance: str = "off",
    **client_options: Any,
) -> Iterator[WaitingClient]:
    """Write files into `folder / "docs"`, and connect a client to a server for them.

    `servers`, `allowed_calls` and `provenance` are the options `--mcp`, `--allow` and
    `--provenance` of the server, and `client_options` those of MCP's client. At the end, the
    client leaves, and the server ends the questions that are open.
    """
    # The library `mcp` is optional. Whoever imports this module may do without it.
    from mcp import Client

    from controlplane.mcp.questions import QuestionServer

    docs_folder = folder / "docs"
    docs_folder.mkdir()
    for name, text in docs.items():
        (docs_folder / name).write_text(text)

    runs = QuestionRuns(
        docs_folder,
        source_limits={},
        tools={"mcp": servers, "mcp_config": None, "allow": allowed_calls, "deny": ()},
        flags={"runs_dir": str(folder / "runs"), "provenance": provenance},
        is_over_http=False,
    )
    server = QuestionServer(runs.tool_schema(), docs_folder, runs.conduct)
    # The client is asynchronous. The portal runs it in another thread, and waits for its replies.
    with start_blocking_portal() as portal:
        client = Client(server.server, **client_options)
        with portal.wrap_async_context_manager(client) as connected:
            yield WaitingClient(connected, portal)
        server.close()
        # The runs of the open questions end, too.
        assert server.opener.asked.wait_for_runs(PATIENCE_S)
