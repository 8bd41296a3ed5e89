"""The services of a trial, as podman and docker are asked for them, and how many trials run at a time.

A program that takes the place of podman or docker writes down its arguments: nothing is started.
"""

import contextlib
import io
import tarfile
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.compose_file import (
    ComposeBuild,
    ComposeError,
    ComposeProject,
    ComposeService,
    read_compose_file,
)
from controlplane.benchmarks.containers.container import Container, RuntimeProgram
from controlplane.benchmarks.containers.container_images import ContainerImages
from controlplane.benchmarks.containers.container_runtime import (
    TrialServices,
    find_runtime,
    remove_leftovers,
    usual_concurrency,
)
from controlplane.benchmarks.containers.container_settings import (
    ContainerError,
    ContainerSettings,
    missing_host_variables,
    with_host_variables,
)
from controlplane.benchmarks.containers.set_files import SetFiles
from controlplane.benchmarks.harbor.harbor_benchmark import (
    read_tasks,
    unsupported_feature,
)
from tests.benchmarks.harbor.written_task import (
    write_and_read_task,
    write_and_read_task_with_compose_file,
)

COMPOSE = """
services:
  main:
    image: debian:12
    networks: [front]
    ports: ["8080:80"]
    cap_add: [SYS_PTRACE]
    shm_size: 1gb
  store:
    image: redis:7
    networks: {front: {aliases: [cache]}, back: }
    restart: always
    command: ["redis-server"]
    volumes: ["data:/data"]
    deploy: {resources: {limits: {cpus: "0.5", memory: 64M}}}
  hidden:
    image: postgres:16
    networks: [back]
    profiles: [debug]
  base:
    image: postgres:16
    networks: [back]
networks: {front: {internal: true}, back: {driver: bridge}}
volumes: {data: }
"""
FAKE_PROGRAM = """#!/bin/sh
echo "$@" >>"$(dirname "$0")/made"
case "$1 $2" in
"network inspect") echo "10.89.3.0/24 ";;
"image inspect") echo '["/", "", null]';;
esac
"""


def started_words(folder: Path, runtime_name: str) -> list[str]:
    """Start the services of `COMPOSE` by a program of this name, and return what it was asked for."""
    (folder / "compose.yaml").write_text(COMPOSE)
    program = folder / runtime_name
    program.write_text(FAKE_PROGRAM)
    program.chmod(0o755)
    path = f"{folder}:/usr/bin:/bin"
    settings = ContainerSettings.parse({"runtime": runtime_name}, {})
    files = SetFiles.of(folder)
    project = ComposeProject(read_compose_file(folder / "compose.yaml", files))
    runtime = find_runtime(settings, {"PATH": path})
    services = TrialServices(runtime, project, files, "trial", 60)
    services.start({"own": "1"})
    services.remove()
    return (folder / "made").read_text().splitlines()


REMOVED_IMAGE = """#!/bin/sh
cd "$(dirname "$0")"
echo "$@" >>made
case "$1 $2 $3" in
"image inspect --format"*) echo '["/", "", null]';;
"image inspect "*) exit 1;;
"run "*) [ $(grep -c "^run" made) -gt 2 ] || exit 125;;
esac
"""
"""Has lost the image when the first container, which is tried twice, is to start."""


def test_an_image_that_another_process_removes_is_built_again(tmp_path: Path) -> None:
    (tmp_path / "podman").write_text(REMOVED_IMAGE)
    (tmp_path / "podman").chmod(0o755)
    (tmp_path / "build").mkdir()
    (tmp_path / "build/Dockerfile").write_text("FROM scratch\n")
    settings = ContainerSettings.parse({"runtime": "podman"}, {})
    path = f"{tmp_path}:/usr/bin:/bin"
    runtime = find_runtime(settings, {"PATH": path})
    files = SetFiles.of(tmp_path)
    main = ComposeService(build=ComposeBuild(folder=tmp_path / "build"))
    project = ComposeProject({"main": main})

    with pytest.raises(ContainerError, match="could not start a container"):
        TrialServices(runtime, project, files, "first", 60).start({})
    TrialServices(runtime, project, files, "second", 60).start({})
    TrialServices(runtime, project, files, "third", 60).start({})

    made = (tmp_path / "made").read_text().splitlines()
    assert len([line for line in made if line.startswith("build")]) == 2


