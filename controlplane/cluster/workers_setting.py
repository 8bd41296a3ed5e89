"""What `--workers` names: threads of this process, a Dask cluster at an address, or one that is started here."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.cluster.channel_server import ChannelServer
from controlplane.cluster.cluster_workers import ClusterWorkers
from controlplane.cluster.loopback import is_loopback, own_address_towards
from controlplane.cluster.shipped_data import Enlistment
from controlplane.configuration.config_paths import with_home
from controlplane.configuration.installed_versions import source_digest
from controlplane.configuration.model_settings import VARIABLE
from controlplane.configuration.named_modules import secrets_of
from controlplane.configuration.run_settings import AUTOMATIC, LOCAL_CLUSTER, THREADS, RunSettings
from controlplane.errors import UsageError
from controlplane.lifecycle.fan_out import OpenWorkers, ThreadWorkers, Workers
from controlplane.lifecycle.run_resources import PLAYERS, RunResources, RunSpec
from controlplane.lifecycle.trial_lifecycle import Emit, RunControls

if TYPE_CHECKING:
    from controlplane.cluster.dask_cluster import DaskCluster


def workers_opener(settings: RunSettings) -> OpenWorkers:
    """Return what opens the workers that the settings name. Raises `UsageError` if they cannot be used."""
    if settings.workers in (AUTOMATIC, THREADS):
        return ThreadWorkers
    address = settings.workers.removeprefix("dask:")
    is_local = settings.workers.startswith(LOCAL_CLUSTER)
    if not (is_local or address.startswith("tls://") or is_loopback(address)):
        msg = (
            f"the cluster at {address} is reached without TLS, which is for loopback alone; start it with certificates "
            f"and name it as dask:tls://{address.removeprefix('tcp://')}"
        )
        raise UsageError(msg)
    try:
        import distributed  # noqa: F401 - a missing extra is told of before anything begins
    except ModuleNotFoundError as error:
        msg = f"--workers {settings.workers} needs the package {error.name!r}: pip install distributed"
        raise UsageError(msg) from error
    return _open_cluster


def _open_cluster(resources: RunResources, emit: Emit, controls: RunControls) -> Workers:
    """Connect to the cluster, enlist its workers and return them. Raises `UsageError` and `Unreachable`."""
    from controlplane.cluster.dask_cluster import DaskCluster

    settings = resources.spec.settings
    if resources.opened.stays_here:
        msg = f"trials of {settings.benchmark} cannot run on a cluster: {resources.opened.stays_here}"
        raise UsageError(msg)
    if settings.workers.startswith(LOCAL_CLUSTER):
        count = int(settings.workers.removeprefix(LOCAL_CLUSTER))
        cluster = DaskCluster.started_here(count, settings.concurrency)
    else:
        cluster = DaskCluster(settings.workers.removeprefix("dask:"))
    try:
        host, _, port = settings.channel.rpartition(":") if ":" in settings.channel else (settings.channel, "", "")
        host = host or own_address_towards(cluster.address)
        server = partial(_server, cluster, resources, host, int(port or 0))
        workers = ClusterWorkers((resources, emit, controls), cluster, server)
    except BaseException:
        cluster.close()
        raise
    try:
        workers.begin(partial(_enlistment, resources, cluster, host))
    except BaseException:
        workers.close()
        raise
    return workers


def _script(model: str) -> str | None:
    """Return the text of a scripted model's file, which other machines do not have."""
    path = model.removeprefix("scripted:")
    return Path(with_home(path)).read_text(encoding="utf-8") if path != model else None


def _server(cluster: DaskCluster, resources: RunResources, host: str, port: int, desk: ClusterWorkers) -> ChannelServer:
    context = cluster.channel_context
    if context is None and not is_loopback(host):
        msg = f"the journal's channel at {host} needs TLS, which is for the cluster to have: dask:tls://HOST:PORT"
        raise UsageError(msg)
    return ChannelServer(host, port, context=context, keys=keys_to_send(resources.spec.settings), desk=desk)


def key_names(settings: RunSettings) -> tuple[str, ...]:
    """Return the environment variables in which a run has keys: those of the benchmark, keys and secret headers of the
    models. Raises `UsageError`."""
    names = list(secrets_of(settings.benchmark))
    for each in (settings, *settings.role.values()):
        if each.model not in PLAYERS and not each.model.startswith("scripted:"):
            variables = (VARIABLE.fullmatch(value) for value in each.model_headers.values())
            names += [each.api_key_env, *(variable[1] for variable in variables if variable)]
    return tuple(dict.fromkeys(names))


def keys_to_send(settings: RunSettings) -> dict[str, str]:
    """Return the keys of a run that are set here, by variable, if the user has them sent. Raises `UsageError`."""
    return {name: os.environ[name] for name in key_names(settings) if settings.send_keys and name in os.environ}


def _enlistment(
    resources: RunResources, cluster: DaskCluster, host: str, server: ChannelServer, run: str
) -> Enlistment:
    settings, identity = resources.spec.settings, resources.opened.resume_identity
    if identity is not None:
        settings = settings.model_copy(update={"benchmark": identity.spec, "set": dict(identity.settings)})
    return Enlistment(
        run=run,
        host=host,
        port=server.port,
        token=server.token,
        is_encrypted=cluster.channel_context is not None,
        ignores_interrupt=cluster.is_local,
        spec=RunSpec(settings, packs=resources.packs, script=_script(settings.model), prompts=resources.prompts),
        versions=resources.versions(),
        code=source_digest(settings.benchmark),
        keys=tuple(name for name in key_names(settings) if name in os.environ),
    )
