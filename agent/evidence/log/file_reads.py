"""Adds the calls that read files to the evidence of a trial.

An answer may then cite a file for the text that was read in it. A call for `/fees.md` may reach the
file `/docs/fees.md`, so the text is added there:

    read("/fees.md")   -> {"path": "/docs/fees.md", "content": "Late return: 7 EUR"}
    is added           at /docs/fees.md: SeenText("Late return: 7 EUR")
    is returned        ["/fees.md"], for a note to the model: cite it as /docs/fees.md
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.reached_paths import learn_reached_file
from controlplane.agent.evidence.log.read_texts import texts_of_read
from controlplane.agent.evidence.log.script_runs import ScriptRuns
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.returned_call import ReturnedCall


@dataclass(frozen=True, slots=True)
class FileReads:
    """Adds the calls of one trial that read files."""

    known_paths: KnownPaths
    """Learns which paths lead to the same file."""
    texts: PathTexts
    """Gets the texts, each at the path of its file."""
    scripts: ScriptRuns
    """The scripts of the trial, with what they printed."""

    def add(self, call: ReturnedCall) -> list[str]:
        """Add a read. Return the paths that the model has used for the file.

        This is the path by which the call has asked, or no path if the call shows no text.
        """
        text_field = call.declared.json_field  # `content`
        shown = call.shown_text(text_field)
        if call.is_of_initial_prompt:
            # The initial prompt shows the text, as if a script had printed it. An answer may
            # state what was printed.
            self.scripts.add_printed(shown.text)

        seen_texts = texts_of_read(call, shown)
        if not seen_texts:
            return []
        path = learn_reached_file(self.known_paths, call)
        for seen in seen_texts:
            self.texts.add_file_text(path, seen)
        return [call.requested_path]
