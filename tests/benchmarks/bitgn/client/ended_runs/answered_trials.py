"""Answers to trials of the remote platform (BitGN), which ask for the title of a book.

The platform is a server that offers tasks to agents. `answer_trial(connection, trial, "Emma")`
starts the trial, and gives the right answer.
"""

from controlplane import PlannedTrial
from tests.benchmarks.bitgn.protocol_clients import Connection


def answer_trial(connection: Connection, trial: PlannedTrial, message: str) -> None:
    """Start a trial and answer its question, which asks for a title. "Emma" is right."""
    environment = connection.remote.start_trial(trial.trial_id).environment
    environment.answer(message, "OUTCOME_OK", ["/books/emma.json"])
