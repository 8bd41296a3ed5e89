"""A call of a client of `controlplane mcp docs` is for one open question, and names it if several are open.

`begin` opens a question and returns its id, as in `question_id: 3f2a...`. The server
reports how many seconds a long call has taken so far.
"""

import sys
from pathlib import Path

from tests.controlplane.mcp.client_here import client_here
from tests.controlplane.mcp.docs_client import question_id_of, text_of
from tests.controlplane.mcp.small_servers import small_server


def test_call_must_name_its_question_if_two_are_open(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        first_id = question_id_of(client.call("begin", question="A?"))
        second_id = question_id_of(client.call("begin", question="B?"))

        result = client.call("execute_script", code="print(1)")

    assert result.is_error
    assert (
        f"2 questions are open: name one as question_id, of {first_id}, {second_id}"
    ) in text_of(result)


def test_server_reports_the_seconds_of_a_long_call(tmp_path: Path) -> None:
    """The first report comes after a second. The script of the call waits two seconds for a tool."""
    small_server(
        tmp_path,
        """
def call_tool(request):
    time.sleep(2)
    send_result(request, {"content": []})
""",
    )
    slow_server = f"slow={sys.executable} {tmp_path / 'server.py'}"
    with client_here(tmp_path, {"a.md": "fee: 7\n"}, servers=[slow_server]) as client:
        first_id = question_id_of(client.call("begin", question="A?"))
        client.call("begin", question="B?")

        result = client.call(
            "execute_script", code="harness.slow.look()", question_id=first_id
        )

    assert not result.is_error
    assert result.structured_content["question_id"] == first_id
    assert client.progress[0] == 1.0
