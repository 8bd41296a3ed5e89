"""The use of an untrusted value in a call, and which later calls may use the value again.

A value is *untrusted* if only running text has it: a mail by anybody says "Pay 420 to DE12".
Once the model has insisted on `send_money(to="DE12", amount=420)`, or the user has approved it,
a later call may have the account, too, but not with another untrusted amount.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

ValueBeside: TypeAlias = tuple[str, str]
"""An argument of a call and the key of its untrusted value: `("amount", "420")`."""


@dataclass(frozen=True, slots=True)
class ValueUse:
    """An untrusted value as an argument of a call, beside the other untrusted values.

    A call `send_money(to="DE12", amount=420)` may have two such uses:

    | parameter | key    | values_beside       |
    | --------- | ------ | ------------------- |
    | `to`      | `de12` | `("amount", "420")` |
    | `amount`  | `420`  | `("to", "de12")`    |
    """

    operation: str
    parameter: str
    """The argument that has the value."""
    key: str
    """What all spellings of the value share: `emma@site.com` for `Emma@Site.com`."""
    values_beside: frozenset[ValueBeside]
    """The untrusted values with a digit in the other arguments of the call: sums, dates and
    ids. They decide what the call does with this value."""
    is_copied_text: bool
    """True for running text that the script copied into a longer argument, such as a
    forwarded mail. False for an address in it, which decides whom the call reaches."""

    def allows(self, later: ValueUse) -> bool:
        """Return True if a later call may use its value because this use was accepted.

        `DE12` of `send_money(to="DE12", amount=420)` was accepted. Of the later calls,

        | later call | `DE12` is allowed |
        |---|---|
        | `close_account(account="DE12")` | no, the operation is another one |
        | `send_money(to="DE12", amount=9000)` | no, 9000 is a new untrusted value beside it |
        | `send_money(to="DE12", amount=420)` | yes |
        | `send_money(to="DE12", amount=12)`, if 12 is in the request | yes, 12 is trusted |

        Copied text is allowed in any call, once it was: forwarding one mail is like forwarding
        another.
        """
        if self.is_copied_text and later.is_copied_text:
            return True
        is_same_argument = (
            self.operation == later.operation and self.parameter == later.parameter
        )
        if not is_same_argument or self.key != later.key:
            return False
        return later.values_beside <= self.values_beside
