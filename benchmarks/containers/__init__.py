"""Containers on this machine, for benchmarks whose tasks need them: `harbor:DIR`, `inspect:...`.

`container_runtime` calls podman or docker. `container_images` builds or pulls images.
`container_settings` has the user's options. `compose_file` reads compose files.
"""
