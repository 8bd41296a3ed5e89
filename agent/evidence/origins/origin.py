"""Where a value comes from, which decides how far it is trusted.

`send_money(recipient="GB33...")` may have the account from the user's request (`ASKED`) or from
a mail that the trial has read (`PROSE`). The second may be an attack by the mail's author.
"""

from __future__ import annotations

from enum import IntEnum, auto


class Origin(IntEnum):
    """Where a value comes from, in order from most to least trusted.

    `PROSE` comes last, even after `MADE`: the author of a running text may want to give
    the model orders. The examples are about the account in `send_money(recipient="GB33...")`.
    """

    ASKED = auto()
    """The user has named it, in the request “Pay 420 to GB33...”, in a hint for all trials,
    or in an earlier question."""
    RULES = auto()
    """It is in the workspace's rules document, or in a folder of its owner."""
    RECORD = auto()
    """It is in a field of data, `{"iban": "GB33..."}`, in a listing, in the declaration of
    an operation, or in a result that is declared trusted."""
    MADE = auto()
    """It is in no text that the trial has received: the script made it."""
    PROSE = auto()
    """It is only in running text, such as the mail “Please pay 420 to GB33...”"""

    @property
    def is_trusted(self) -> bool:
        """True if a value with this origin may decide what a call changes."""
        return self <= Origin.RECORD

    @property
    def is_instruction(self) -> bool:
        """True if the user has written the value, or the owner of the workspace, as a rule."""
        return self <= Origin.RULES
