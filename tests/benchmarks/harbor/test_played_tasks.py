"""Tasks in containers get the rewards that Harbor gives them, and an agent cannot forge one.

Services of a task meet in a network of the trial. A missing image costs only its own task, the line
of a trial says what its verifier says last, and a list says which tasks are played. Each test plays
a folder of small tasks by their own solutions, which stand for what an agent does.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.base_image import BASE_IMAGE
from tests.benchmarks.harbor.container_runs import run_tasks, write_task
from tests.support.command import run_controlplane

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]

HELLO = "echo hello >/app/hello.txt\n"
"""The solution of most tasks."""
IS_HELLO = (
    'if [ "$(cat /app/hello.txt)" = hello ]; then echo 1; else echo 0; fi '
    ">/logs/verifier/reward.txt\n"
)
"""The verifier of most tasks."""
APP = "WORKDIR /app\nRUN chmod 777 /app\n"


def write_solved_task(
    folder: Path,
    *,
    solution: str = HELLO,
    verifier: str = IS_HELLO,
    toml: str = "",
    dockerfile: str = APP,
    files: dict[str, str] | None = None,
) -> None:
    """Write a task with its solution, and with further files by their paths."""
    task = write_task(folder, toml=toml, verifier=verifier, dockerfile=dockerfile)
    (task / "solution").mkdir()
    (task / "solution/solve.sh").write_text(solution)
    for name, text in (files or {}).items():
        path = task / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def scores_of(tasks: Path, cwd: Path, model: str = "solution") -> dict[str, object]:
    """Play the tasks of a folder, and return their scores by their ids."""
    run = run_tasks(tasks, model, cwd, "--concurrency", "2")
    assert run.out, run.err
    trials = run.json["trials"]
    left_open = [trial["reason"] for trial in trials if trial["state"] == "open"]
    assert not left_open, run.err
    return {trial["task_id"]: trial["score"] for trial in trials}


LEAVES_NOTHING = "#!/bin/bash\nexit 0\n"
FORGING_PROGRAM = "#!/bin/bash\\necho 1 >/logs/verifier/reward.txt\\n"
FORGED_REWARDS = {
    "json": ("echo '{\"reward\": 1}' >/logs/verifier/reward.json", IS_HELLO),
    "text": ("echo 1 >/logs/verifier/reward.txt", LEAVES_NOTHING),
    "report": (
        "echo '{}' >/logs/verifier/ctrf.json",
        "if [ -e /logs/verifier/ctrf.json ]; then echo 1; else echo 0; fi "
        ">/logs/verifier/reward.txt",
    ),
    "folders": ("mkdir -p /logs/verifier/reward.json/x /tests/test.sh", IS_HELLO),
    "test": (
        f"mkdir -p /tests; printf '{FORGING_PROGRAM}' >/tests/test.sh; chmod 755 /tests/test.sh",
        IS_HELLO,
    ),
    "helper": (
        "mkdir -p /tests/lib; echo 'exit 0' >/tests/lib/helper.sh; chmod 0 /tests/lib/helper.sh; "
        "echo 1 >/logs/verifier/reward.txt",
        ". /tests/lib/helper.sh",
    ),
    "link": (
        f"mkdir -p /tests /x; printf '{FORGING_PROGRAM}' >/x/t; ln -s /x/t /tests/test.sh; "
        "ln -s /x /tests/lib",
        ". /tests/lib/helper.sh",
    ),
    "logs-link": (
        "rm -rf /logs/verifier; mkdir /v; ln -s /v /logs/verifier; echo 1 >/v/reward.txt",
        LEAVES_NOTHING,
    ),
    "process": (
        "(while :; do echo 1 >/logs/verifier/reward.txt; sleep 0.02; done) >/dev/null 2>&1 &",
        IS_HELLO,
    ),
    "waiter": (
        "(while [ ! -e /logs/verifier/reward.txt ]; do sleep 0.02; done; "
        "while :; do echo 1 >/logs/verifier/reward.txt; sleep 0.02; done) >/dev/null 2>&1 &",
        IS_HELLO + "sleep 1",
    ),
    "remover": (
        "echo 1 >/logs/verifier/reward.txt; printf '#!/bin/sh\\n' >/rm; chmod 755 /rm; "
        "mv -f /rm /bin/rm",
        LEAVES_NOTHING,
    ),
    "failing-shell": (
        "printf '#!/bin/bash\\n[ -e /logs/verifier/test-stdout.txt ] && exit 1\\n"
        'exec bash "$@"\\n\' >/s; chmod 755 /s; mv -f /s /bin/sh; '
        "(while [ ! -e /logs/verifier/reward.txt ]; do sleep 0.02; done; "
        "while :; do echo 1 >/logs/verifier/reward.txt; sleep 0.02; done) >/dev/null 2>&1 &",
        IS_HELLO + "sleep 1",
    ),
    "printer": (
        "for name in cat head tail; do printf '#!/bin/sh\\necho 1\\n' >/bin/$name; done",
        "echo 0 >/logs/verifier/reward.txt",
    ),
}
"""What an agent does for a reward without its work, and the verifier of the task."""


def test_an_agent_forges_no_reward(tmp_path: Path) -> None:
    for name, (solution, verifier) in FORGED_REWARDS.items():
        helper = {"tests/lib/helper.sh": "echo 0 >/logs/verifier/reward.txt\n"}
        write_solved_task(
            tmp_path / "tasks" / name,
            solution=solution,
            verifier=verifier,
            files=helper,
        )

    scores = scores_of(tmp_path / "tasks", tmp_path)

    assert {name: bool(score) for name, score in scores.items()} == dict.fromkeys(
        FORGED_REWARDS, False
    )


def test_tasks_of_the_form_get_their_rewards(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks"
    write_solved_task(
        tasks / "both-rewards",
        verifier="echo 0 >/logs/verifier/reward.txt\n"
        'echo \'{"reward": 1, "lines": 12}\' >/logs/verifier/reward.json\n',
    )
    write_solved_task(
        tasks / "entry-point",
        dockerfile=APP
        + "RUN printf '#!/bin/sh\\nsleep 1; echo x >/app/seed; exec \"$@\"\\n' >/e && chmod +x /e\n"
        + 'ENTRYPOINT ["/e"]\n',
        solution="cat /app/seed && " + HELLO,
    )
    write_solved_task(
        tasks / "entry-point-that-ends", dockerfile=APP + 'ENTRYPOINT ["/bin/bash"]\n'
    )
    write_solved_task(
        tasks / "interpreter",
        solution="#!/usr/bin/python3\nopen('/app/hello.txt', 'w').write('hello')\n",
        verifier="#!/usr/bin/python3\nwith open('/app/hello.txt') as file:\n"
        "    print(int(file.read() == 'hello'), file=open('/logs/verifier/reward.txt', 'w'))\n",
    )
    write_solved_task(
        tasks / "kept-files",
        dockerfile=APP + "RUN mkdir -p /tests/data && echo 7 >/tests/data/x\n",
        solution=HELLO + "echo 8 >/logs/verifier/note\n",
        verifier='[ "$(cat /tests/data/x /logs/verifier/note | tr -d "\\n")" = 78 ] && '
        + IS_HELLO,
        files={"tests/data/y": "9"},
    )
    write_solved_task(
        tasks / "users",
        toml='[agent]\nuser = "user"\n[verifier]\nuser = 1000\n',
        solution='[ "$(id -u)" = 1000 ] && ' + HELLO,
        verifier='#!/bin/bash\n[ "$(id -u)" = 1000 ] && ' + IS_HELLO,
    )
    write_solved_task(tasks / "group/below", toml="[agent]\ntimeout_sec = 60\n")
    (tasks / "interpreter/solution/solve.sh").chmod(0o644)

    scores = scores_of(tasks, tmp_path)

    assert scores == dict.fromkeys(
        (
            "both-rewards",
            "entry-point",
            "entry-point-that-ends",
            "below",
            "interpreter",
            "kept-files",
            "users",
        ),
        1.0,
    )


def test_a_reward_counts_in_a_container_that_its_tests_have_ended(
    tmp_path: Path,
) -> None:
    """The first process of the container ends by this signal, and all others with it."""
    ending = IS_HELLO + "kill -TERM 1; sleep 60\n"
    write_solved_task(tmp_path / "tasks/ending", verifier=ending)

    assert scores_of(tmp_path / "tasks", tmp_path) == {"ending": 1.0}


FIRST_FORM_TESTS = """
echo "short test summary info"
if [ "$(cat hello.txt)" = "$(cat "$TEST_DIR/word")" ]; then echo PASSED a; else echo FAILED a; fi
"""


def test_a_task_of_the_first_form_gets_its_reward(tmp_path: Path) -> None:
    task = tmp_path / "tasks/old"
    (task / "tests").mkdir(parents=True)
    (task / "task.yaml").write_text("instruction: Do it.\n")
    (task / "Dockerfile").write_text(f"FROM {BASE_IMAGE}\n{APP}")
    (task / "run-tests.sh").write_text(FIRST_FORM_TESTS)
    (task / "tests/word").write_text("hello")
    (task / "solution.sh").write_text(HELLO)

    assert scores_of(tmp_path / "tasks", tmp_path) == {"old": 1.0}
    assert scores_of(tmp_path / "tasks", tmp_path, "nothing") == {"old": 0.0}


SIDECAR = f"""
services:
  main:
    volumes: ["data:/shared"]
    depends_on: {{store: {{condition: service_healthy}}}}
  store:
    image: {BASE_IMAGE}
    volumes: ["data:/shared"]
    working_dir: /srv/not/in/the/image
    command: ["sh", "-c", "cd /shared; echo yes >answer; exec httpd -f -p 8000 -h /shared"]
    healthcheck: {{test: ["CMD", "test", "-e", "/shared/answer"], interval: 1s}}
