"""What an answer cites, its references: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.
`world` has the files of the shop and who asks.

    {"part": "references",
     "input": {"outcome": "DENIED", "protected": True, "documents": ["/docs/security.md"],
               "records": ["/proc/baskets/basket_4.json"],
               "world": {"identity": {"user": "cust_7", "roles": ["customer"]}, "files": {}}},
     "expect": {"refs": ["/docs/security.md"]}}  # A denial for security cites documents alone.
"""

from collections.abc import Mapping, Sequence

from controlplane.benchmarks.shop.answers import Draft, final_references, record_kind
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.outcomes import OUTCOMES
from tests.exoskeleton.parts.worlds import World, asker, workspace_records

KINDS_OF_RECORDS = {"products": "product", "stores": "branch", "baskets": "basket"}
"""This project's kind of record by the name that a case's layout has for it."""


def kind_by_layout(path: str, layout: Mapping[str, str]) -> str:
    """Return the kind of record at a path: `basket` for `/proc/carts/b-1.json`.

    `layout` says where the shop of the case has its records: `{"baskets": "/proc/carts"}`.
    """
    for name, folder in layout.items():
        if path.startswith(f"{folder}/"):
            return KINDS_OF_RECORDS.get(name, name)
    return record_kind(path)


@answers_part("references")
def choose_references(
    world: World,
    outcome: str = "OK",
    message: str = "",
    task_type: str = "other",
    documents: Sequence[str] = (),
    records: Sequence[str] = (),
    protected: bool = False,
    text: str = "",
    rules: str = "",
    layout: Mapping[str, str] | None = None,
) -> Output:
    """Choose what an answer cites, by its outcome and by who asks.

    `world` has the files of the shop and who asks, and `layout` says where its records are. All
    other parameters are of the model's *draft*, its answer before it is corrected: `documents` and
    `records` are what it cites, `protected` says that it refuses for security, and `text` is the
    request.
    """
    draft = Draft(
        outcome=OUTCOMES.get(outcome, ""),
        message=message,
        task_type=task_type,
        documents=tuple(documents),
        records=tuple(records),
        is_protected=protected,
        request=text,
        rules=rules,
    )
    refs = final_references(
        draft,
        workspace_records(world),
        asker(world),
        lambda path: kind_by_layout(path, layout or {}),
    )
    return {"refs": refs}
