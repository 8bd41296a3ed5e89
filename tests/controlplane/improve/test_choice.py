"""Which candidate wins, what a proposal may not carry, and what an edited file may be."""

from pathlib import Path

import pytest

from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.improve.evaluation import CandidateStore, Instance, Played, edited_files, id_of
from controlplane.improve.loop import result_text, spending_of, split_tasks
from controlplane.improve.proposers import InstanceData, parsed_reply


def played(score: float, tokens: int, seed: int = 1) -> Played:
    return Played(Instance(seed, "a.1"), score, tokens, 0.5, 3, Path("x.jsonl"), "t")


def test_a_result_tells_means_tasks_interval_and_tokens() -> None:
    from controlplane.comparison.run_comparison import Interval

    before, after = [played(0.0, 100), played(1.0, 100)], [played(1.0, 88), played(1.0, 88)]
    text = result_text(before, after, Interval(0.5, 0.01, 0.93))
    assert text == "0.50 → 1.00 on 2 unseen tasks (+0.50, 95 % 0.01 to 0.93), tokens -12 %"


@pytest.mark.parametrize(
    ("objectives", "spending"), [(("score", "tokens"), 88.0), (("score", "cost"), 0.5), (("score", "turns"), 3.0)]
)
def test_a_tie_is_broken_by_the_first_objective_beside_the_score(objectives: tuple[str, ...], spending: float) -> None:
    assert spending_of(played(1.0, 88), objectives) == spending


def test_values_of_records_are_found_in_a_proposal_and_words_of_documents_are_not() -> None:
    data = InstanceData()
    data.learn_result(
        {"content": '{"id": "basket-0123", "owner": {"name": "Ada Lovelace"}, "cents": 12995, "open": true}'}
    )
    data.learn_result({"content": "# Refunds\n\nUp to 30 days, by Desk Staff."})
    data.learn_result({"stdout": "sku,price\nVH-POT-12,19.50\n"})
    before = {"hints.txt": "Look at VH-POT-12."}
    after = {"hints.txt": "Look at VH-POT-12. Ada Lovelace owns `basket-0123`: 12995. Up to 30 days, by Desk Staff."}
    assert data.found_in(before, after) == ["basket-0123", "12995", "Ada Lovelace"]


@pytest.mark.parametrize(
    ("text", "names", "files"),
    [
        ("=== a.md ===\nnew\n=== b.md ===\n```\nb\n```\n", ["a.md", "b.md"], {"a.md": "new\n", "b.md": "b\n"}),
        ("only text", ["a.md"], {"a.md": "only text\n"}),
        ("=== c.md ===\nx", ["a.md", "b.md"], {}),
        ("  ", ["a.md"], {}),
    ],
)
def test_the_files_of_a_reply(text: str, names: list[str], files: dict[str, str]) -> None:
    assert parsed_reply(text, names) == files


def test_a_candidate_is_read_only_named_by_its_texts_and_takes_the_place_of_named_files(tmp_path: Path) -> None:
    script = tmp_path / "replies.toml"
    script.write_text("old", encoding="utf-8")
    settings = RunSettings(model=f"scripted:{script}")
    edited = edited_files([str(script)], settings)
    store, texts = CandidateStore(tmp_path / "candidates", tmp_path), {"replies.toml": "new"}
    (tmp_path / "candidates").mkdir()
    own = store.settings_of(texts, settings, edited.files)
    place = tmp_path / "candidates" / id_of(texts) / "replies.toml"
    assert own.model == f"scripted:{place}"
    assert (place.read_text(encoding="utf-8"), place.stat().st_mode & 0o777) == ("new", 0o444)
    assert script.read_text(encoding="utf-8") == "old"


def test_tasks_are_split_by_shares_that_leave_none_empty() -> None:
    tasks = [f"t{number}" for number in range(8)]
    parts = split_tasks(tasks, [50, 25, 25], seed=1)
    assert ([len(part) for part in parts], sorted(task for part in parts for task in part)) == ([4, 2, 2], tasks)
    for shares in ([50, 25, 20], [99, 1, 0]):
        with pytest.raises(UsageError, match="cannot be split"):
            split_tasks(tasks, shares, seed=1)