volumes: {{data: }}
"""
ASKS_SIDECAR = '[ "$(wget -qO- http://store:8000/answer)" = yes ] && [ "$(cat /shared/answer)" = yes ] && '
COLLECTED = """
artifacts = [{source = "/state/dump", service = "store"}, "/app/run"]
[verifier]
environment_mode = "separate"
[[verifier.collect]]
command = "cp /state/live /state/dump"
service = "store"
"""
COLLECTS_FROM_SIDECAR = f"""
services:
  store:
    image: {BASE_IMAGE}
    command: ["sh", "-c", "mkdir -p /state; echo alive >/state/live; exec sleep 100000"]
"""


def test_services_meet_in_a_network_of_the_trial_and_a_verifier_may_be_separate(
    tmp_path: Path,
) -> None:
    """The separate verifier has what was collected, and neither the agent's files nor its reward."""
    tasks = tmp_path / "tasks"
    write_solved_task(
        tasks / "sidecar",
        verifier="#!/bin/bash\n" + ASKS_SIDECAR + IS_HELLO,
        files={"environment/docker-compose.yaml": SIDECAR},
    )
    write_solved_task(
        tasks / "collected",
        toml=COLLECTED,
        solution="printf '#!/bin/sh\\necho hello\\n' >/app/run; chmod 755 /app/run; touch /app/own; "
        "echo 1 >/logs/verifier/reward.txt",
        verifier='#!/bin/bash\n[ "$(cat /state/dump)" = alive ] && [ "$(/app/run)" = hello ] && '
        "[ ! -e /app/own ] && [ ! -e /logs/verifier/reward.txt ] && "
        "echo 1 >/logs/verifier/reward.txt\n",
        files={"environment/docker-compose.yaml": COLLECTS_FROM_SIDECAR},
    )
    write_solved_task(
        tasks / "bundled-tests",
        toml="[verifier.environment]\nmemory_mb = 512\n",
        solution="echo hello >/logs/artifacts/hello.txt",
        verifier='#!/bin/bash\n[ "$WHERE" = verifier ] && [ -e /logs/artifacts/hello.txt ] && '
        "echo 1 >/logs/verifier/reward.txt\n",
        files={
            "tests/Dockerfile": f"FROM {BASE_IMAGE}\nENV WHERE=verifier\n"
            "COPY test.sh /tests/test.sh\n"
        },
    )

    assert scores_of(tasks, tmp_path) == {
        "bundled-tests": 1.0,
        "collected": 1.0,
        "sidecar": 1.0,
    }


