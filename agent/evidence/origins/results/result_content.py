"""What the result of a call says: its texts, and the values that it has shown to exist.

`get_account(owner="Bob")` -> `{"name": "Bob", "iban": "GB33...", "truncated": false}` says `name`,
`Bob`, `iban` and `GB33...`, and shows that there is an owner Bob. The field `truncated` is only
about the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class ResultContent:
    """The texts of a result, and how far they are trusted.

    For the example above, `texts` has the four fields of data:

        ResultContent("call 3 of get_account", texts, found_values=["Bob"])

    A later call that has one of these values has it from data, which is trusted.
    """

    place: str
    """Where the texts come from, as messages show it: `/mail/7.md`, `call 3 of search`."""
    texts: Sequence[ResultText]
    origin: Origin | None = None
    """The origin of all texts. With None, the form of each text decides: a field of data is a
    record, and any other text is running text (prose)."""
    found_values: Sequence[Plain] = ()
    """Values that the call has shown to exist: the path of a file, the id of a record."""
    confirms_arguments: bool = False
    """True if a value of the call's own arguments is trusted once the texts repeat it, as in the
    user's reply: “Yes, pay GB33...” Usually it is not: the result of `search("GB33...")` may be
    `nothing found for GB33...`."""
    is_from_any_file: bool = False
    """True if a program printed lines of several files. Any line may be from any of them, so the
    texts have all lines once for each file."""
