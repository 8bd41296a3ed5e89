"""What a trial has seen of its workspace: paths, and the texts at them.

An answer may only state what the trial has read. A script could cheat: it writes `fee: 7` to
a file and reads it back, or sends `ZmVlOiA3`, which is the same in base64, to a tool that decodes
it. So the workspace also remembers which words are a script's own. Its parts feed each other:

    a call returns a text ─▶ texts ──▶ accessed          the texts by path, which may be cited
                               ▲          │
                               │          ▼
                           own_words ◀─ ResultWords      the words of all returned texts
                                          ▼
                                     encoded_results     is a result only what a script sent?
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.agent.evidence.texts.encoded_results import EncodedResults
from controlplane.agent.evidence.texts.own_words import OwnWords
from controlplane.agent.evidence.texts.result_words import ResultWords
from controlplane.sandbox.interface import Effect, ToolSchema


class SeenWorkspace:
    """The paths and texts that the calls of one trial have seen.

    Calls add what they see by `texts` and `known_paths`. The other attributes say what follows
    from it: by which path a file is cited, and which texts are a script's own.
    """

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        seen_texts = SeenTexts(most_text_bytes)  # Keeps each text once.
        self.known_paths = KnownPaths()
        """Which files exist, which of them the trial wrote, and which paths are aliases."""
        self.accessed = AccessedPaths(seen_texts)
        """What calls did at each path."""
        self.cited_paths = CitedPaths(self.accessed, self.known_paths)
        """The path by which each file is cited."""

        # This list grows with each call. `ResultWords` reads what is new in it.
        result_words = ResultWords(seen_texts.texts)
        self.own_words = OwnWords(result_words)
        """The words that scripts used before any result had them."""
        self.encoded_results = EncodedResults(result_words)
        """Recognises results that may be a script's own text: `fee: 7` after `ZmVlOiA3`."""
        for text in _declarations_of_tools(tool_schema):
            # Scripts were given these words, so a call that has them hides no text of its own.
            self.encoded_results.add_known_text(text)
        self.texts = PathTexts(self.accessed, self.known_paths, self.own_words)
        """Adds the texts that calls see to `accessed`, and says what each of them proves."""

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


def _declarations_of_tools(tool_schema: ToolSchema) -> list[str]:
    """Return the words that declare each tool: its name, summary and parameter names.

    A tool is an operation that is not about a file: it `RETURNS` a text, or `ACTS`.
    Example: `wiki.search Search all pages query limit`.
    """
    texts: list[str] = []
    for operation in tool_schema.operations:
        if operation.effect in (Effect.RETURNS, Effect.ACTS):
            names = [parameter.name for parameter in operation.parameters]
            texts.append(" ".join([operation.name, operation.summary, *names]))
    return texts
