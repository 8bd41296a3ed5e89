"""Finds out which state of a basket means that it can be changed and bought, such as `open`.

Shops choose the names of states. The policy on checkouts mentions this state more often than any
other: "Only an `open` basket can be bought." `most_marked_state` counts words in backticks. If
there are none, `states_in_records` collects the states of all baskets, and `most_mentioned_state`
counts these in the policy.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from controlplane.benchmarks.shop.texts.documents import marked_words, most_marked
from controlplane.benchmarks.shop.workspace.field_shapes import (
    Data,
    Shape,
    every_row,
    shape_of,
)
from controlplane.benchmarks.shop.workspace.word_search import text_field_pattern
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader


def most_marked_state(policy: str, baskets: Sequence[Data]) -> str:
    """Return the state that a policy most often puts in backticks; empty if there is none.

    Policies also put names of fields in backticks: "`status` is `open`". So the names of the
    fields of `baskets`, a few that were read, and of their lines are left out.
    """
    field_names: set[str] = set()
    for basket in baskets:
        field_names.update(basket.keys())
    for line in every_row(baskets):
        field_names.update(line.data.keys())
    states = set()
    for word in marked_words(policy):
        if shape_of(word) is Shape.WORD and word not in field_names:
            states.add(word)
    return most_marked(policy, states)


def states_in_records(
    reader: WorkspaceReader, state_key: str, folder: str
) -> frozenset[str]:
    """Return the states that occur in any record below a folder, in the field `state_key`.

    One search finds all lines such as `  "status": "open",`.
    """
    key_and_state = re.compile(rf'"{re.escape(state_key)}":\s*"([^"]+)"')
    states: set[str] = set()
    for _, line in reader.search(text_field_pattern([state_key]), folder):
        states.update(key_and_state.findall(line))
    return frozenset(states)


def most_mentioned_state(policy: str, states: Collection[str]) -> str:
    """Return the state that a policy mentions most often; empty if it mentions none."""
    most_mentioned = ""
    most_mentions = 0
    for state in sorted(states):
        whole_word = rf"(?<![\w-]){re.escape(state)}(?![\w-])"
        mentions = len(re.findall(whole_word, policy))
        if mentions > most_mentions:
            most_mentioned = state
            most_mentions = mentions
    return most_mentioned
