"""What is known of a trial and of its steps, built from the events of its journal."""
