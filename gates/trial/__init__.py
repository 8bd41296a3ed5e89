"""What a trial did, in parts: its accesses to files, its changes, its scripts."""
