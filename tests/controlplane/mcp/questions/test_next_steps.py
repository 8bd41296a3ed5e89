"""A call that fails ends with the next step, which the client's model reads.

    execute_script(code="1 / 0")    ->    "... Next: fix the script, and call `execute_script` again."

The server, `controlplane mcp docs`, answers questions about a folder.
"""

from pathlib import Path

from tests.controlplane.mcp.client_here import client_here
from tests.controlplane.mcp.docs_client import text_of


def test_refused_answer_ends_with_the_next_step(tmp_path: Path) -> None:
    """The answer cites a file that no script has read yet."""
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        client.call("begin", question="What is the fee?")
        result = client.call(
            "submit_answer",
            answer="It is 7.",
            citations=[{"path": "/a.md", "reason": "fee: 7"}],
        )

    assert result.is_error
    assert text_of(result).endswith(
        "Next: fix what the checks object to, and call `submit_answer` again."
    )


def test_failed_script_ends_with_the_next_step(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        client.call("begin", question="What is the fee?")
        result = client.call("execute_script", code="1 / 0")

    assert result.is_error
    assert text_of(result).endswith(
        "Next: fix the script, and call `execute_script` again."
    )
