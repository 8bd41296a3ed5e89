"""The messages between the trial (the parent) and its processes: their fields, and how they are sent."""
