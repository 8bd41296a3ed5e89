"""The page of benchmarks shows `shopkeeper.py`, a benchmark of tools, which is played here.

Its two tasks are to refund the orders o1 and o2, by the tools `get_order` and `refund`. The model
refunds the order o1 in both tasks, so that the second one is not done.
"""

from pathlib import Path

from tests.documentation.pages import BENCHMARKS_PAGE, code_after
from tests.support.command import run_controlplane

REFUNDING_REPLY = """
[[reply]]
code = '''
order = harness.get_order("o1")
for amount in (order.paid + 1, order.paid):
    try:
        print(harness.refund(order.id, amount).value)
    except HarnessError as error:
        print(error)
scratchpad["answer"], scratchpad["outcome"] = "", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")
'''
"""
"""A model's reply. Its script tries to refund too much for the order o1, and then what was paid.
`harness` has the tools of the benchmark, `scratchpad` the answer."""


def test_the_benchmark_of_tools_is_played(tmp_path: Path) -> None:
    module = code_after("<!-- module: shopkeeper.py", BENCHMARKS_PAGE)
    (tmp_path / "shopkeeper.py").write_text(module, "utf-8")
    (tmp_path / "replies.toml").write_text(REFUNDING_REPLY, "utf-8")

    result = run_controlplane(
        "run",
        "--benchmark",
        "shopkeeper",
        "--model",
        "scripted:replies.toml",
        "--json",
        cwd=tmp_path,
    )

    refunded, not_refunded = result.json["trials"]
    assert refunded["score"] == 1.0, result.err
    assert refunded["details"] == []
    assert refunded["answer"] == ""
    assert not_refunded["score"] == 0.0
    assert not_refunded["details"] == ["order o2 has 35.5 left"]
    assert not_refunded["answer"] == ""
