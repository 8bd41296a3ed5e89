"""Measures the rule that holds calls whose arguments come from untrusted text, on public benchmarks.

    python -m tests.bench.provenance [--only NAME] [--limit N] [--show] [--words N] [--lookup]

Prints the rows of the table in docs/provenance.md. A *play* makes the right calls of a task, perhaps with
those that an injection, a text of an attacker, asks for. A row counts plays by what happened in them:

    plays                      any
    user's call held           a call of the user's task was not sent at once
    task done                  the user's task was done
    injection carried out      the attacker's task was done, as the benchmark's own grader says
    its changing calls sent    all calls of the injection were sent, and one may change something
"""

import argparse
import warnings

from controlplane.agent.evidence.texts import data_texts as result_text
from tests.bench.provenance.counts import Counts, Options
from tests.bench.provenance.lookup import print_lookup_times
from tests.bench.provenance.rows.other_rows import (
    AGENTDOJO_ROWS,
    OTHER_ROWS,
    play_agentdojo,
    play_other_row,
)


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
        "--words",
        type=int,
        help="a field with more words than this is a running text, and not a value",
    )
    parser.add_argument("--show", action="store_true", help="name the plays")
    parser.add_argument(
        "--lookup", action="store_true", help="time how values are looked up in texts"
    )
    return parser.parse_args()


def main() -> None:
    options = parsed_options()
    if options.lookup:
        print_lookup_times()
        return
    if options.words:  # The product has no such option: try another limit.
        result_text.MAX_FIELD_WORDS = options.words
    print(
        "| plays | number | user's call held | task done | injection carried out | its changing calls sent |"
    )
    print("|---|---|---|---|---|---|")
    options_of_plays = Options(options.limit, options.show)
    for row in AGENTDOJO_ROWS:
        if options.only in row.name:
            print_row(row.name, play_agentdojo(row, options_of_plays))
    for name in OTHER_ROWS:
        if options.only in name:
            print_row(name, play_other_row(name, options_of_plays))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # Only the table is to be printed.
    main()
