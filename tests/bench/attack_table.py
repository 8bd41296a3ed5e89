"""Prints how far hostile scripts get in a sandbox, with and without its language layer.

`sandbox_speed.py --table` calls `print_table`, which prints a row for each isolation:

    isolation                     hold an object   do harm    system calls  ordinary run
    process,kernel                   778 of 1175         0         0 of 97    588 of 588

Of 1175 attacks on the language, 778 got an object that scripts must not have, and none did harm with
it. None of 97 forbidden system calls was made. All 588 ordinary scripts ran.
"""

import os
import socket
import sys
from dataclasses import dataclass, field

from controlplane.sandbox import (
    Ending,
    ForkServer,
    Limits,
    StepResult,
    missing_layer,
    parse_isolation,
)
from tests.sandbox.attack_checks import ATTACK_IN_NEXT_STEP, SHARED_STATE_CHECK
from tests.sandbox.local_parent import new_sandbox
from tests.sandbox.python_attacks import language_attacks
from tests.sandbox.script_corpus import ORDINARY_SCRIPT_FILES, corpus_scripts

# Counts of scripts that were run in sandboxes, and of those that did what is counted.
#
# tally = Tally()
# tally.count(True)
# tally.count(False)
# str(tally)      # "1 of 2"


@dataclass
class Tally:
    """How many scripts of a kind were run, and how many of them did what is counted: `3 of 12`."""

    hits: int = 0
    scripts: int = 0

    def count(self, is_hit: bool) -> None:
        """Count one script."""
        self.scripts += 1
        if is_hit:
            self.hits += 1

    def __str__(self) -> str:
        return f"{self.hits} of {self.scripts}"


@dataclass
class LanguageTallies:
    """How far attacks on the language get, which are after objects that scripts must not have."""

    reached_objects: Tally = field(default_factory=Tally)
    """How many reach such an object."""
    did_harm: Tally = field(default_factory=Tally)
    """The same attacks: how many do harm with it, in the next step or in a later sandbox."""


# Counts how far the attacks of the corpus get in sandboxes, and how many ordinary scripts run.
#
# An attack is a hostile script. It prints LEAK if it reaches what it must not have: an attack on the
# language reaches for objects of Python, one by system calls for a file or a port.
# `language_tallies(sandboxes, targets).reached_objects` -> `778 of 1175`
#
# `targets` is the first line of each script that reaches for a file or a port. It names them, as in
# `CANARY, PORT, SOCKET = "/etc/hostname", 40123, 0`.


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


def print_table() -> None:
    """Print how far attacks get without the language layer, and behind all three layers.

    The process layer and the kernel layer are the boundary that hostile scripts must not pass.
    """
    # A child process must not have the environment of its parent: an attack looks for this.
    os.environ["SANDBOX_SECRET"] = "SECRET"
    print(
        f"{'isolation':<28}{'hold an object':>16}{'do harm':>10}{'system calls':>16}{'ordinary run':>14}"
    )
    for isolation in ("process,kernel", "language,process,kernel"):
        with ForkServer() as server, socket.create_server(("127.0.0.1", 0)) as listener:
            missing = missing_layer(server, parse_isolation(isolation))
            if missing:
                sys.exit(f"these scripts are hostile, and {missing}")
            port = listener.getsockname()[1]
            # The first line of each attack: what it tries to reach. There is no socket for it.
            targets = f'CANARY, PORT, SOCKET = "/etc/hostname", {port}, 0\n'
            sandboxes = NewSandboxes(server, isolation)
            language = language_tallies(sandboxes, targets)
            system_calls = system_call_tally(sandboxes, targets)
            ordinary = ordinary_tally(sandboxes)
        print(
            f"{isolation:<28}{language.reached_objects!s:>16}{language.did_harm.hits:>10}"
            f"{system_calls!s:>16}{ordinary!s:>14}"
        )
