"""A reply of the model that asks for an action, and how this action was carried out.

Most replies have a script to run. Here the first one runs; the second cannot be used:

    {"plan": ["look"], "code": "print(4)"}  -> code "print(4)", output "4", ending "finished"
    an empty reply                          -> error "The reply was empty. ...", fault "empty"

For a solver that calls tools instead, the fields about scripts stay empty.
"""

from __future__ import annotations

from typing import Annotated

from controlplane.agent.events.record import IN_REPLY_LINE, Record, Text


class CarriedOutReply(Record):
    """The fields of a step that say what the model replied, and what came of it."""

    # The journal's line of the reply has the text already, so that of the step leaves it out.
    reply: Annotated[Text, IN_REPLY_LINE] = ""
    """The model's raw reply."""
    state: Text = ""
    """The model's own account of its progress."""
    plan: tuple[Text, ...] = ()
    """The next steps that the model intends."""
    done: bool = False
    """True if the model says that it is done. It is not taken at its word."""
    code: Text = ""
    """The script; empty if the reply had none, or if the solver works without scripts."""
    output: Text = ""
    """The script's output."""
    error: Text = ""
    """What went wrong, as the model is told: the script's exception, or why the reply
    could not be used."""
    fault: str = ""
    """For a reply that could not be used, the kind of its fault: `cut_off`, `filtered`,
    `refused`, `empty`, `only_thoughts`, `wrong_tool`, `no_object`, `garbled`, `wrong_shape`
    or `no_call`; else empty."""
    ending: str = ""
    """How the script ended: `finished`, `raised`, `syntax`, `refused`, `limit` or `killed`;
    empty if none ran."""
