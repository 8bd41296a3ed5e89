"""Trials that the product's client has started on a server, and their environments there.

An environment is a `Shelf`: a few books as files, and programs. It counts what a trial changes:
`shelf_of(benchmark, server, trial.trial_id).effects` is `{"write /a.txt": 1}` after one write.
"""

from controlplane import RunRequest, Trial
from tests.benchmarks.bitgn.shelf import Shelf
from tests.benchmarks.bitgn.shelf_benchmark import Connection, ShelfBenchmark
from tests.support.relay.faulty_server import FaultyServer


def started_trial(connection: Connection) -> Trial:
    """Start a run and return its first trial."""
    run = connection.remote.start_run(RunRequest("a run"))
    return connection.remote.start_trial(run.trials[0].trial_id)


def shelf_of(benchmark: ShelfBenchmark, server: FaultyServer, trial_id: str) -> Shelf:
    """Return the environment of a trial on the server's side, which counts the changes.

    The server gives its clients other ids of trials than the benchmark does.
    """
    return benchmark.shelves[server.own_id(trial_id)]
