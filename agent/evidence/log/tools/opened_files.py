"""The files that a run of a tool opened. An answer may cite them for what the tool has printed.

This is only for tools whose output has nothing but text of these files:

| command line | the output is |
|---|---|
| `cat /a.md` | the text of `/a.md` |
| `jq .fee /a.json` | excerpts of `/a.json`, line by line, because the tool prints only parts |
| `lookup /list.csv late` | excerpts, which do not prove the word `late`: `late: not found` |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.evidence.texts.words import has_words
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """The files that a run of a tool opened. `files_of_command` finds them in a command line."""

    paths: Sequence[str]
    """Absolute paths."""
    other_names: Sequence[str]
    """Files without an absolute path, such as `mail/7.md`. It need not be `/mail/7.md`, so an
    answer may not cite that path for the output."""
    are_printed_whole: bool
    """False if the tool prints parts of the files, as `jq .name` does."""
    searched_words: str
    """The words that the tool looks up in the files, one in each line. It may print one
    that is not in any file (`late: not found`), so the output does not prove them."""

    @property
    def are_several(self) -> bool:
        """True if nobody can tell from which file a line of the output is."""
        return len(self.paths) + len(self.other_names) > 1

    def seen_texts(self, output: str) -> list[SeenText]:
        """Return the tool's output as texts of the files.

        It is one text if the tool prints whole files. If it prints only parts of them, each line
        with a word is an excerpt: `late: 21`, `---`, `fee: 7` -> excerpts `late: 21`, `fee: 7`.
        """
        if self.are_printed_whole:
            return [SeenText(output, unproven_words=self.searched_words)]
        excerpts: list[SeenText] = []
        for line in output.splitlines():
            if has_words(line):
                # `lines=()`: it is not known on which line of the file the excerpt stands.
                excerpts.append(
                    SeenText(line, TextKind.EXCERPT, self.searched_words, lines=())
                )
        return excerpts
