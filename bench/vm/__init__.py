"""How fast the interpreter in ``subjects/ebpf-vm`` is beside others, on two sets of programs."""
