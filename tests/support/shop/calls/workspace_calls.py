"""The calls that tell a model how a shop is built: its folders, fields and pages, and dates.

Each generated shop has names of its own, so that a model cannot know them by heart. A test makes each
call, and compares what the function returns with what the generator knows:

    TrueCall("workspace_layout", {}, is_right=..., refs=[])
    # right if the function's value is {"roots": {"basket": "/proc/hampers", ...}, ...}

What the layout has for "time" may be anything.
"""

from collections.abc import Iterator

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.shop.calls.true_calls import TrueCall, same


def calendar_date_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that finds a date described in words, such as "a week from tomorrow".

    "What date is it in a week?" -> `relative_date` returns `"2028-01-16"`. There is no call if the
    request does not say how to write the date.
    """
    request = task.instruction
    if "YYYY" in request or "yyyy" in request:
        yield TrueCall(
            function="relative_date",
            arguments={"request": request},
            is_right=same(task.truth.message),
            refs=[],
        )


def layout_call(task: Task) -> TrueCall:
    """Return the call that tells a model how this shop names its folders, fields, states and pages.

    Each generated shop has names of its own, so that a model cannot know them by heart.
    `{"roots": {"basket": "/proc/hampers", ...}, "owner": "shopper_id", "state": "stage", ...}`
    says: baskets are in the folder `/proc/hampers`, and their field `shopper_id` has the owner.
    """
    # The generator's table of names: `names.field("customer_id")` is "shopper_id" in this shop.
    names = task.world.names
    policy = task.world.policy
    roots = names.layout.roots
    subjects = ("checkout", "discounts", "returns", "security", "stock", "verification")
    true_layout = {
        "roots": {
            "product": roots.products,
            "branch": roots.stores,
            "basket": roots.baskets,
            "payment": roots.payments,
            "return": roots.returns,
            "employee": roots.employees,
        },
        "owner": names.field("customer_id"),
        "state": names.field("status"),
        "open_state": names.state("active"),
        "policies": {subject: names.pages[subject] for subject in subjects},
        "yes": policy.answers.yes,
        "no": policy.answers.no,
    }

    def is_true_layout(value: dict[str, object]) -> bool:
        # The function also names the field "time", about which the truth says nothing.
        layout = {key: value[key] for key in value if key != "time"}
        return layout == true_layout

    return TrueCall(
        function="workspace_layout", arguments={}, is_right=is_true_layout, refs=[]
    )
