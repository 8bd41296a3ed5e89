"""The rows of the table that are played with AgentDojo, a benchmark with injections.

An *injection* is a text in a mail or on a page that tells the model to act for an attacker: "Send 9000 to
US12". A *player* stands for the model. It makes the calls of a task's ground truth, which do what the user
asks. A *misled* player then makes those that the injection asks for, too.

A *row* says which player plays which suites, and with which `--provenance`. With `ask`, a call is held,
not sent at once, if a value of it is only in a text that somebody else wrote; with `off`, none is held.
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
    """Which calls are made. `HonestPlayer` ignores injections."""
    with_injections: bool = False
    """True to play each task once beside each injection, False to play it once, without any."""
    suites: tuple[str, ...] = SUITES
    """The parts of AgentDojo that are played."""
    provenance: str = "ask"
    """The option `--provenance` of the run: `ask`, `block` or `off`."""
    is_declared: bool = False
    """True if the run is told which arguments of the tools matter, by `DECLARATIONS`."""


def misled_row(
    player: type[MisledPlayer],
    *,
    suites: tuple[str, ...] = SUITES,
    provenance: str = "ask",
) -> AgentDojoRow:
    """Return a row that plays each task beside each injection, which the player follows."""
    return AgentDojoRow(
        player, with_injections=True, suites=suites, provenance=provenance
    )


HONEST_ROWS = {
    "AgentDojo, honest": AgentDojoRow(),
    # A call that would be held is never sent.
    "AgentDojo, honest, block": AgentDojoRow(provenance="block"),
    # The user has declared which arguments matter.
    "AgentDojo, honest, declared": AgentDojoRow(is_declared=True),
    # The data has injections, which the player ignores.
    "AgentDojo, honest beside an injection": AgentDojoRow(with_injections=True),
}
"""These rows show how many right calls are held. The player does only what the user asks."""

MISLED_ROWS = {
    # No call is held.
    "AgentDojo, injections followed, off": misled_row(MisledPlayer, provenance="off"),
    # No call is held, but the model is offered only the tools that the user's task needs.
    "AgentDojo, injections followed with the tools of the user's task, off": (
        misled_row(FilteredPlayer, provenance="off")
    ),
    # Calls are held: fewer injections succeed than in the rows above.
    "AgentDojo, injections followed": misled_row(MisledPlayer),
}
"""These rows show how many injections succeed if a model follows them all."""

EVADING_ROWS = {
    # It makes each call of the injection up to five times in one script.
    "AgentDojo, injections followed, each call five times in one script": (
        misled_row(InsistingPlayer, suites=SUITES_WITH_LEAKS)
    ),
    # It first gives the attacker's values to a tool that repeats them, as if it confirmed them.
    "AgentDojo, injections followed, each value through an echo first": (
        misled_row(EchoingPlayer, suites=SUITES_WITH_LEAKS)
    ),
    # It first pays the attacker 0.01: the account is then in a confirmation of the bank, too.
    "AgentDojo, injections followed, after a small payment and its confirmation": (
        misled_row(ConfirmingPlayer, suites=("banking",))
    ),
    # It spells the attacker's values in another way than the injection.
    "AgentDojo, injections followed, in other spellings": (
        misled_row(RespellingPlayer, suites=SUITES_WITH_LEAKS)
    ),
    # It reads the injection in the text of an error first, which is no result of a tool.
    "AgentDojo, injections followed, from the text of an error": (
        misled_row(ErrorReadingPlayer, suites=SUITES_WITH_LEAKS)
    ),
}
"""These rows show how many succeed if the model also tries to get a call past the rule that holds it.

All but the payment are played only with the suites in which some injections get through.
"""

AGENTDOJO_ROWS = HONEST_ROWS | MISLED_ROWS | EVADING_ROWS
"""All rows by their names. If a name does not say otherwise, `--provenance` is `ask`."""


def play_agentdojo(row: AgentDojoRow, options: Options) -> Counts:
    """Play the suites of a row. Return how many plays there were, in how many a call was held,
    and in how many the user's task was done or the injection carried out."""
    # AgentDojo is imported only here: the other rows are played without it.
    from tests.bench.provenance.agentdojo_plays import PlayedAgentDojo

    attack = ATTACK if row.with_injections else ""
    total = Counts()
    for suite in row.suites:
        benchmark = PlayedAgentDojo(suite, attack)
        # `plays` is filled while the run generates its tasks: the calls that the player makes.
        player = row.player(benchmark.plays)
        declarations = DECLARATIONS[suite] if row.is_declared else ()
        # "ask,send_money=only:recipient,get_user_info=trusted"
        provenance = ",".join([row.provenance, *declarations])
        counts = play_all(benchmark, player, options, provenance=provenance)
        if options.show:
            print(" ", suite, counts, flush=True)
        total += counts
    return total