LACKS_FOLDERS = """#!/bin/sh
echo "$@" >>"$(dirname "$0")/made"
case "$1 $2" in
"image inspect") echo '["/", "", null]';;
"run "*) for word; do
    case $word in
    --workdir=*) folder=${word#*=};;
    --volume=*) exit 0;;
    esac
done
[ -z "$folder" ] || { echo "Error: workdir \\"$folder\\" does not exist on container 1a" >&2; exit 126; };;
esac
"""
"""Starts no container in a working folder that its image lacks, as podman does."""


@pytest.mark.parametrize(
    ("workdir", "volumes"),
    [("/srv/app", ["--volume=/srv/app"]), ("/etc:/srv", []), ("/srv,src=/etc", [])],
)
def test_a_working_folder_that_the_image_lacks_is_made_and_mounts_nothing_of_the_machine(
    tmp_path: Path, workdir: str, volumes: list[str]
) -> None:
    (tmp_path / "podman").write_text(LACKS_FOLDERS)
    (tmp_path / "podman").chmod(0o755)
    settings = ContainerSettings.parse({"runtime": "podman"}, {})
    path = f"{tmp_path}:/usr/bin:/bin"
    runtime = find_runtime(settings, {"PATH": path})
    main = ComposeService(name="main", image="debian:12")
    store = ComposeService(name="store", image="redis:7", workdir=workdir)
    project = ComposeProject({"main": main, "store": store})

    with contextlib.suppress(ContainerError):
        files = SetFiles.of(tmp_path)
        TrialServices(runtime, project, files, "trial", 60).start({})

    words = (tmp_path / "made").read_text().split()
    assert f"--workdir={workdir}" in words
    assert [word for word in words if word.startswith("--volume=")] == volumes


def line_with(lines: list[str], start: str, part: str) -> str:
    (line,) = [line for line in lines if line.startswith(start) and part in line]
    return line


def test_podman_gives_each_service_an_address_where_this_machine_has_none(
    tmp_path: Path,
) -> None:
    lines = started_words(tmp_path, "podman")

    created = line_with(lines, "network create", "trial.front")
    assert "--internal --disable-dns --label=own=1" in created
    main = line_with(lines, "run", "--name=trial ")
    assert "--network=trial.front:ip=10.89.3.10 " in main
    assert "--add-host=store:10.89.3.11" in main
    assert "--add-host=cache:10.89.3.11" in main
    assert "trial.back" not in main
    assert "base" not in main
    assert "--shm-size=1gb" in main
    assert "8080" not in main
    assert "PTRACE" not in main
    store = line_with(lines, "run", "--name=trial.store")
    assert "--network=trial.back:ip=10.89.3.10" in store
    assert "--volume=trial.data:/data" in store
    assert "--memory=64M --cpus=0.5" in store
    assert store.endswith("redis:7 redis-server")
    assert not any("hidden" in line for line in lines)
    removed = lines[-8:]
    assert "network rm trial.front" in removed
    assert "volume rm trial.data" in removed


def test_docker_resolves_the_names_of_services_itself(tmp_path: Path) -> None:
    lines = started_words(tmp_path, "docker")

    created = line_with(lines, "network create", "trial.front")
    assert "--internal --opt=com.docker.network.bridge.inhibit_ipv4=true" in created
    main = line_with(lines, "run", "--name=trial ")
    assert "--network=trial.front --network-alias=main" in main
    store = line_with(lines, "run", "--name=trial.store")
    assert "--network-alias=cache" in store
    assert "trial.back" not in store
    connected = "network connect --alias=store --alias=cache trial.back trial.store"
    assert connected in lines


def test_what_changes_little_is_told(tmp_path: Path) -> None:
    compose = COMPOSE.replace("image: debian:12", "build: .")
    task = write_and_read_task_with_compose_file(tmp_path / "task", compose)

    assert unsupported_feature(task) == ""
    assert list(task.compose.notes) == [
        "main: it gets no SYS_PTRACE beyond what containers here have",
        "main: its ports are not published on this machine",
    ]
    assert task.main.build is not None
    assert task.main.build.folder == task.environment_folder


