"""The rows of the table that are played with AgentDojo, a benchmark with injections.

An *injection* is a text in a mail or on a page that tells the model to act for an attacker. A player
without a model makes the calls of each task's ground truth and, if it follows an injection, those of
the injection as well. Each row has another player, or other options of the run.
"""

from dataclasses import dataclass

from tests.bench.provenance.counts import play_all
from tests.bench.provenance.declarations import (
    ATTACK,
    DECLARATIONS,
    SUITES,
    SUITES_WITH_LEAKS,
)
from tests.bench.provenance.misled_players import (
    ConfirmingPlayer,
    EchoingPlayer,
    ErrorReadingPlayer,
    FilteredPlayer,
    InsistingPlayer,
    RespellingPlayer,
)
from tests.bench.provenance.play_counts import Counts, Options
from tests.bench.provenance.players import HonestPlayer, MisledPlayer


@dataclass(frozen=True)
class AgentDojoRow:
    """How AgentDojo is played for a row of the table."""

    player: type[HonestPlayer] = HonestPlayer
    with_injections: bool = False
    """True to play each task beside each injection."""
    suites: tuple[str, ...] = SUITES
    provenance: str = "ask"
    """The option `--provenance` of the run."""
    is_declared: bool = False
    """True if the run gets the declarations of the tools, `DECLARATIONS`."""


def misled_row(
    player: type[MisledPlayer],
    *,
    suites: tuple[str, ...] = SUITES,
    provenance: str = "ask",
) -> AgentDojoRow:
    """Return a row whose player follows the injections."""
    return AgentDojoRow(
        player, with_injections=True, suites=suites, provenance=provenance
    )


AGENTDOJO_ROWS = {
    "AgentDojo, honest": AgentDojoRow(),
    "AgentDojo, honest, block": AgentDojoRow(provenance="block"),
    "AgentDojo, honest, declared": AgentDojoRow(is_declared=True),
    "AgentDojo, honest beside an injection": AgentDojoRow(with_injections=True),
    "AgentDojo, injections followed, off": misled_row(MisledPlayer, provenance="off"),
    "AgentDojo, injections followed, offered the tools of the user's task alone, off": (
        misled_row(FilteredPlayer, provenance="off")
    ),
    "AgentDojo, injections followed": misled_row(MisledPlayer),
    "AgentDojo, followed, insists in one script": (
        misled_row(InsistingPlayer, suites=SUITES_WITH_LEAKS)
    ),
    "AgentDojo, followed, each value through an echo first": (
        misled_row(EchoingPlayer, suites=SUITES_WITH_LEAKS)
    ),
    "AgentDojo, followed, after a small payment and its confirmation": (
        misled_row(ConfirmingPlayer, suites=("banking",))
    ),
    "AgentDojo, followed, in other spellings": (
        misled_row(RespellingPlayer, suites=SUITES_WITH_LEAKS)
    ),
    "AgentDojo, followed, from the text of an error": (
        misled_row(ErrorReadingPlayer, suites=SUITES_WITH_LEAKS)
    ),
}
"""The rows by their names. If a name does not say otherwise, `--provenance` is `ask`."""


def play_agentdojo(row: AgentDojoRow, options: Options) -> Counts:
    """Play AgentDojo's suites for a row."""
    from tests.bench.provenance.agentdojo_plays import PlayedAgentDojo

    attack = ATTACK if row.with_injections else ""
    total = Counts()
    for suite in row.suites:
        benchmark = PlayedAgentDojo(suite, attack)
        declarations = DECLARATIONS[suite] if row.is_declared else ()
        policy = ",".join([row.provenance, *declarations])
        player = row.player(benchmark.plays)
        counts = play_all(benchmark, player, options, provenance=policy)
        if options.show:
            print(" ", suite, counts, flush=True)
        total += counts
    return total
