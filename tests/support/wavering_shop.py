"""The embedded shop with a player that blunders in some trials: runs whose scores differ, for reports and comparisons.

`--set salt=TEXT` chooses the trials, `--set share=0.4` how many of them. Replies tell tokens and cost, as an endpoint's
would; they follow from the messages alone.
"""

import hashlib
import json
from collections.abc import Mapping

from agent.model import Model, ModelRequest, Reply
from agent.model.model_protocol import Usage
from benchmarks.ecom.ecom_benchmark import EcomBenchmark
from benchmarks.ecom.ecom_benchmark import open_benchmark as open_shop
from controlplane import BenchmarkContext, BenchmarkOption, OpenedBenchmark

OPTIONS = (BenchmarkOption("salt", "which trials go wrong"), BenchmarkOption("share", "how many of them"))
BLUNDERS = (
    ("\nOUTCOME = 'OUTCOME_OK'", "\nOUTCOME = 'OUTCOME_NONE_UNSUPPORTED'"),
    ("\nMESSAGE = '", "\nMESSAGE = 'I think: "),
    ("    scratchpad.cite(path, reason)", "    break"),
    ("        harness.read(path)\n    scratchpad.cite(path", "        pass\n    scratchpad.cite('/docs/nowhere.md'"),
)


class Waverer(Model):
    """The shop's own player, whose last turn goes wrong in some trials, and whose second try is mostly right."""

    name = "wavering"

    def __init__(self, player: Model, salt: str, share: float) -> None:
        self._player, self._salt, self._share = player, salt, share

    def reply_to(self, request: ModelRequest) -> Reply:
        messages = request.messages
        told = [len(message["content"]) // 4 for message in messages]
        action = json.loads(self._player.reply_to(request).text)
        draw = hashlib.sha256(f"{self._salt} {messages[1]['content']}".encode()).digest()
        tries = sum("verify" in message["content"] for message in messages if message["role"] == "assistant")
        if draw[0] < self._share * 256 and tries <= draw[1] % 6:
            right, wrong = BLUNDERS[draw[2] % len(BLUNDERS)]
            action["code"] = f"\n{action['code']}".replace(right, wrong)
        text = json.dumps(action)
        usage = Usage(prompt_tokens=sum(told), cached_tokens=sum(told[:-2]), completion_tokens=len(text) // 4)
        cost = (usage.prompt_tokens - 0.9 * usage.cached_tokens + 5 * usage.completion_tokens) * 2e-6
        return Reply(text=text, usage=usage, cost_usd=round(cost, 6))


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> OpenedBenchmark:
    opened = open_shop(argument, {}, context)
    assert isinstance(opened.benchmark, EcomBenchmark)
    shop = opened.benchmark
    player = Waverer(EcomBenchmark().player(), settings.get("salt", ""), float(settings.get("share", "0.4")))
    shop.player = lambda: player
    return opened
