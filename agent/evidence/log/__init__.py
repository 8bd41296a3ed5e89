"""What a trial has read, written and executed, so that it can be cited."""
