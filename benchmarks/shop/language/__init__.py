"""What requests and records of a shop mean to the rules."""
