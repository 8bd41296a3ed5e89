"""Containers on this machine, for benchmarks whose tasks need one: `harbor:DIR` and `inspect:...`.

`container_runtime` calls podman or docker, `container_images` builds or pulls what a container
starts from, `container_settings` are the user's options, and `compose_file` reads compose files.
"""