OVERLAY = """
services:
  main:
    build: {context: "${CONTEXT_DIR}"}
    image: ${MAIN_IMAGE_NAME}
    command: ["sh", "-c", "echo $$HOME; sleep infinity"]
    volumes: ["${HOST_VERIFIER_LOGS_PATH}:${ENV_VERIFIER_LOGS_PATH}"]
    environment: ["A=${TEST_DIR}", "B=${OTHER:-x}", C]
    deploy: {resources: {limits: {cpus: "${CPUS}", memory: "${MEMORY}"}}}
"""


def test_the_variables_that_harbor_gives_a_compose_file_are_known(
    tmp_path: Path,
) -> None:
    """The folders of logs are in each container anyhow, so their mounts are left out."""
    task = write_and_read_task_with_compose_file(tmp_path / "task", OVERLAY)

    assert unsupported_feature(task) == ""
    assert task.main.volumes == ()
    assert task.main.command == ("sh", "-c", "echo $HOME; sleep infinity")
    assert dict(task.main.variables) == {
        "A": "/tests",
        "B": "${OTHER:-x}",
        "C": "${C}",
    }


def test_tasks_in_folders_of_folders_are_found_and_named_apart(tmp_path: Path) -> None:
    for name in ("a/first", "a/second", "b/c/first"):
        write_and_read_task(tmp_path / name, "")

    folder = read_tasks(tmp_path)

    assert sorted(folder.tasks) == ["a.first", "b.c.first", "second"]


@pytest.mark.parametrize(
    ("memory_mb", "available_kb", "most"),
    [(0.0, 1_500_000, 1), (512.0, 1_500_000, 2), (100_000.0, 1_500_000, 1)],
)
def test_each_trial_has_room_in_memory(
    memory_mb: float, available_kb: int, most: int
) -> None:
    memory_info = f"MemTotal: 9000000 kB\nMemAvailable:  {available_kb} kB\n"

    assert 1 <= usual_concurrency(memory_mb, memory_info) <= most


def test_images_are_known_by_their_short_names(tmp_path: Path) -> None:
    program = tmp_path / "podman"
    program.write_text(
        '#!/bin/sh\n[ "$1" = images ] || exit 1\n'
        "echo docker.io/library/debian:12; echo localhost/own:latest\n"
    )
    program.chmod(0o755)
    settings = ContainerSettings.parse({}, {})
    images = ContainerImages(RuntimeProgram(str(program)), settings)

    assert images.had_image("debian:12")
    assert images.had_image("own")
    assert not images.had_image("debian")


def test_a_listing_that_fails_for_a_moment_is_asked_for_again(tmp_path: Path) -> None:
    """Podman lists no images while another process removes one of them."""
    program = tmp_path / "podman"
    program.write_text(
        f"#!/bin/sh\necho >>{tmp_path}/asked\n"
        f"[ $(wc -l <{tmp_path}/asked) -ge 3 ] || exit 125\necho debian:12\n"
    )
    program.chmod(0o755)
    settings = ContainerSettings.parse({}, {})
    images = ContainerImages(RuntimeProgram(str(program)), settings)

    assert images.names() == ["debian:12"]


def test_a_copy_that_breaks_off_does_not_count_as_whole(tmp_path: Path) -> None:
    """Its output may end between two files, so that it looks like a whole archive."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("verifier/a"))
    (tmp_path / "start").write_bytes(whole.getvalue()[:512])
    program = tmp_path / "podman"
    program.write_text(f"#!/bin/sh\ncat {tmp_path}/start\nexit 125\n")
    program.chmod(0o755)
    container = Container(RuntimeProgram(str(program)), "controlplane-1")

    files = container.files_at("/logs/verifier", 1000)

    assert files is not None
    assert list(files.contents) == ["a"]
    assert files.is_cut


def test_the_end_of_a_container_may_be_noticed_late(tmp_path: Path) -> None:
    """A command fails with its container, and podman still calls that running for a moment."""
    program = tmp_path / "podman"
    program.write_text(
        f"#!/bin/sh\necho >>{tmp_path}/asked\n"
        f"[ $(wc -l <{tmp_path}/asked) -ge 3 ] && echo false || echo true\n"
    )
    program.chmod(0o755)

    assert not Container(RuntimeProgram(str(program)), "controlplane-1").goes_on()


ENDING_PROGRAM = """#!/bin/sh
here=$(dirname "$0")
echo "$@" >>"$here/made"
if [ $(grep -c "^$1 " "$here/made") -lt 3 ]; then
  echo "copying from container: open /proc/97/ns/mnt: no such file or directory" >&2
  exit 125
