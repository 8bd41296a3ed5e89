"""Whether a run would work here: walls, disk, platform, endpoints, reply modes, prices."""
