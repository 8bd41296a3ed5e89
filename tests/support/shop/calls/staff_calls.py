"""The calls for questions about employees: one's own record, and how many have a role.

A test makes each call in a generated shop, of which the truth is known, and compares:

    TrueCall("staff_with_role", {"role": "store_manager", "branch": ""}, is_right=same(12), refs=[...])
    # right if the function's value is 12

`task.world` has all records of the shop, `task.truth.for_tests` what the generator chose.
"""

from collections.abc import Iterator

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.shop.calls.true_calls import TrueCall, same
from tests.support.shop.calls.workspace_calls import layout_call


def own_staff_record_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the calls for an employee's question about their own record.

    `workspace_layout` returns where the shop has its records, and `who_asks` the asker:
    `{"user": "emp_016", "roles": ["employee"], "is": "staff"}`.
    """
    yield layout_call(task)
    session = task.world.session
    true_asker = {
        "user": session.user,
        "roles": sorted(session.roles),
        "is": "staff",
    }
    yield TrueCall(
        function="who_asks", arguments={}, is_right=same(true_asker), refs=[]
    )


def staff_count_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that counts the employees with a role, at one branch or at all.

    `staff_with_role(role="store_manager", branch="")` -> `17`
    """
    inputs = task.truth.for_tests
    branch_name = ""
    if inputs["store"]:
        branch_name = task.world.stores[inputs["store"]].name
    yield TrueCall(
        function="staff_with_role",
        arguments={"role": inputs["role"], "branch": branch_name},
        is_right=same(int(task.truth.message)),
        refs=list(task.truth.must_cite),
    )
