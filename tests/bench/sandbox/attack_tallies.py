"""Counts how far the attacks of the corpus get in sandboxes, and how many ordinary scripts run.

`language_tallies(sandboxes, targets).reached_objects` is `778 of 1175`: so many attacks on the
language reach an object that scripts must not have.
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
    """Run the attacks on the language. One prints LEAK if it reached what it must not have.

    The next step uses what the attack may have reached. Then a new sandbox checks that no object
    of the language has changed, such as a module that all sandboxes have: it prints "whole".
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
