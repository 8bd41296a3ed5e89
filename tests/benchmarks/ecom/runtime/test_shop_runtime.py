"""The shop computes in an aide as it does in this process, knows nothing of the truth there, and outlives its death."""

import json
from collections.abc import Iterator
from dataclasses import replace
from unittest import mock

import pytest

from benchmarks.ecom.runtime.shop_environment import AIDE_MODULES, EcomEnvironment
from benchmarks.ecom.world.generator import WorldSettings, generate
from sandbox import ALL_WALLS, Aide, ForkServer, Wall
from sandbox.interface import CallError
from sandbox.interface.host import AideLimits
from tests.benchmarks.ecom.reference_solutions import pose_variant, variant_ids

OWN = WorldSettings(names="own")
ENDLESS = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer(AIDE_MODULES) as running:
        yield running


def sql(shop: EcomEnvironment, query: str) -> str:
    result = shop.call("exec", {"path": "/bin/sql", "args": [query]})
    return f"{result['stdout']}{result['stderr']}"


@pytest.mark.parametrize("walls", [ALL_WALLS, ALL_WALLS - {Wall.KERNEL}])
def test_an_aide_gives_what_this_process_gives(server: ForkServer, walls: frozenset[Wall]) -> None:
    workspace = generate("both", OWN).workspace()
    here, there = EcomEnvironment(workspace), EcomEnvironment(workspace)
    store = next(path for path in workspace.files if path.startswith(workspace.roots.stores))
    with Aide(server, walls=walls) as aide:
        there.use_aide(aide)
        for operation, arguments in [
            ("tree", {"level": 0}),
            ("read", {"path": store.upper()}),
            ("write", {"path": store, "content": "{}"}),
            ("delete", {"path": "/AGENTS.MD"}),
            ("find", {"name": "*.json", "limit": 0}),
            ("search", {"pattern": "Veer"}),
            ("exec", {"path": "/bin/cat", "args": [store]}),
            ("exec", {"path": "/bin/id"}),
            ("exec", {"path": "/bin/date"}),
            ("exec", {"path": "/bin/sql", "args": ["select * from stores"]}),
        ]:
            assert here.call(operation, arguments) == there.call(operation, arguments), operation
    assert here.changes == there.changes == {store: "{}", "/AGENTS.MD": None}


def test_a_world_is_as_before_after_a_query_that_never_ended(server: ForkServer) -> None:
    shop = EcomEnvironment(replace(generate("overrun", OWN).workspace(), sql_is_up=True))
    shop.call("write", {"path": "/tmp/before", "content": "in this process"})
    with Aide(server, limits=AideLimits(call_cpu_s=0.5)) as aide:
        shop.use_aide(aide)
        shop.call("write", {"path": "/tmp/new", "content": "x"})
        shop.call("delete", {"path": "/tmp/new"})
        shop.call("delete", {"path": "/AGENTS.MD"})
        before = shop.call("tree", {"level": 0}), sql(shop, "select count(*) from products")
        with pytest.raises(CallError, match=r"more than 0.5 s of CPU") as overrun:
            sql(shop, ENDLESS)
        assert overrun.value.code == "resource_exhausted"
        assert (shop.call("tree", {"level": 0}), sql(shop, "select count(*) from products")) == before
        assert shop.call("read", {"path": "/tmp/before"})["content"] == "in this process"


def test_the_clock_of_queries_is_the_worlds_and_their_random_numbers_repeat(server: ForkServer) -> None:
    workspace = replace(generate("clock", OWN).workspace(), sql_is_up=True)
    shop = EcomEnvironment(workspace)
    with Aide(server) as aide:
        shop.use_aide(aide)
        assert sql(shop, "select current_timestamp as t").strip() == f"t\n{workspace.clock:%Y-%m-%d %H:%M:%S}"
        query = "select sku, random() from products order by random() limit 5"
        assert sql(shop, query) == sql(shop, query) == sql(EcomEnvironment(workspace), query)


@pytest.mark.parametrize("variant_id", variant_ids()[:4])
def test_nothing_of_the_truth_is_sent(variant_id: str) -> None:
    posed = pose_variant(variant_id, f"0|{variant_id}|0")
    shop = EcomEnvironment(posed.world.workspace())
    sent: list[str] = []

    def watched(function: str, *arguments: object, serve: object = None) -> object:
        sent.append(json.dumps([function, *arguments]))
        return [{"stdout": ""}, []]

    aide = mock.Mock(call=watched, when_started=lambda begin: begin())
    shop.use_aide(aide)
    shop.call("exec", {"path": "/bin/cat", "args": ["/AGENTS.MD"]})
    assert len(sent) == 2
    truth = posed.truth
    told = [posed.instruction, variant_id, variant_id.split("#")[0], "OUTCOME_", "Truth", "grade"]
    told += [
        record for record in (*truth.records.values(), *truth.documents.values(), *truth.changes.values()) if record
    ]
    for one in told:
        assert json.dumps(one)[1:-1] not in "".join(sent), one
