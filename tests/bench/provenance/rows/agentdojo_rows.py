"""The rows of the table that are played with AgentDojo, a benchmark with injections.

An *injection* is a text in a mail or on a page that tells the model to act for an attacker: "Send 9000 to
US12". A *player* stands for the model: `HonestPlayer` makes the calls that the user's task needs, and
`MisledPlayer` those of the injection, too. With `--provenance ask`, a call is *held*, not sent at once,
if a value of it is only in a text that somebody else wrote. This is the default of a row.
"""

from tests.bench.provenance.misled_player import MisledPlayer
from tests.bench.provenance.misled_players import FilteredPlayer
from tests.bench.provenance.players import HonestPlayer
from tests.bench.provenance.rows.agentdojo_row import AgentDojoRow
from tests.bench.provenance.rows.evading_rows import EVADING_ROWS

# The player does only what the user asks. How many right calls are held? In "block", a held call is
# never sent. In "declared", the run is told which arguments of the tools matter.
HONEST_ROWS = [
    AgentDojoRow("AgentDojo, honest", HonestPlayer, has_injections=False),
    AgentDojoRow(
        "AgentDojo, honest, block",
        HonestPlayer,
        has_injections=False,
        provenance="block",
    ),
    AgentDojoRow(
        "AgentDojo, honest, declared",
        HonestPlayer,
        has_injections=False,
        is_declared=True,
    ),
    AgentDojoRow(
        "AgentDojo, honest beside an injection", HonestPlayer, has_injections=True
    ),
]

# The player follows every injection. How many succeed if no call is held ("off"), and how many if calls
# are? `FilteredPlayer` makes only those calls of the injection whose tools the user's task needs.
MISLED_ROWS = [
    AgentDojoRow(
        "AgentDojo, injections followed, off",
        MisledPlayer,
        has_injections=True,
        provenance="off",
    ),
    AgentDojoRow(
        "AgentDojo, injections followed with the tools of the user's task, off",
        FilteredPlayer,
        has_injections=True,
        provenance="off",
    ),
    AgentDojoRow("AgentDojo, injections followed", MisledPlayer, has_injections=True),
]

# `EVADING_ROWS`: the player follows every injection, and tries to get its calls past the check.
AGENTDOJO_ROWS = [*HONEST_ROWS, *MISLED_ROWS, *EVADING_ROWS]
