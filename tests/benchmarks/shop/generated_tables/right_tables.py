"""Tables that right answers to tasks of generated shops write, and what the pre-call check says of them.

    table = right_table("crosslist", "known")
    table.objection_with(table.rows)        # "": nothing speaks against it
    table.objection_with(table.rows[:-1])   # "... 4 are due; no row is about ..."

The pre-call check looks at a call that would change something before it is made. A crosslist tells
which products fit a competitor's request, and an inventory export the stock of products on some days.
"""

from typing import NamedTuple

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.names import WorldSettings
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.checked_calls import objection_to_write, shop_of


class RightTable(NamedTuple):
    """The table that the right answer to a task writes."""

    shop: EcomEnvironment
    path: str
    header: str
    rows: list[str]

    def objection_with(self, rows: list[str]) -> str:
        """Return the objection to the table with these rows."""
        return objection_to_write(self.shop, self.path, "\n".join([self.header, *rows]))


def right_table(variant: str, wordings: str) -> RightTable:
    """Return the table of a task such as `crosslist`, in a shop whose pages have these wordings."""
    task = generate_variant(variant, "seed 1", WorldSettings(wordings=wordings))
    ((path, text),) = task.truth.changes.items()
    assert text is not None
    header, *rows = text.splitlines()
    return RightTable(shop_of(task), path, header, rows)
