"""What a run is sure to need starts early, and the run takes it over; anything else waits until the run is opened."""

from __future__ import annotations

import pytest

from agent.submission import JUDGING_MODULE, judging_modules
from benchmarks.ecom import EARLY_MODULES
from controlplane.commands.running.early_server import early_server
from controlplane.configuration.run_settings import RunSettings
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from sandbox import Aide


def test_a_run_takes_over_what_was_started_for_it() -> None:
    settings = RunSettings()
    with early_server(settings) as server:
        process = server._aides[True]._process
        assert process is not None
        with RunResources(RunSpec(settings), server=server) as resources:
            assert resources.sandbox_server() is server
            with RunResources(RunSpec(settings)) as alike:
                assert server.aide_modules == alike.sandbox_server().aide_modules
            with Aide(server) as aide:
                function = f"{JUDGING_MODULE}:judge_submission"
                assert aide.call(function, [1, []], [], {"paths_by_spelling": {}}, [], [], texts=[]) is None
            assert server._aides[True]._process is process
        assert process.poll() is not None


def test_what_is_imported_early_is_what_the_aides_of_a_run_need() -> None:
    with RunResources(RunSpec(RunSettings())) as resources:
        modules = resources.sandbox_server().aide_modules
    assert {JUDGING_MODULE, *EARLY_MODULES} <= set(modules)
    assert JUDGING_MODULE in judging_modules(())


@pytest.mark.parametrize(
    "settings",
    [
        *({"model": each} for each in ("m", "baseline")),
        *({"benchmark": each} for each in ("folder:x", "bitgn", "benchmarks.ecom")),
        {"workers": "threads"},
        {"walls": "none of them"},
    ],
)
def test_nothing_starts_early_where_it_is_not_certain_what_is_needed(settings: dict[str, str]) -> None:
    assert early_server(RunSettings(**settings)) is None


def test_the_walls_that_are_asked_for_are_those_that_stand() -> None:
    with early_server(RunSettings(walls="language,process")) as server:
        assert server._aides[False]._process is not None
        assert server._aides[True]._process is None
