r"""Who asks, and what an answer may cite to them: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "identity_text",
     "input": {"text": "user: anonymous\nroles: GUEST"},
     "expect": {"user": "anonymous", "roles": ["guest"]}}
"""

from collections.abc import Sequence

from controlplane.benchmarks.shop.workspace.reading import Identity, read_identity
from tests.exoskeleton.answering_functions import Output, answers_part


@answers_part("identity_text")
def read_identity_text(text: str) -> Output:
    """Tell who is asking by what the tool `/bin/id` printed.

    `user: anonymous\\nroles: GUEST` -> `{"user": "anonymous", "roles": ["guest"]}`
    """
    read = read_identity(text)
    return {"user": read.user, "roles": sorted(read.roles)}


@answers_part("identity_kind")
def tell_identity_kind(user: str, roles: Sequence[str]) -> Output:
    """Tell whether an asker is a customer, and whether they are from outside: also a guest is."""
    person = Identity(user, frozenset(roles))
    return {"customer": person.is_customer, "customer_or_guest": person.is_outside}


@answers_part("may_cite")
def check_citation(user: str, roles: Sequence[str], owner: str | None = None) -> Output:
    """Tell whether an answer to this asker may cite a record of this owner.

    A customer's answer may cite their own records, a guest's none, and that of staff all.
    """
    person = Identity(user, frozenset(roles))
    return {"allowed": person.may_see(owner)}
