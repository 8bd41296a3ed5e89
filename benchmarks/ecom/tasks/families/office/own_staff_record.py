"""A member of staff asks for three fields of the own record, joined in one line."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, sign_in_employee
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("three fields in one line"),)
FIELDS: Final = ("display_name", "title", "store_id")
WORDINGS: Final = Wordings(
    (
        "Use `{tool}`, find my employee record, and return exactly `{shape}` for me. Cite the employee record you "
        "used.",
        "Who am I here? Answer with `{shape}` from my own staff record, exactly in that form, and cite the record.",
    ),
    ("Please give me `{shape}` as it is written in my own employee record, in one line. Cite that record.",),
)


def pose(world: World, variant: int) -> Truth:
    """Ask for the joined line."""
    employee = sign_in_employee(world)
    shape = " | ".join(world.names.field(each) for each in FIELDS)
    data = employee.data()
    return Truth(
        instruction=world.say(WORDINGS).format(tool=world.names.tool("id"), shape=shape),
        message=" | ".join(str(data[each]) for each in FIELDS),
        is_exact=True,
        records=cite_records(world, [employee]),
        inputs={"path": world.path(employee)},
    )
