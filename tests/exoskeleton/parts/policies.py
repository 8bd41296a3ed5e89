"""Which pages on policies an answer cites: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "policy_documents",
     "input": {"read": ["/docs/security.md", "/docs/stock.md"], "task_type": "discount"},
     "expect": {"documents": ["/docs/security.md"]}}
"""

from collections.abc import Sequence

from controlplane.benchmarks.shop.answers import policy_documents
from tests.exoskeleton.answering_functions import Output, answers_part


@answers_part("policy_documents")
def cite_policies(read: Sequence[str], task_type: str, rules: str = "") -> Output:
    """Tell which of the documents that were read an answer of this type cites.

    An answer about a discount cites `/docs/security.md` and `/docs/checkout.md` if they were read.
    """
    return {"documents": policy_documents(read, task_type, rules)}
