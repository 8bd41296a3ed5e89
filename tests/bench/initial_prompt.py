"""Measures whether the first message to the model shows the files that its task needs.

    python -m tests.bench.initial_prompt [--seed 7401] [--worlds 1] [--tasks 50] [--profiles prod,dev,hard]
        [--missing] [--table]

It prints for each platform:

- recall: the share of the needed documents that is shown, and the share of the needed records;
  both are means over the messages
- complete: the share of the messages that show all needed files
- precision: of all characters of shown files, without the rules, the share in needed files
- useful: of the same characters, the share in files that are needed or that an answer may cite
- foreign: the number of records of another customer that a customer or guest is shown

With `--table`, it prints recall and precision of three ways to choose files.
"""

import argparse
from collections import Counter, defaultdict

from tests.bench.prompts.opened_messages import (
    MeasuredMessage,
    figures,
    messages_of_tasks,
    recall_table,
)


def print_figures(messages: list[MeasuredMessage], *, by_family: bool) -> None:
    """Print a line for each platform, for each profile on it, and perhaps for each family."""
    groups = defaultdict[str, list[MeasuredMessage]](list)
    for message in messages:
        groups[f"{message.platform} {message.profile}"].append(message)
        groups[f"{message.platform}, all"].append(message)
        if by_family:
            groups[f"{message.platform} {message.family}"].append(message)
    for name in sorted(groups):
        print(figures(name, groups[name]))


def print_missing_folders(messages: list[MeasuredMessage]) -> None:
    """Print the folders of the needed files that are not shown, the most frequent first."""
    count_by_folder = Counter[str]()
    for message in messages:
        for path in message.missing:
            folder = path.rpartition("/")[0] + "/"
            count_by_folder[folder] += 1
    print("folders of what is missing:", count_by_folder.most_common(12))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=7401)
    parser.add_argument("--worlds", type=int, default=1, help="seeds from this on")
    parser.add_argument("--tasks", type=int, default=50)
    parser.add_argument("--profiles", default="prod,dev,hard")
    parser.add_argument(
        "--missing", action="store_true", help="print what each trial lacks"
    )
    parser.add_argument(
        "--families", action="store_true", help="print a line for each family"
    )
    parser.add_argument(
        "--table", action="store_true", help="print the table of docs/results.md alone"
    )
    options = parser.parse_args()

    seeds = range(options.seed, options.seed + options.worlds)
    profiles = options.profiles.split(",")
    messages = messages_of_tasks(options.tasks, seeds, profiles)
    if options.table:
        print("\n".join(recall_table(messages)))
        return
    if options.missing:
        for message in messages:
            if message.missing or message.foreign:
                name = f"{message.platform} {message.profile} {message.task_id}"
                print(name, *message.missing, *message.foreign)
    print_figures(messages, by_family=options.families)
    print_missing_folders(messages)


if __name__ == "__main__":
    main()
