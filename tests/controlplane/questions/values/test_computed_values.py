"""A value of an answer by `ask` that is in no file may be computed by a script.

The file says "23 days at 7.35", and the answer "It costs 169.05.":

    {"text": "169.05", "support": "computed", ...}
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import scripted_model, write_files
from tests.support.command import run_in_process


def test_a_value_that_a_script_inserts_is_marked_as_computed(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/fee.txt": "23 days at 7.35"})
    model = scripted_model(
        tmp_path,
        """
days, _days, _at, fee = harness.read("/fee.txt").content.split()
scratchpad["answer"] = f"It costs {int(days) * float(fee):.2f}."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/fee.txt", "23 days at 7.35")
harness.answer(scratchpad, lambda sp: "169.05" in sp["answer"])
""",
    )

    asked = run_in_process(
        "ask", "What does the loan cost?", "docs", "--json", *model, cwd=tmp_path
    )

    (claim,) = asked.json["claims"]
    assert claim["text"] == "169.05"  # 23 * 7.35
    assert claim["support"] == "computed"


def test_a_value_that_the_model_types_after_a_script_printed_it_is_computed(
    tmp_path: Path,
) -> None:
    """In `facts`, the model says from where it has the value."""
    write_files(tmp_path, {"docs/fee.txt": "23 days at 7.35"})
    model = scripted_model(
        tmp_path,
        """
days, _days, _at, fee = harness.read("/fee.txt").content.split()
print(int(days) * float(fee))
""",
        """
scratchpad["answer"] = "It costs 169.05."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/fee.txt", "23 days at 7.35")
scratchpad["facts"] = {
    "cost": {"value": "169.05", "confidence": "derived", "source": "/fee.txt"}
}
harness.answer(scratchpad, lambda sp: "169.05" in sp["answer"])
""",
    )

    asked = run_in_process(
        "ask", "What does the loan cost?", "docs", "--json", *model, cwd=tmp_path
    )

    (claim,) = asked.json["claims"]
    assert claim["text"] == "169.05"  # 23 * 7.35
    assert claim["support"] == "computed"
