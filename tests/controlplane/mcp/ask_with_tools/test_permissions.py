"""A user at a terminal is asked before a script of `ask` calls a tool that may change something.

    May the script call loans.extend(number=2)? y

Without the permission, the call is refused, and the error names the option `--allow loans.extend`.
"""

from pathlib import Path

import pytest

from tests.controlplane.mcp.ask_with_tools.loans_questions import question_words
from tests.support.command import run_in_process
from tests.support.terminal import Terminal


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        pytest.param("y\n", "extended 2", id="yes, and the call is made"),
        pytest.param(
            "n\n",
            "--allow loans.extend",
            id="no, and the call is refused",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_user_at_a_terminal_is_asked_before_a_tool_changes_something(
    typed: str, printed: str, tmp_path: Path
) -> None:
    """The tool `extend` does not say that it only reads. A refusal names the option by which the
    user could allow the call from the start. In both cases the script goes on."""
    script = """
try:
    print(harness.loans.extend(number=2).text)
except HarnessError as refusal:
    print(refusal)

loan = harness.loans.loan(number=2)
scratchpad.cite(loan.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
    question = question_words(tmp_path, script)
    with Terminal(*question, cwd=tmp_path, columns=120) as terminal:
        terminal.wait_for(
            r"May the script call loans\.extend\(number=2\)", timeout_s=60
        )
        terminal.type(typed)
        terminal.wait_for("Until 2026-03-01", timeout_s=60)
        exit_code = terminal.finish()

    assert exit_code == 0
    replay = run_in_process("replay", "last", "--trial=ask", "--json", cwd=tmp_path)
    (step,) = replay.json["steps"]
    assert printed in step["output"]
