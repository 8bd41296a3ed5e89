"""Runs of a solver that pays to two accounts: the user's, and one that only a mail contains.

    played = play_payments(folder, provenance="block")
    played.paid_accounts   -> [USERS_ACCOUNT]
    played.held_calls      -> ["not done"]      what became of the call that was held back

The setting `provenance` says what happens to a call with a value of the mail.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from tests.controlplane.tool_benchmark import paying_solver
from tests.controlplane.tool_benchmark.paying_solver import INSTRUCTION, MAIL
from tests.controlplane.tool_benchmark.played_runs import only_trial
from tests.support.command import run_in_process


@dataclass
class PlayedPayments:
    """A run of the solver `PayBoth`."""

    report: controlplane.RunReport
    paid_accounts: list[str]

    @property
    def held_calls(self) -> list[str]:
        """What became of each call that was held back: "not done", "repeated and sent", ..."""
        return list(only_trial(self.report).summary.stopped.values())

    @property
    def page(self) -> str:
        """The page of the trial, which shows its calls to the user."""
        journal = self.report.journal
        words = ("replay", str(journal), "--trial", "pay")
        return run_in_process(*words, cwd=journal.parent).out


@dataclass
class Bank:
    """The environment of a trial, with a mail to read and a tool to pay."""

    paid_accounts: list[str] = field(default_factory=list)

    def read_mail(self) -> list[dict[str, str]]:
        """Read the last mail."""
        return [{"from": "bob@site.com", "body": MAIL}]

    def pay(self, account: str, amount: float) -> str:
        """Pay an amount."""
        self.paid_accounts.append(account)
        return "paid"


def play_payments(
    folder: Path, provenance: str, user: Callable[[str], str] | None = None
) -> PlayedPayments:
    """Let the solver pay to both accounts, under this setting for calls with outside values.

    `user` replies to what the solver says. Without one, the solver cannot talk.
    """
    bank = Bank()
    tools = [Tool(bank.read_mail, "returns"), Tool(bank.pay, "acts")]
    task = Task(
        "pay", INSTRUCTION, environment=lambda: TaskEnvironment(tools, user=user)
    )
    report = controlplane.run(
        [task],
        agent=paying_solver.__name__,
        provenance=provenance,
        runs_dir=str(folder),
        gates="none",
    )
    return PlayedPayments(report, list(bank.paid_accounts))
