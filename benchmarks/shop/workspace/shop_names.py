"""What a shop calls the fields of its records, and the state of a basket that can be bought.

In one shop, an open basket is `{"customer_id": "cust-7", "status": "open"}`, and in another
`{"buyer": "cust-7", "stage": "active"}`. A few records of each kind, and the policy on
checkouts, show which names a shop uses.
"""

from __future__ import annotations

from functools import cached_property

from controlplane.benchmarks.shop.certain_values import value_or_raise
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.known_kinds import KnownKinds
from controlplane.benchmarks.shop.workspace.open_state import (
    most_marked_state,
    most_mentioned_state,
    states_in_records,
)
from controlplane.benchmarks.shop.workspace.records.learned_keys import learned_keys
from controlplane.benchmarks.shop.workspace.records.record import RecordKeys
from controlplane.benchmarks.shop.workspace.records.record_files import RecordFiles
from controlplane.benchmarks.shop.workspace.shop_documents import ShopDocuments


class ShopNames:
    """The names that a shop uses in its records. They are learned when they are needed."""

    def __init__(
        self, record_files: RecordFiles, kinds: KnownKinds, documents: ShopDocuments
    ) -> None:
        self._record_files = record_files
        self._kinds = kinds
        self._documents = documents

    @cached_property
    def keys(self) -> RecordKeys:
        """The names of fields: a record's owner, state and time, a person's name and roles.

        They are learned from baskets and employees. Raises `CannotRead` if they are not
        certain.
        """
        baskets = self._kinds.samples(Kind.BASKET)
        people = []
        if self._kinds.known_group(Kind.EMPLOYEE):
            people = self._kinds.samples(Kind.EMPLOYEE)
        ids = self._record_files.by_id.keys()
        return learned_keys(baskets, people, ids, self._documents)

    def open_state(self, policy: str) -> str:
        """Return the state in which a basket can be changed and bought, such as `open`.

        It is the state that the policy on checkouts mentions most. Raises `CannotRead` if
        the policy mentions none.
        """
        # 1. Most policies put states in backticks.
        state = most_marked_state(policy, self._kinds.samples(Kind.BASKET))
        # 2. For others, the states are collected from all baskets.
        if not state and self.keys.state:
            folder = self._kinds.group(Kind.BASKET).root
            reader = self._record_files.reader
            states = states_in_records(reader, self.keys.state[0], folder)
            state = most_mentioned_state(policy, states)
        return value_or_raise(
            state, "no policy says in which state a basket can be bought"
        )
