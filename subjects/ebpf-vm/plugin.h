/* ebpf-vm as a plugin of the conformance runner, and what its exit statuses mean. */
#ifndef EBPF_VM_PLUGIN_H
#define EBPF_VM_PLUGIN_H

enum { STATUS_FAULT = 1, STATUS_REFUSED = 2 };

/* Whether the command line says so: `ebpf-vm plugin`, or a program whose name ends in "plugin". */
int plugin_asked(int argc, char **argv);
int plugin_main(int argc, char **argv);

#endif
