"""The facts of a run, its trials and steps, made once; terminal, pages and exports render them."""
