"""A client that asks for the served benchmark gets its tasks, each with a preview.

A preview is an example of the task's instruction, made with the seed with which the server plays.
The server offers tasks to agents over HTTP, in the protocol of the platform BitGN.
"""

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.benchmarks.bitgn.raw_client import raw_client_of
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark


def test_previews_of_the_tasks_are_made_with_the_seed_of_the_server() -> None:
    with raw_client_of(ShelfBenchmark(trials=2), ServerOptions(seed=7)) as client:
        reply = client.harness("GetBenchmark", benchmarkId="shelf")

    preview, hint = "Which title? (seed 7)", "look in /books"
    assert reply["tasks"] == [
        {"taskId": "t00", "preview": preview, "hint": hint},
        {"taskId": "t01", "preview": preview, "hint": hint},
    ]
