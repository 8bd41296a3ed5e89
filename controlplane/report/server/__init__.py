"""The server of `controlplane view`, whose pages update while runs go on."""