fi
case $1 in
cp) cat "$here/archive" ;;
inspect) echo true ;;
esac
"""
"""Fails twice at each command, as podman does while a container ends."""


def test_what_fails_at_the_end_of_a_container_is_done_again(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "archive", mode="w") as tar:
        tar.addfile(tarfile.TarInfo("verifier/reward.txt"))
    (tmp_path / "podman").write_text(ENDING_PROGRAM)
    (tmp_path / "podman").chmod(0o755)
    settings = ContainerSettings.parse({"runtime": "podman"}, {})
    runtime = find_runtime(settings, {"PATH": f"{tmp_path}:/usr/bin:/bin"})
    container = Container(runtime.program, "controlplane-1")

    files = container.files_at("/logs/verifier", 100_000)
    is_running = container.is_running()
    name = runtime.mark_ended("controlplane-1")
    runtime.remove(name)

    made = (tmp_path / "made").read_text().splitlines()
    assert files is not None
    assert not files.is_cut
    assert list(files.contents) == ["reward.txt"]
    assert is_running
    assert made.count("rm --force --volumes controlplane-1-ended") == 3


def test_a_path_that_is_not_there_is_asked_for_once(tmp_path: Path) -> None:
    program = tmp_path / "podman"
    program.write_text(
        f"#!/bin/sh\necho >>{tmp_path}/asked\n"
        "echo '\"/x\" could not be found on container 1: no such file or directory' >&2\n"
        "exit 125\n"
    )
    program.chmod(0o755)

    assert Container(RuntimeProgram(str(program)), "1").files_at("/x", 1000) is None
    assert (tmp_path / "asked").read_text() == "\n"


@pytest.mark.parametrize(
    ("networks", "order"),
    [
        ("networks: [n]", ["1.store", "1-ended", "1.n"]),
        ("network_mode: 'service:store'", ["1-ended", "1.store"]),
    ],
)
def test_the_network_of_an_ended_trial_goes_after_its_containers(
    tmp_path: Path, networks: str, order: list[str]
) -> None:
    """Also while the run is being stopped. A container goes before that whose network it shares."""
    (tmp_path / "podman").write_text('#!/bin/sh\necho "$@" >>"$(dirname "$0")/made"\n')
    (tmp_path / "podman").chmod(0o755)
    (tmp_path / "compose.yaml").write_text(
        f"services: {{main: {{image: a, {networks}}}, store: {{image: b, networks: [n]}}}}\n"
        "networks: {n: }\n"
    )
    files = SetFiles.of(tmp_path)
    services = read_compose_file(tmp_path / "compose.yaml", files)
    settings = ContainerSettings.parse({"runtime": "podman"}, {})
    runtime = find_runtime(settings, {"PATH": f"{tmp_path}:/usr/bin:/bin"})
    opened = TrialServices(runtime, ComposeProject(services), files, "1", 1.0)
    runtime.program.stop_signal.set()

    opened.remove(runtime.mark_ended("1"))

    lines = (tmp_path / "made").read_text().splitlines()
    assert [line.split()[-1] for line in lines if "rm" in line.split()] == order


LISTING_PROGRAM = """#!/bin/sh
echo "$@" >>"$(dirname "$0")/made"
case "$1 $2" in
"ps --all") printf 'controlplane-1-ended\ncontrolplane-1.store\ncontrolplane-2\ncontrolplane-2.store\n';;
"network ls") printf 'controlplane-1.front\ncontrolplane-2.front\ncontrolplane-inspect-99999999-1f.front\n';;
"volume ls") echo controlplane-1.data;;
esac
"""


@pytest.mark.parametrize("runtime_name", ["podman", "docker"])
def test_what_no_resumed_run_needs_is_removed(
    tmp_path: Path, runtime_name: str
) -> None:
    """The first trial has ended, the second is open, and the process of a sample is gone."""
    program = tmp_path / runtime_name
    program.write_text(LISTING_PROGRAM)
    program.chmod(0o755)
    settings = ContainerSettings.parse({"runtime": runtime_name}, {})
    runtime = find_runtime(settings, {"PATH": f"{tmp_path}:/usr/bin:/bin"})

    staying = remove_leftovers(runtime)

    lines = (tmp_path / "made").read_text().splitlines()
    removed = [line.split()[-1] for line in lines if "rm" in line.split()]
    assert staying == ["controlplane-2"]
    # A network goes only when no container is in it.
    assert removed.index("controlplane-1-ended") < removed.index("controlplane-1.front")
    assert set(removed) == {
        "controlplane-1-ended",
        "controlplane-1.store",
        "controlplane-1.front",
        "controlplane-1.data",
        "controlplane-inspect-99999999-1f.front",
    }


# What compose files of public tasks say: each is followed as compose does, told, or refused by name.

COMMON = """
services:
  app:
    image: debian:12
    environment: [A=1, B=1]
    tmpfs: [/run]
    profiles: [never]
