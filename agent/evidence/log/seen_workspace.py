"""What a trial has seen of its workspace: paths, and the texts at them.

An answer may only state what the trial has read. A script could cheat: it writes `fee: 7` to a
file, and reads it back. So each path that the trial wrote is its *own*, and a text that is read
there proves nothing:

    call                           an answer may cite the path as   the text is proof
    read("/docs/fees.md")          read                             yes
    write("/note.md", "fee: 7")    written                          no: the path is own now
    read("/note.md")               written                          no
    delete("/old.md")              deleted                          there is none
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from controlplane.agent.evidence.texts.own_words import OwnWords
from controlplane.agent.evidence.texts.result_words import ResultWords
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.sandbox.interface import Effect


class SeenWorkspace:
    """The paths and texts that the calls of one trial have seen.

    Texts are added by `texts`, which keeps them in `accessed`, each at its path. `result_words`
    has the words of these texts. By them, `own_words` knows which words only scripts have used:
    if a later text has such a word, it may only repeat it.
    """

    def __init__(self, most_text_bytes: int) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        # The paths
        self.known_paths = KnownPaths()
        """Which files exist, which of them are the trial's own, and which paths are aliases."""
        seen_texts = SeenTexts(most_text_bytes)  # Keeps each text once.
        self.accessed = AccessedPaths(seen_texts)
        """What calls did at each path, and which texts they saw there."""
        self.cited_paths = CitedPaths(self.accessed, self.known_paths)
        """The path by which each file is cited."""

        # The texts and their words
        self.result_words = ResultWords(seen_texts.texts)
        """The words of all texts that were seen so far."""
        self.own_words = OwnWords(self.result_words)
        """The words that scripts used before any result had them."""
        self.texts = PathTexts(self.accessed, self.known_paths, self.own_words)
        """Adds the texts that calls see, and says what each of them proves."""

    def learn_reached_tool(self, call: ReturnedCall) -> str:
        """Return the path of the tool that a call ran, as listings spell it.

        A call for `/BIN/jq`, which may have the path `/bin/jq` in its result, ran `/bin/jq`.
        """
        reached_path = self.known_paths.aliases.learn_result_path(
            call.requested_path, call.result.get("path")
        )
        return self.known_paths.spelling_of(reached_path)

    def learn_reached_path(self, call: ReturnedCall) -> str:
        """Return the path of the file that a call has reached, and remember what it shows.

        A call for `/Loans.md` may have the path `/docs/Loans.md` in its result: this is the one
        that was reached, and the other is an alias of it. Without a path in the result, it is
        the requested one. If the trial wrote the requested file, the reached one is its own.
        """
        requested_path = call.requested_path
        path = self.known_paths.aliases.learn_result_path(
            requested_path, call.result.get("path")
        )
        if self.known_paths.is_own(requested_path):
            self.known_paths.own.add(path)
        return path

    def learn_deleted(self, path: str) -> None:
        """Learn that a call deleted the file at a path, or moved it away.

        An answer may cite the path: for texts that were read there before, or to say that the
        file is gone. If there is a text later, a script has written it.
        """
        if not self._is_invented_row(path):
            self.accessed.add_action(path, "delete")
        self.known_paths.own.add(path)

    def _is_invented_row(self, path: str) -> bool:
        """Return True for a path such as `/a.csv#row=7` if only the trial has used it.

        Citations name a row of a table like this. A script could write a file with the name
        and delete it. If an answer could then cite the path, it would cite row 7 of `/a.csv`,
        which no call has read.
        """
        return self.texts.looks_like_row(path) and self.known_paths.is_own(path)

    def learn_moved(self, path: str, target: str) -> None:
        """Learn that a call moved a file or folder to `target`, a name that the script chose.

        An answer may cite the target as written. Its text is not known, since no call has
        returned it.
        """
        self.texts.add_own_text(target, "")
        self.known_paths.learn_written(target)
        # In a moved folder, the trial's own files stay its own.
        self.known_paths.own.add_moved(path, target)

    def learn_possible_change(self, call: ReturnedCall, target: str | None) -> None:
        """Learn that a call failed, but may have changed something: it timed out.

        A file that it may have written is the trial's own from now on. `target` is the new
        path if the call is a move.
        """
        self.known_paths.forget_missing_files()  # Files may have appeared anywhere.
        path = call.requested_path
        if call.declared.effect in (Effect.WRITES, Effect.DELETES, Effect.MOVES):
            self.known_paths.own.add(path)
        if target is not None:
            self.known_paths.own.add_moved(path, target)
