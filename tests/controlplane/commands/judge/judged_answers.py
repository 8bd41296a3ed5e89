"""What `judge` says of each recorded answer: the effect of other gates on it.

    effects_and_scores(judged)    ->    [("stopped", 0.0)]

Gates, numbered from 1 to 8, are checks of a submitted answer, which may send it back to the model.
"""

from tests.support.command import CommandResult


def effects_and_scores(judged: CommandResult) -> list[tuple[str, float | None]]:
    """Return the effect of the other gates on each answer of a journal: `[("stopped", 0.0)]`.

    "stopped"          it was accepted, and the other gates reject it
    "let through"      it was rejected, and the other gates accept it
    "other verdicts"   it is rejected again, but not by the same gates
    "as before"        the same gates accept or reject it

    The score is that of the trial which ended with the answer, and None if it was rejected.
    """
    effects = []
    for submission in judged.json["submissions"]:
        effects.append((submission["effect"], submission["score"]))
    return effects
