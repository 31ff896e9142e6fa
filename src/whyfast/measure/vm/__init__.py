"""Programs that run under other kernels, each in a virtual machine. docs/kernels.md tells more."""
