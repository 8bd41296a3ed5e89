"""A run whose benchmark asks a model to play the user is refused if no such model is named.

the benchmark asks a model (user): name one with --role user=PROFILE
"""

from pathlib import Path

from controlplane.errors import UsageError
from tests.support.command import run_in_process

TALK_WITH_PLAYER = """
from pathlib import Path

from controlplane.agent.model import ScriptedModel
from talk import Talk


class TalkWithPlayer(Talk):
    def player(self):
        return ScriptedModel.from_file(Path("replies.toml"))


def open_benchmark(argument, settings, context):
    return TalkWithPlayer(argument, settings, context)
"""
"""The benchmark brings the agent, as its player, but no model that plays the user."""


def test_a_run_without_a_model_for_the_user_is_refused(folder: Path) -> None:
    (folder / "talk_with_player.py").write_text(TALK_WITH_PLAYER)
    refused = run_in_process("run", "--benchmark", "talk_with_player", cwd=folder)

    assert refused.code == UsageError.exit_code
    message = "the benchmark asks a model (user): name one with --role user=PROFILE"
    assert message in refused.err
