"""Tasks are served under plain names, with the benchmark's own ids in the hints, and no others are listed."""

from __future__ import annotations

import pytest

from benchmarks.bitgn.server.served_tasks import ServedTasks
from benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane import BenchmarkError, Description, TaskHead, TaskSelection
from tests.benchmarks.bitgn.server.served_methods import platform

PLAIN = Description("shelf", "", (TaskHead("t00", "Which title?", "books"), TaskHead("t01")))


def test_plain_ids_are_kept() -> None:
    assert ServedTasks(PLAIN, TaskSelection()).heads == PLAIN.tasks


def test_other_ids_are_numbered_in_the_order_served_and_named_in_the_hints() -> None:
    tasks = ServedTasks(EcomBenchmark().describe(), TaskSelection(("calendar-date", "sku-lookup.2", "sku-lookup.77")))
    assert [each.task_id for each in tasks.heads] == ["t001", "t002", "t003"]
    assert [each.hint.partition(": ")[0] for each in tasks.heads] == [
        "calendar-date.1",
        "sku-lookup.2",
        "sku-lookup.77",
    ]
    assert [tasks.wire_id(each) for each in ("calendar-date.1", "sku-lookup.77", "another")] == [
        "t001",
        "t003",
        "another",
    ]


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(BenchmarkError, match="did you mean 'calendar-date'"):
        ServedTasks(EcomBenchmark().describe(), TaskSelection(("calender-date",)))


def test_a_served_run_has_the_tasks_listed_and_no_others() -> None:
    selection = TaskSelection(("calendar-date", "open-branches"), repeats=2)
    with platform(EcomBenchmark(), selection=selection, seed=3) as calls:
        listed = calls("GetBenchmark", benchmarkId="bitgn/any")["tasks"]
        assert [each["taskId"] for each in listed] == ["t001", "t002"]
        assert [each["hint"].partition(": ")[0] for each in listed] == ["calendar-date.1", "open-branches.1"]
        run = calls("StartRun", benchmarkId="bitgn/any", name="a run", apiKey="")
        started = [calls("StartTrial", trialId=each) for each in run["trialIds"]]
        assert [each["taskId"] for each in started] == ["t001", "t002"] * 2
        assert started[0]["instruction"] == listed[0]["preview"]
        heads = calls("GetRun", runId=run["runId"])["trials"]
        assert [each["taskId"] for each in heads] == ["t001", "t002"] * 2


def test_directories_and_names_are_told_as_the_platform_tells_them() -> None:
    with platform(EcomBenchmark(), selection=TaskSelection(("calendar-date",))) as calls:
        runtime = calls.start(calls("StartRun", benchmarkId="ecom", name="a run", apiKey="")["trialIds"][0])

        def called(method: str, **fields: object) -> dict:
            return calls.http.post(runtime + method, json=fields).json()

        assert called("List", path="//DOCS/")["path"] == "/docs"
        assert called("List", path="/proc/")["path"] == "/proc"
        assert called("Tree", root="/docs", level=1)["root"]["name"] == "docs"
        assert called("Tree", root="/", level=1)["root"]["name"] == "/"
        everything = called("Find", root="/docs", name="", limit=1_000)["paths"]
        assert everything == called("Find", root="/docs", name="*", limit=1_000)["paths"]
        assert len(everything) > 15
