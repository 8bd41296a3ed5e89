"""Whose words the texts of a trial have: a script's own, or those that it was given.

A script could make up `fee is 7`, pass it to a tool that stores the note, and cite a later result
that returns the note. So a word is the script's *own* if the script used it first:

    words.given.add_text("When is the loan L-4 due?")    the task: its words are given
    words.own.add(["fee is 7"])                          a script stores this: `7` is an own word
    a later result is "fee is 7"                         `7` stays an own word: it is no proof
    a result is "21 days", then a script stores "21"     `21` is not an own word: a result had it
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.texts.own.given_words import GivenWords
from controlplane.agent.evidence.texts.own.own_words import OwnWords
from controlplane.agent.evidence.texts.own.result_words import ResultWords
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import ToolSchema


class TrialWords:
    """The words of one trial."""

    def __init__(self, tool_schema: ToolSchema, seen_texts: Sequence[SeenText]) -> None:
        """`seen_texts` is the list of the trial's seen texts. The owner of the list adds to it."""
        result_words = ResultWords(seen_texts)
        self.given = GivenWords(tool_schema, result_words)
        """The words of the task, the declarations and the results. A script has not made them up."""
        self.own = OwnWords(result_words)
        """The words that only scripts have used. They prove nothing in any text."""