def test_a_missing_image_is_told_before_a_trial_and_costs_only_its_own_task(
    tmp_path: Path,
) -> None:
    tasks = tmp_path / "tasks"
    write_solved_task(tasks / "good")
    write_solved_task(tasks / "named", toml='[environment]\ndocker_image = "none:1"\n')
    write_solved_task(tasks / "built")
    (tasks / "built/environment/Dockerfile").write_text("FROM none:2\n")

    scores = scores_of(tasks, tmp_path)

    assert scores == {"good": 1.0}
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    text = journal.read_text()
    assert "not played, named: not on this machine: none:1 (--set pull=true" in text
    assert "not played, built: not on this machine: none:2 (--set pull=true" in text


def test_the_line_of_a_trial_says_first_what_its_verifier_says_last(
    tmp_path: Path,
) -> None:
    """Tests print their faults, and then the result. A table has room for two lines."""
    verifier = (
        "for n in 1 2 3 4 5; do echo a long line about a fault, one of several, number $n of 5; done\n"
        "echo 5 failed, 2 passed\necho 0 >/logs/verifier/reward.txt\n"
    )
    task = write_task(tmp_path / "task", verifier=verifier)

    run_tasks(task, "nothing", tmp_path)
    shown = run_controlplane("show", "last", cwd=tmp_path, COLUMNS="80").out

    (line,) = [line for line in shown.splitlines() if "5 failed, 2 passed" in line]
    assert line.startswith("  5 failed, 2 passed; ")


def test_a_list_of_a_set_says_which_tasks_are_played(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks"
    write_solved_task(tasks / "listed")
    write_solved_task(tasks / "other")
    (tasks / "dataset.toml").write_text(
        '[[tasks]]\nname = "org/listed"\n[[tasks]]\nname = "org/gone"\n'
    )

    scores = scores_of(tasks, tmp_path)

    assert scores == {"listed": 1.0}
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    text = journal.read_text()
    assert "not played, other: dataset.toml does not list it" in text
    assert "not played, gone: dataset.toml lists it, and no folder has it" in text
