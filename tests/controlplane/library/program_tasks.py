"""Two tasks of a Python program, each with the script by which a model solves it.

    run = controlplane.run([STOCK_TASK, PAY_TASK], model="scripted:replies.toml")
    run["stock.1"].answer    -> "12"
    run["pay.1"].answer      -> "paid 2.5"

A script calls `harness`, which reads files, calls tools, and submits the answer.
"""

from pathlib import Path

from controlplane import Task, TaskEnvironment, Tool
from tests.support.command import CommandResult, run_controlplane

# --- A task about a file ---

STOCK_TASK = Task(
    "stock.1",
    "How many of A-7 are left?",
    files={"/stock.csv": "sku,left\nA-7,12\n"},
    grade=lambda end: end.answer == "12",
)
STOCK_REPLY = """
[[reply]]
task = "stock.1"
code = '''
print(harness.read("/stock.csv").content)
scratchpad["answer"], scratchpad["outcome"] = "12", "OUTCOME_OK"
scratchpad.cite("/stock.csv", "the row of A-7 says 12")
harness.answer(scratchpad, lambda sp: sp["answer"] == "12")
'''
"""

# --- A task that has to be done with a function of the program ---


def open_cash_desk() -> TaskEnvironment:
    """Return an environment with the tool `pay`, whose state is the list of paid amounts.

    The tool "acts": its calls change something.
    """
    paid_amounts: list[float] = []

    def pay(amount: float) -> int:
        """Pay an amount."""
        paid_amounts.append(amount)
        return len(paid_amounts)

    return TaskEnvironment([Tool(pay, "acts")], state=paid_amounts, policy="Pay once.")


def grade_payment(end: TaskEnvironment) -> tuple[bool, list[str], dict[str, float]]:
    """Return whether the answer is right, the reasons if not, and a metric."""
    is_right = end.state == [2.5]
    reasons = [] if is_right else ["paid otherwise"]
    return is_right, reasons, {"calls": len(end.calls)}


PAY_TASK = Task("pay.1", "Pay 2.5.", environment=open_cash_desk, grade=grade_payment)
PAY_REPLY = """
[[reply]]
task = "pay.1"
code = '''
print(harness.pay(amount=2.5))
scratchpad["answer"], scratchpad["outcome"] = "paid 2.5", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2.5" in sp["answer"])
'''
"""


def run_command(*words: str | Path) -> CommandResult:
    """Run a command in the folder of the run: `run_command("show", "last")`."""
    return run_controlplane(*words, cwd=Path.cwd())
