"""Which candidate wins, what a proposal may not carry, and what an edited file may be."""

from pathlib import Path

import pytest

from controlplane.commands.improve import split_tasks
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.improve.evaluation import Evaluation, Played, edited_files, id_of
from controlplane.improve.loop import result_text
from controlplane.improve.loop_record import LoopOpened, LoopRecord
from controlplane.improve.proposers import InstanceData, text_in
from controlplane.journal.run_summary import Spent, TrialSummary


def played(score: float, tokens: int) -> Played:
    spent = Spent(tokens=tokens, known_usd=0.5)
    return Played(TrialSummary("t", "a.1", score=score, state="answered", steps_done=3, spent=spent), Path("x.jsonl"))


def test_a_result_tells_means_tasks_interval_and_tokens() -> None:
    from controlplane.comparison.run_comparison import Interval

    before, after = [played(0.0, 100), played(1.0, 100)], [played(1.0, 88), played(1.0, 88)]
    text = result_text(before, after, Interval(0.5, 0.01, 0.93))
    assert text == "0.50 → 1.00 on 2 unseen tasks (+0.50, 95 % 0.01 to 0.93), tokens -12 %"


@pytest.mark.parametrize(("objective", "spending"), [("tokens", 88.0), ("cost", 0.5), ("turns", 3.0)])
def test_a_tie_is_broken_by_what_a_trial_takes(objective: str, spending: float) -> None:
    assert played(1.0, 88).spending(objective) == spending


def test_values_of_records_are_found_in_a_proposal_and_words_of_documents_are_not() -> None:
    data = InstanceData()
    data.learn_record(
        '{"id": "basket-0123", "owner": {"name": "Ada Lovelace"}, "cents": 12995, "open": true}', "/a.json"
    )
    data.learn_record("# Refunds\n\nUp to 30 days, by Desk Staff.", "/docs/refunds.md")
    data.learn_record("sku,price\nVH-POT-12,19.50\n", ".csv")
    before = {"hints.txt": "Look at VH-POT-12."}
    after = {"hints.txt": "Look at VH-POT-12. Ada Lovelace owns `basket-0123`: 12995. Up to 30 days, by Desk Staff."}
    assert data.added_by(before, after) == ["basket-0123", "12995", "Ada Lovelace"]


@pytest.mark.parametrize("reply", ["new\nline", "\n```md\nnew\nline\n```\n", "new\nline\n\n"])
def test_the_text_of_a_reply(reply: str) -> None:
    assert text_in(reply) == "new\nline\n"


def test_a_candidate_is_read_only_named_by_its_texts_and_takes_the_place_of_named_files(tmp_path: Path) -> None:
    script = tmp_path / "replies.toml"
    script.write_text("old", encoding="utf-8")
    settings = RunSettings(model=f"scripted:{script}")
    origins, texts = edited_files([str(script)], settings)
    record, worlds = LoopRecord(tmp_path / "loop"), ((1, "a"),)
    plan = LoopOpened(
        loop="loop",
        settings={},
        sources={},
        origins=origins,
        texts=texts,
        proposer="big",
        train=worlds,
        check=worlds,
        final=worlds,
        thrift="",
        proposals=1,
        batch=1,
        seed=0,
    )
    with record.writing():
        record.append(plan)
    changed = {"replies.toml": "new"}
    own = Evaluation(LoopRecord(tmp_path / "loop"), settings).settings_of(changed)
    place = tmp_path / "loop" / "candidates" / id_of(changed) / "replies.toml"
    assert own.model == f"scripted:{place}"
    assert (place.read_text(encoding="utf-8"), place.stat().st_mode & 0o777) == ("new", 0o444)
    assert script.read_text(encoding="utf-8") == "old"


def test_tasks_are_split_by_shares_that_leave_none_empty() -> None:
    tasks = [f"t{number}" for number in range(8)]
    parts = split_tasks(tasks, "50/25/25", seed=1)
    assert ([len(part) for part in parts], sorted(task for part in parts for task in part)) == ([4, 2, 2], tasks)
    for shares in ("50/25/20", "99/1/0", "50/50", "a/b/c"):
        with pytest.raises(UsageError, match="cannot be split"):
            split_tasks(tasks, shares, seed=1)
