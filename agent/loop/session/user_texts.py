"""Tells the recorder of a trial which texts are the user's own. Calls may rely on them."""

from __future__ import annotations

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.submission import GateSettings


def tell_user_texts(
    recorder: Recorder, instruction: str, settings: GateSettings
) -> None:
    """Tell the recorder the user's texts: the instruction, and those in the settings."""
    recorder.evidence_log.encoded_results.add_known_text(instruction)
    recorder.call_origins.policy = settings.provenance
    for text in (instruction, *settings.asked):
        recorder.call_origins.add_request(text)
