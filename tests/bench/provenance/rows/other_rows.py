"""The rows of the table that are played with benchmarks without injections: Inspect, BFCL and tau2.

They show how often a right call is *held*: stopped at first, because a value of it is only in a text that
somebody else wrote.

    play_other_row("tau2, retail", Options(limit=4, show=False))
    # Counts(plays=4, with_held_call=1, done=4)

Each benchmark needs a package of its own, which may be missing. So it is imported only where it is played.
"""

from tests.bench.provenance.counts import play_all
from tests.bench.provenance.declarations import SUITES
from tests.bench.provenance.play_counts import Counts, Options
from tests.bench.provenance.players import HonestPlayer

OTHER_ROWS = (
    "AgentDojo of Inspect, honest",
    "AgentDojo of Inspect, honest, --reads",
    "BFCL multi-turn with long contexts",
    "tau2, airline",
    "tau2, retail",
    "tau2, telecom",
)


def play_other_row(name: str, options: Options) -> Counts:
    """Play a row of `OTHER_ROWS`. Return how many plays there were, and how they went."""
    match name:
        case "AgentDojo of Inspect, honest":
            return play_inspect(options, names_reads=False)
        case "AgentDojo of Inspect, honest, --reads":
            return play_inspect(options, names_reads=True)
        case "BFCL multi-turn with long contexts":
            return play_bfcl(options)
        case _:
            return play_tau2(options, domain=name.removeprefix("tau2, "))


def play_inspect(options: Options, *, names_reads: bool) -> Counts:
    """Play AgentDojo as Inspect has it. With `names_reads`, the option `--reads` names the tools
    that change nothing."""
    from tests.bench.provenance.inspect_plays import PlayedInspect

    total = Counts()
    for suite in SUITES:
        benchmark = PlayedInspect(suite)
        reads = ",".join(benchmark.reading_tools()) if names_reads else ""
        player = HonestPlayer(benchmark.plays)
        total += play_all(benchmark, player, options, reads=reads)
    return total


def play_bfcl(options: Options) -> Counts:
    """Play BFCL's tasks of several turns with long contexts."""
    from tests.bench.provenance.bfcl_plays import bfcl_tasks

    tasks, plays = bfcl_tasks()
    return play_all(tasks, HonestPlayer(plays), options)


def play_tau2(options: Options, *, domain: str) -> Counts:
    """Play a domain of tau2: "airline", "retail" or "telecom"."""
    from tests.bench.provenance.tau2_plays import tau2_tasks

    tasks, plays = tau2_tasks(domain)
    return play_all(tasks, HonestPlayer(plays), options)
