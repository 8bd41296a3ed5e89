"""A run of six trials, whose model has 1,100 tokens and costs $0.002 a reply.

    play_six_trials(endpoint, "--run-cost", "0.007")

A trial takes two replies, so that it has 2,200 tokens and costs $0.004.
"""

from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    PhonebookEndpoint,
)
from tests.support.command import CommandResult


def play_six_trials(endpoint: PhonebookEndpoint, *options: str) -> CommandResult:
    """Play each of the three tasks twice. The model costs $1 and $10 per million tokens."""
    prices = '{"input": 1, "output": 10}'  # 1000 x $1 + 100 x $10 per million: $0.002
    return endpoint.command(
        *PHONEBOOK_RUN, "--repeats", "2", "--prices", prices, "--json", *options
    )
