"""The rows of the table that are played with benchmarks without injections: Inspect, BFCL and tau2.

They show how often a right call is held. Each row is played by a function of its own:

    OTHER_ROWS["tau2, retail"](Options(limit=4, show=False))  # Counts(plays=4, with_held_call=1, done=4)

A benchmark needs a package of its own, which may be missing. So its plays are imported only where it is
played.
"""

from collections.abc import Callable
from functools import partial

from tests.bench.provenance.counts import play_all
from tests.bench.provenance.declarations import SUITES
from tests.bench.provenance.play_counts import Counts, Options
from tests.bench.provenance.players import HonestPlayer


def play_inspect(options: Options, *, names_reads: bool) -> Counts:
    """Play AgentDojo as Inspect has it; say which tools only read if `names_reads`."""
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
    """Play a domain of tau2, such as "retail"."""
    from tests.bench.provenance.tau2_plays import tau2_tasks

    tasks, plays = tau2_tasks(domain)
    return play_all(tasks, HonestPlayer(plays), options)


OTHER_ROWS: dict[str, Callable[[Options], Counts]] = {
    "AgentDojo of Inspect, honest": partial(play_inspect, names_reads=False),
    "AgentDojo of Inspect, honest, --reads": partial(play_inspect, names_reads=True),
    "BFCL multi-turn with long contexts": play_bfcl,
    "tau2, airline": partial(play_tau2, domain="airline"),
    "tau2, retail": partial(play_tau2, domain="retail"),
    "tau2, telecom": partial(play_tau2, domain="telecom"),
}
