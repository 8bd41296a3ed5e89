"""A client of `controlplane mcp docs` begins a question about `a.md`, or goes on to a second one.

`begin(question="What is the fee?")` shows small files at once, "fee: 7", and gives the question an id.
"""

from pathlib import Path

from tests.controlplane.mcp.client_here import client_here


def test_question_that_is_begun_is_shown_the_small_files(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        opened = client.text("begin", question="What is the fee?")

    assert "fee: 7" in opened


def test_question_that_is_begun_is_given_an_id(tmp_path: Path) -> None:
    """A client with several open questions names one by it."""
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        opened = client.text("begin", question="What is the fee?")

    assert "question_id " in opened


def test_second_question_is_worked_on_like_the_first(tmp_path: Path) -> None:
    """The first one is opened by its script, the second one by `begin`."""
    read_file = "print(harness.read('/a.md').content)"
    citation = {"path": "/a.md", "reason": "the fee is 49 EUR"}
    with client_here(tmp_path, {"a.md": "The fee is 49 EUR.\n"}) as client:
        client.call("execute_script", code=read_file)
        first = client.text("submit_answer", answer="49 EUR", citations=[citation])

        client.call("begin", question="What is the fee, again?")
        printed = client.text("execute_script", code=read_file)
        second = client.text("submit_answer", answer="49 EUR", citations=[citation])

    assert "passed the gates" in first
    assert "The fee is 49 EUR." in printed
    assert "passed the gates" in second
