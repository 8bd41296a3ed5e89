"""What a journal says whatever the clock, the order of its trials and the name that the benchmark gave the run."""

import json
import re
from pathlib import Path
from typing import Any

TIMES = re.compile(r'("(?:[a-z]+_)?ms":)[0-9.]+')


def timeless(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of the one journal below `folder` by trial, and those of its texts and of the run itself."""
    (path,) = (folder / "runs").glob("*.jsonl")
    text = path.read_text().replace(path.stem, "JOURNAL")
    if named := re.search(r'"run_id":"[^"]*-([0-9a-f]{8})"', text):
        text = text.replace(named[1], "RUN")
    lines: dict[str, list[dict[str, Any]]] = {}
    for line in TIMES.sub(r"\g<1>0", text).splitlines():
        fields = {name: value for name, value in json.loads(line).items() if name not in ("prev", "hash", "mark")}
        if fields["type"] == "run_opened":
            fields["settings"] = [setting for setting in fields["settings"] if setting["name"] != "workers"]
        lines.setdefault(fields.get("trial_id", "texts" if fields["type"] == "text" else ""), []).append(fields)
    lines["texts"].sort(key=lambda fields: str(fields["key"]))
    return lines
