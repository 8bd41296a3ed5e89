"""The audit lets blind players play many trials, such as one that always answers "no".

They do not look at the shop. If one earns too much, the tasks are too easy to guess.
"""

import pytest

from controlplane.benchmarks.ecom import audit
from controlplane.benchmarks.ecom.audit import BLIND_PLAYERS, BlindPlayer, say_no


@pytest.fixture(autouse=True)
def quick_rule_based_player(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the audit a fixed score for the rule-based player, whose runs take long."""
    monkeypatch.setattr(audit, "rule_based_score", lambda *_: 0.5)


def test_the_audit_prints_a_line_for_every_player(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A rule-based player, which reads the shop, is printed for comparison."""
    exit_code = audit.main(["--trials", "8"])

    assert exit_code == 0
    printed = capsys.readouterr().out
    for player in BLIND_PLAYERS:
        assert f"\n{player.name} " in printed
    assert "\nrule-based player, known " in printed


def test_the_audit_fails_if_a_blind_player_earns_too_much(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The limit of -1 is too low for any player: even a score of 0 is more."""
    player = BlindPlayer("no", say_no, highest_score=-1.0)
    monkeypatch.setattr(audit, "BLIND_PLAYERS", (player,))

    exit_code = audit.main(["--trials", "8"])

    assert exit_code == 1
    assert "TOO MUCH" in capsys.readouterr().out
