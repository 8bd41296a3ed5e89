"""Rules by which a relay answers some calls in place of the platform behind it.

    reply_to("Read", reply=PAGE, last_call=2)                # the first two reads of a run
    reply_to("EndTrial", reply=UNAVAILABLE, first_call=3)    # all ends of trials but the first two

A relay is a server between a user's command and the platform. It asks a rule about each call, and
passes on a call for which the rule has no reply.
"""

from tests.support.relay.relayed_calls import (
    RelayedCall,
    Rule,
    protocol_refusal,
)

NO_LIMIT = 10**9


def reply_to(
    *methods: str, reply: bytes, first_call: int = 1, last_call: int = NO_LIMIT
) -> Rule:
    """Return the rule to answer calls of these methods with `reply`, and to pass on all others.

    The calls of each method are counted from 1. With `last_call=2`, calls 1 and 2 of each method
    are answered, and with `first_call=3` all further ones.
    """

    def rule(call: RelayedCall) -> bytes | None:
        if call.method in methods and first_call <= call.number <= last_call:
            return reply
        return None

    return rule


UNAVAILABLE = protocol_refusal(503, "unavailable")
"""A reply after which a run makes the same call again, after pauses that grow."""
