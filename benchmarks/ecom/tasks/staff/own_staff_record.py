"""The task to give three fields of the asker's own staff record.

An employee asks: "Who am I here? Answer as display_name | title | store_id." The answer is one
line with the values: `Anna Berg | lead | store-04`.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.sign_in import sign_in_employee
from controlplane.benchmarks.ecom.world.world import World

OWN_FIELDS: Final = ("display_name", "title", "store_id")
"""The requested fields, by the names in the code. A world may show them under other names."""


def own_staff_record(world: World, _case: str) -> Truth:
    """Ask, as an employee, for three fields of one's own record.

    Right: give the values in one line, in the requested form: `Anna Berg | lead | store-04`.
    Cite the record.

    Wrong: give the id of the session in place of the name.
    """
    employee = sign_in_employee(world)
    shape = " | ".join(world.names.field(name) for name in OWN_FIELDS)
    data = employee.data()
    return truth_with_exact_message(
        world.wording("own-staff-record", tool="/bin/id", shape=shape),
        " | ".join(str(data[name]) for name in OWN_FIELDS),
        must_cite=world.paths(employee),
        for_tests={"path": world.path(employee)},
    )