"""
PATTERNS = """
x-common: &common {image: "debian:12", init: false, privileged: false}
services:
  main:
    <<: *common
    extends: {file: common.yaml, service: app}
    environment: {B: "2", HOME_TEXT: "$${HOME}", NESTED: "${A:-${B:-c}}", FLAG: "${F:+yes}"}
    env_file: [values.env, {path: missing.env, required: false}]
    tmpfs: [/tmp]
    dns: 8.8.8.8
    sysctls: [net.core.somaxconn=1024]
    links: ["db:database"]
    volumes: [{type: tmpfs, target: /scratch, tmpfs: {size: 64}}]
    depends_on: {tool: {condition: service_started, required: false}}
    deploy: {update_config: {parallelism: 2}, resources: {limits: {cpus: "0.5"}}}
  db:
    domainname: example.com
    build: {dockerfile_inline: "FROM debian:12\\nRUN echo $x", args: [A=1]}
    networks: [default]
  tool: {image: tool, profiles: [debug]}
networks: {default: {name: own}}
"""
VALUES = "# note\nexport C='two words'\nD=plain # note\nE=\"a # b\"\n"


def test_patterns_of_public_compose_files_are_followed(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(PATTERNS)
    (tmp_path / "common.yaml").write_text(COMMON)
    (tmp_path / "values.env").write_text(VALUES)

    services = read_compose_file(tmp_path / "compose.yaml", SetFiles.of(tmp_path))

    assert list(services) == ["main", "db"]
    main = services["main"]
    assert with_host_variables(main.variables, {}) == {
        "A": "1",
        "B": "2",
        "C": "two words",
        "D": "plain",
        "E": "a # b",
        "FLAG": "",
        "HOME_TEXT": "${HOME}",
        "NESTED": "c",
    }
    assert missing_host_variables(main.variables, {}) == []
    assert main.flags == ["--tmpfs=/run", "--tmpfs=/tmp"]
    assert main.volumes == (("", "/scratch"),)
    assert main.cpus == 0.5
    assert list(main.notes) == [
        "its name servers are those of this machine",
        "its sysctls are those of this machine",
    ]
    database = services["db"]
    assert database.aliases == ["database"]
    assert database.build is not None
    assert database.build.content(SetFiles.of(tmp_path), 100) == (
        b"FROM debian:12\nRUN echo $x"
    )


@pytest.mark.parametrize(
    ("main", "fault"),
    [
        ("{extends: {file: ../x.yaml, service: a}}", "leads out"),
        ("{extends: main}", "extends 'main'"),
        ("{extends: nobody}", "extends 'nobody'"),
        ("{extends: db, privileged: true}", "has privileged"),
        ("{extends: bad}", "has pid"),
        ("{image: 'debian:${TAG:?set it}'}", "the variable TAG"),
        ("{image: x, secrets: [a]}", "has secrets"),
        ("{image: x, volumes: [{type: npipe, source: a, target: /b}]}", "mounts 'a'"),
        ("{image: x, links: [gone]}", "needs gone"),
    ],
)
def test_what_is_not_followed_is_refused_by_name(
    tmp_path: Path, main: str, fault: str
) -> None:
    path = tmp_path / "set/compose.yaml"
    path.parent.mkdir()
    path.write_text(
        f"services: {{main: {main}, db: {{image: y}}, bad: {{image: z, pid: host, profiles: [a]}}}}"
    )

    with pytest.raises(ComposeError, match=fault):
        read_compose_file(path, SetFiles.of(path.parent))
