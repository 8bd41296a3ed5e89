"""Writes a configuration into a folder, and trusts it as `controlplane trust` does."""

from pathlib import Path

from controlplane.configuration.setting_sources import trust


def write_config(path: Path, text: str, **options: str) -> None:
    """Write the configuration `text` to `path` and trust it."""
    path.write_text(text, **options)
    trust(path, path.read_bytes())
