"""Plays AgentDojo, a benchmark with injections, for a row of the table, and counts the plays."""

from tests.bench.provenance.counts import play_all
from tests.bench.provenance.declarations import ATTACK, DECLARATIONS
from tests.bench.provenance.play_counts import Counts, Options
from tests.bench.provenance.rows.agentdojo_row import AgentDojoRow


def play_agentdojo(row: AgentDojoRow, options: Options) -> Counts:
    """Play the suites of a row. Return how many plays there were, and how they went."""
    # AgentDojo is imported only here: the other rows are played without it.
    from tests.bench.provenance.agentdojo_plays import PlayedAgentDojo

    attack = ATTACK if row.has_injections else ""
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
