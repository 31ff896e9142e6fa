/* What the pinned form adds to decoded instructions: their steps, and who executes them.
 *
 *     slots     of a step: where its d and its s are, register or constant, by their distance from the
 *               start of struct vm in words: a byte each, s above d; above them those of the three
 *               instructions that follow
 *     wide      of an access by a step: what makes of its base the distance from the start of the region;
 *               else the immediate
 *     reach     of an access: where in struct vm the region is, in words */
#ifndef EBPF_VM_LINK_H
#define EBPF_VM_LINK_H

#include "steps.h"
#include "vm.h"

/* regions.c: for each instruction the number of the region that its access most likely goes to. It
 * follows pointers through registers and the stack, and only guesses: the access is checked. 0, or -1
 * without memory. */
int vm_guess_regions(const struct vm_program *program, uint8_t *regions);

/* link.c: fills in the fields above and the program's constants; steps[at], zero before, is STEP_none
 * for what is no step. 0, or -1 with a message. */
int vm_find_steps(struct vm_program *program, uint8_t *steps, struct vm_error *error);

/* link.c: for each instruction the register that was written last before it, whichever way it is reached,
 * or NO_REGISTER. */
enum { NO_REGISTER = 255 };
void vm_find_recent(const struct vm_program *program, uint8_t *recent);

/* interp.c: gives every instruction its handler; `costs` is room for one number more than there are
 * instructions. */
void vm_choose_handlers(struct vm_program *program, const uint8_t *steps, const uint8_t *recent,
                        uint32_t *costs);

#endif
