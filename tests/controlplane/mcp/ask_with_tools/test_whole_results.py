"""A script of `ask` computes with the whole result of a tool, although a model sees only what is printed.

The result of `harness.loans.rows()` has 10,000 rows. A row can be read as `loans.data["rows"][0]` and as
`loans.rows[0]`.
"""

from pathlib import Path

from tests.controlplane.mcp.ask_with_tools.loans_questions import ask_with_tools


def test_script_computes_with_the_whole_result_of_a_tool(tmp_path: Path) -> None:
    """The fields of a row can be read in two ways."""
    script = """
loans = harness.loans.rows()
by_key = [row for row in loans.data["rows"] if row["kept_until"] == "2026-03-01"]
by_name = [row for row in loans.rows if row.kept_until == "2026-03-01"]
scratchpad.cite(loans.call_path, "the loans that are kept until 2026-03-01")
scratchpad["answer"] = f"{len(by_key)} and {len(by_name)} loans."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "loans" in sp["answer"])
"""

    asked = ask_with_tools(tmp_path, script)

    # The third, the 15th, ... of 10,000 loans: len(range(3, 10_001, 12)) == 834
    assert asked.json["answer"] == "834 and 834 loans.", asked.out
