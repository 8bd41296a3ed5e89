"""The commands. Each module has those of one subject: their options, their course, their output."""
