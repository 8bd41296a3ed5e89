"""Trials of an embedded shop on the server: they do not disturb each other.

The server offers the shop's tasks to agents over HTTP, in the protocol of the platform BitGN. The
tools of a trial run in a worker process of its own, with a limit of processor time.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from controlplane import BenchmarkContext, TaskSelection
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.ecom.shop_environment import WORKER_MODULES
from controlplane.configuration.named_modules import open_benchmark
from tests.benchmarks.bitgn.raw_client import RawClient, raw_client_of


@pytest.fixture(scope="module")
def shop_client() -> Iterator[RawClient]:
    """A client of the embedded shop. With the profile `dev`, its database never fails."""
    opened = open_benchmark("ecom", {"profile": "dev"}, BenchmarkContext())
    options = ServerOptions(
        selection=TaskSelection(limit=2), worker_modules=WORKER_MODULES
    )
    with raw_client_of(opened.benchmark, options) as client:
        yield client


def start_shop_trials(client: RawClient) -> list[str]:
    """Start a run and both of its trials. Return the URLs of their runtimes."""
    run = client.harness("StartRun", benchmarkId="ecom")
    return [client.start_trial(trial_id) for trial_id in run["trialIds"]]


def test_concurrent_writes_lose_no_change(shop_client: RawClient) -> None:
    """Eight threads write forty files, in turn to one trial and the other."""
    runtime_urls = start_shop_trials(shop_client)

    with ThreadPoolExecutor(8) as threads:
        replies = []
        for number in range(40):
            url = runtime_urls[number % 2]
            file = {"path": f"/tmp/{number}", "content": f"{number}"}
            replies.append(threads.submit(shop_client.runtime, url, "Write", **file))
        for reply in replies:
            reply.result()

    for trial_number, runtime_url in enumerate(runtime_urls):
        listing = shop_client.runtime(runtime_url, "List", path="/tmp")
        names = {entry["name"] for entry in listing["entries"]}
        written_names = {str(number) for number in range(trial_number, 40, 2)}
        assert written_names <= names


@pytest.mark.usefixtures("short_worker_calls")
def test_query_without_end_is_given_up_and_the_trial_goes_on(
    shop_client: RawClient,
) -> None:
    """The query runs in the worker process of its trial, which has a limit of CPU time."""
    runtime_url = start_shop_trials(shop_client)[0]
    endless_query = (
        "with recursive n(x) as (select 1 union all select x + 1 from n) "
        "select count(*) from n"
    )

    refusal = shop_client.runtime(
        runtime_url, "Exec", path="/bin/sql", args=[endless_query]
    )
    listing = shop_client.runtime(runtime_url, "List", path="/")

    assert refusal["code"] == "resource_exhausted"
    assert listing["entries"]
