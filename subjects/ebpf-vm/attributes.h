/* The compiler's means for tail calls, and what to say when it has none. */
#ifndef EBPF_VM_ATTRIBUTES_H
#define EBPF_VM_ATTRIBUTES_H

#ifndef __has_attribute
#define __has_attribute(x) 0
#endif

#if __has_attribute(musttail)
#define MUSTTAIL __attribute__((musttail))
#else
#error "this compiler has no musttail attribute; this form needs it (clang 13, gcc 15)"
#define MUSTTAIL
#define VM_ATTRIBUTE_MISSING
#endif

#if !defined(VM_PRESERVE_NONE) && !defined(VM_DISPATCH_PINNED)
#define CONVENTION
#elif __has_attribute(preserve_none)
#define CONVENTION __attribute__((preserve_none))
#elif defined(VM_DISPATCH_PINNED)
#error "this compiler has no preserve_none attribute; VM_DISPATCH_PINNED needs it (clang 19)"
#define CONVENTION
#define VM_ATTRIBUTE_MISSING
#else
#error "this compiler has no preserve_none attribute; VM_PRESERVE_NONE needs it (clang 19)"
#define CONVENTION
#endif

#endif
