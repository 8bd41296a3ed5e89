"""What `controlplane doctor` finds out about a model and its endpoint."""
