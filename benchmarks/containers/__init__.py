"""Containers on this machine, for benchmarks whose tasks need them: `harbor:DIR`, `inspect:...`.

`container_runtime` calls podman or docker. `container_images` builds or pulls images, `services`
starts the containers of a trial.
`set_files` reads the files of tasks, `compose_file` compose files; `task_values` says what values
of tasks may be.
"""
