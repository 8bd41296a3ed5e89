"""An answer of `ask` may rest on the result of a tool, of which the script cites the call.

    loan = harness.loans.loan(number=2)
    scratchpad.cite(loan.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")

The tools are those of an MCP server that the user has named: `--mcp "loans=python server.py"`.
"""

from pathlib import Path

from tests.controlplane.mcp.ask_with_tools.loans_questions import ask_with_tools


def test_answer_may_rest_on_the_result_of_a_tool(tmp_path: Path) -> None:
    """The script cites the call by its path. A result has no lines, as a file has."""
    script = """
loan = harness.loans.loan(number=2)
scratchpad.cite(loan.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""

    asked = ask_with_tools(tmp_path, script)

    assert asked.code == 0, asked.err + asked.out
    (citation,) = asked.json["citations"]
    assert citation["path"].startswith("/mcp/loans/calls/loan/")
    assert citation["line"] is None


def test_script_must_not_cite_what_it_has_said_itself(tmp_path: Path) -> None:
    """The tool `echo` returns its argument."""
    script = """
echo = harness.loans.echo("kept until 2099-01-01")
try:
    scratchpad.cite(echo.call_path, "what it says of loan-2", "kept until 2099-01-01")
    scratchpad["answer"] = "It was cited."
except CitationError:
    scratchpad["answer"] = "It was not cited."
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: "cited" in sp["answer"])
"""

    asked = ask_with_tools(tmp_path, script)

    assert asked.json["answer"] == "It was not cited.", asked.out
