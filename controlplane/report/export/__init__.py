"""Writes runs as files for other programs: tables, OpenTelemetry spans, logs of Inspect."""
