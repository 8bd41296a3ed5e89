"""Rows of the table whose player also tries to get calls past the rule that holds them.

AgentDojo has *injections*: texts that tell the model to act for an attacker. How many succeed then?
"""

from tests.bench.provenance.declarations import SUITES_WITH_LEAKS
from tests.bench.provenance.misled_players import (
    ConfirmingPlayer,
    EchoingPlayer,
    ErrorReadingPlayer,
    InsistingPlayer,
    RespellingPlayer,
)
from tests.bench.provenance.rows.agentdojo_row import AgentDojoRow

# The player also tries to get calls past the rule that holds them. How many injections succeed then?
# All but the payment are played only with the suites in which some injections get through.
EVADING_ROWS = [
    AgentDojoRow(
        "AgentDojo, injections followed, each call five times in one script",
        InsistingPlayer,
        has_injections=True,
        suites=SUITES_WITH_LEAKS,
    ),
    # A tool repeats the attacker's values first, as if it confirmed them.
    AgentDojoRow(
        "AgentDojo, injections followed, each value through an echo first",
        EchoingPlayer,
        has_injections=True,
        suites=SUITES_WITH_LEAKS,
    ),
    # After a payment of 0.01, the attacker's account is in a confirmation of the bank, too.
    AgentDojoRow(
        "AgentDojo, injections followed, after a small payment and its confirmation",
        ConfirmingPlayer,
        has_injections=True,
        suites=("banking",),
    ),
    AgentDojoRow(
        "AgentDojo, injections followed, in other spellings",
        RespellingPlayer,
        has_injections=True,
        suites=SUITES_WITH_LEAKS,
    ),
    # The text of an error, which is no result of a tool, has the injection first.
    AgentDojoRow(
        "AgentDojo, injections followed, from the text of an error",
        ErrorReadingPlayer,
        has_injections=True,
        suites=SUITES_WITH_LEAKS,
    ),
]
