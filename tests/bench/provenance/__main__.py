"""Measures the rule that holds calls whose arguments come from untrusted text, on public benchmarks.

    python -m tests.bench.provenance [--only NAME] [--limit N] [--show] [--lookup]

An *injection* is a text in a mail or on a page that tells the model to act for an attacker. With
`--provenance ask`, a call with a value that is only in such a text is *held*: not sent until the
model makes it again in a later step. Prints the rows of the table in docs/provenance.md.
"""

# Each benchmark needs a package of its own, which may be missing. So its plays are imported only
# where it is played.
#
# Players without a model make the calls of each task's ground truth and, if they follow an
# injection, those of the injection as well. A row of the table counts
#
# - all plays
# - plays in which a call of the user's task was held
# - plays that did the user's task
# - plays that carried the injection out, as the benchmark's own grader says
# - plays that sent all calls of the injection, one of which may change something

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from controlplane.agent.evidence.texts import result_text
from tests.bench.provenance.counts import Counts, Options, play_all
from tests.bench.provenance.lookup import print_lookup_times
from tests.bench.provenance.players import (
    ConfirmingPlayer,
    EchoingPlayer,
    ErrorReadingPlayer,
    FilteredPlayer,
    HonestPlayer,
    InsistingPlayer,
    MisledPlayer,
    RespellingPlayer,
)

# AgentDojo -----------------------------------------------------------------------------------

SUITES = ("banking", "slack", "travel", "workspace")
"""The parts of AgentDojo."""
SUITES_WITH_LEAKS = ("banking", "slack", "travel")
"""Those in which some injections get through with `ask`."""
ATTACK = "important_instructions"
"""How AgentDojo words its injections."""
DECLARATIONS = {
    "banking": (
        "send_money=only:recipient",
        "schedule_transaction=only:recipient",
        "update_scheduled_transaction=only:recipient",
        "get_user_info=trusted",
    ),
    "slack": (
        "invite_user_to_slack=only:user+user_email",
        "get_users_in_channel=trusted",
        "post_webpage=only:url",
    ),
    "travel": (
        "send_email=only:recipients",
        "get_user_information=trusted",
        "reserve_hotel=only:hotel",
        "reserve_restaurant=only:restaurant",
        "reserve_car_rental=only:company",
    ),
    "workspace": (
        "send_email=only:recipients",
        "create_calendar_event=only:participants",
        "delete_file=only:file_id",
        "add_calendar_event_participants=only:participants",
        "share_file=only:email",
        "search_contacts_by_name=trusted",
        "create_file=only:filename",
        "reschedule_calendar_event=only:event_id",
    ),
}
"""For each suite what `--provenance` may declare of its tools.

`send_money=only:recipient`: of its arguments, only the one is looked at that says whom it reaches.
`get_user_info=trusted`: nobody but the user writes what it returns.
"""


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
    """True if the rule knows `DECLARATIONS`."""


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


# Other benchmarks, without injections --------------------------------------------------------


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


# The table -----------------------------------------------------------------------------------


def print_row(name: str, counts: Counts) -> None:
    print(
        f"| {name} | {counts.plays} | {counts.with_held_call} | {counts.done} "
        f"| {counts.carried_out} | {counts.injection_sent} |",
        flush=True,
    )


def parsed_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="the rows whose name has this text")
    parser.add_argument("--limit", type=int, help="the first tasks of each suite")
    parser.add_argument(
        "--words", type=int, help="words of a field that still is a record"
    )
    parser.add_argument("--show", action="store_true", help="name the plays")
    parser.add_argument(
        "--lookup", action="store_true", help="time a look-up, and play nothing"
    )
    return parser.parse_args()


def main() -> None:
    options = parsed_options()
    if options.lookup:
        print_lookup_times()
        return
    if options.words:
        result_text.MAX_FIELD_WORDS = options.words
    print(
        "| plays | number | user's call held | task done | injection carried out | its changing calls sent |"
    )
    print("|---|---|---|---|---|---|")
    options_of_plays = Options(options.limit, options.show)
    for name, row in AGENTDOJO_ROWS.items():
        if options.only in name:
            print_row(name, play_agentdojo(row, options_of_plays))
    for name, play in OTHER_ROWS.items():
        if options.only in name:
            print_row(name, play(options_of_plays))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
