"""Counts how far the attacks of the corpus get in sandboxes, and how many ordinary scripts run.

An attack is a hostile script. It prints LEAK if it reaches what it must not have: an attack on the
language reaches for objects of Python, one by system calls for a file or a port.
`language_tallies(sandboxes, targets).reached_objects` -> `778 of 1175`

`targets` is the first line of each script that reaches for a file or a port. It names them, as in
`CANARY, PORT, SOCKET = "/etc/hostname", 40123, 0`.
"""

from dataclasses import dataclass

from controlplane.sandbox import Ending, ForkServer, Limits, StepResult, parse_isolation
from tests.bench.sandbox.tallies import LanguageTallies, Tally
from tests.sandbox.attack_checks import ATTACK_IN_NEXT_STEP, SHARED_STATE_CHECK
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.sandbox.python_attacks import language_attacks
from tests.sandbox.script_corpus import ORDINARY_SCRIPT_FILES, corpus_scripts


@dataclass(frozen=True)
class NewSandboxes:
    """Runs scripts, each time in a new sandbox with these layers of isolation."""

    server: ForkServer
    isolation: str

    def run(self, *steps: str) -> list[StepResult]:
        """Return the results of scripts that are the steps of one new sandbox."""
        with new_sandbox(
            self.server,
            isolation=parse_isolation(self.isolation),
            limits=Limits(step_wall_s=3.0),
        ) as sandbox:
            return [sandbox.run(script) for script in steps]


def language_tallies(sandboxes: NewSandboxes, targets: str) -> LanguageTallies:
    """Run the attacks on the language; count those that reach an object, and those that do harm.

    After an attack, the next step of its sandbox tries to reach a file or a port by the objects.
    Then a new sandbox checks the modules that all sandboxes have from one server process, and
    prints "whole" if the attack has not changed them.
    """
    tallies = LanguageTallies()
    for _title, attack_script in language_attacks():
        attack, next_step = sandboxes.run(attack_script, targets + ATTACK_IN_NEXT_STEP)
        (later_sandbox,) = sandboxes.run(SHARED_STATE_CHECK)
        is_later_sandbox_changed = later_sandbox.output != "whole\n"
        tallies.reached_objects.count("LEAK" in attack.output)
        tallies.did_harm.count("LEAK" in next_step.output or is_later_sandbox_changed)
    return tallies


def system_call_tally(sandboxes: NewSandboxes, targets: str) -> Tally:
    """Run the attacks by system calls; count those that make one that should be refused."""
    tally = Tally()
    for _title, attack_script in corpus_scripts("attacks/kernel.txt"):
        (attack,) = sandboxes.run(targets + attack_script)
        tally.count("LEAK" in attack.output)
    return tally


def ordinary_tally(sandboxes: NewSandboxes) -> Tally:
    """Run the harmless scripts; count those that run, to their end or an exception of their own."""
    tally = Tally()
    for _title, ordinary_script in corpus_scripts(*ORDINARY_SCRIPT_FILES):
        (ordinary,) = sandboxes.run(ordinary_script)
        tally.count(ordinary.ending in (Ending.FINISHED, Ending.RAISED))
    return tally
