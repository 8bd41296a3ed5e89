"""How long `ask` takes beside its model, on 20 files or on 10,000 of 500 MB: `python -m tests.bench.ask_speed [large]`.

The model is a server in this process that answers at once. Of the large folder (the disk cache is warm) it tells the
seconds from the command to the first request, those of a literal search of a script, and the memory of all processes.
"""

from __future__ import annotations

import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.command import command, environment
from tests.support.endpoints import completion, model_server, response

WORDS = [f"{first}{second}" for first in ("lan", "mor", "ter", "vis", "qu") for second in ("do", "ra", "ne", "til")]
ANSWER = """
found = harness.search("needle-4711").matches[0]
scratchpad.cite(found.path, "the line that holds it", found.text)
scratchpad["answer"], scratchpad["outcome"] = found.text, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "blue" in sp["answer"])
"""
REPEATS = 5


def fill(folder: Path, files: int, size: int) -> None:
    """Write text files of that size, with one line to find."""
    draw = random.Random(1)
    lines = [" ".join(draw.choices(WORDS, k=12)) for _ in range(2_000)]
    for number in range(files):
        place = folder / f"part-{number % 100:02}"
        place.mkdir(exist_ok=True)
        text = "\n".join(draw.choices(lines, k=max(1, size // 70)))
        (place / f"note-{number:05}.md").write_text(text[:size] + "\n")
    (folder / "part-00/note-00000.md").write_text("The needle-4711 is blue.\n")


def memory_kb(root: int) -> int:
    """Return the proportional memory of a process and all below it."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True).stdout.split()[2:]
    pairs = list(zip(map(int, listed[::2]), map(int, listed[1::2]), strict=True))
    below, count = {root}, 0
    while len(below) > count:
        count = len(below)
        below |= {pid for pid, parent in pairs if parent in below}
    total = 0
    for pid in below:
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += sum(int(row.split()[1]) for row in rollup.splitlines() if row.startswith("Pss:"))
    return total


def asked(folder: Path, *, watch: bool = False) -> tuple[float, float, int, float]:
    """Ask once; return the seconds in all, those until the first request, the peak memory, and those of the search."""
    requested: list[float] = []

    def reply(given: object, connection: object) -> bytes:
        requested.append(time.monotonic())
        return response(200, completion(json.dumps({"state": "", "plan": [], "done": False, "code": ANSWER})))

    words = ("ask", "What colour is the needle-4711?", folder, "--model", "m", "--json")
    with model_server(reply) as server, tempfile.TemporaryDirectory() as work:
        variables = environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="none")
        began, peak = time.monotonic(), 0
        process = subprocess.Popen(command(words), cwd=work, env=variables, stdout=subprocess.PIPE, text=True)
        while watch and process.poll() is None:
            peak = max(peak, memory_kb(process.pid))
            time.sleep(0.05)
        out, _ = process.communicate()
        took = time.monotonic() - began
        answered = json.loads(out)
        assert "blue" in answered["answer"], answered
        events = [json.loads(line) for line in Path(work, answered["journal"]).read_text().splitlines()]
    done = next(event for event in events if event["type"] == "call_done" and event["step"] == 1)
    assert done["operation"] == "search"
    return took, requested[0] - began, peak, done["elapsed_ms"] / 1000


def cpu_s() -> float:
    """Return the CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def imported() -> float:
    """Return the seconds that `import openai` takes in a process of its own."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import openai"], check=True, env=environment())
    return time.monotonic() - began


def main(chosen: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        if "large" not in chosen:
            small = Path(name, "small")
            small.mkdir()
            fill(small, 20, 4_000)
            asked(small)
            rows = []
            for _ in range(REPEATS):
                first = cpu_s()
                openai, middle = imported(), cpu_s()
                rows.append((openai, asked(small)[0], middle - first, cpu_s() - middle))
            openai, took, openai_cpu, took_cpu = (statistics.median(values) for values in zip(*rows, strict=True))
            print(f"20 files: {took:.2f} s in all, import openai {openai:.2f} s, beyond it {took - openai:.2f} s (0.5)")
            print(f"of CPU: {took_cpu:.2f} s, {openai_cpu:.2f} s, {took_cpu - openai_cpu:.2f} s")
        if "large" in chosen:
            large = Path(name, "large")
            large.mkdir()
            fill(large, 10_000, 50_000)
            asked(large)  # warms the disk cache
            _, first, _, search = (statistics.median(v) for v in zip(*(asked(large) for _ in range(3)), strict=True))
            peak = asked(large, watch=True)[2]
            print(f"10,000 files: first request {first:.2f} s (3), search {search:.2f} s (2)")
            print(f"peak memory {peak / 1024:.0f} MiB (300)")


if __name__ == "__main__":
    main(sys.argv[1:])
