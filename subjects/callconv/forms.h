/* What the forms of calling have in common: the job, and the loops around a call.
 *
 * A form is a function that makes `loops` calls and returns the last result. The number of arguments
 * is constant in each loop, as it is where people write such calls.
 */
#ifndef FORMS_H
#define FORMS_H

#include "callconv.h"

struct job {
    PyObject *callable;            /* or the object whose method is called */
    PyObject *name;                /* of the method, interned; NULL: the object itself is called */
    const char *spelling;          /* of the method, for calls that take a C string */
    PyObject *room[1 + MOST];      /* a place that a callee may write to, then the arguments */
    PyObject *receiver[2 + MOST];  /* the same for a method: a place, the object, the arguments */
    PyObject **args;               /* room + 1 */
    int count;                     /* 0, 1, 3 or 8; -1: one keyword and nothing else */
    PyObject *names, *kwargs;      /* (keyword,) and {keyword: args[0]}, in that case */
    Py_ssize_t loops;              /* at least 1 */
};

/* Makes the call `loops` times and returns the last result. */
#define REPEAT(call)                                                                               \
    for (Py_ssize_t left = job->loops;;) {                                                         \
        PyObject *result = (call);                                                                 \
        if (result == NULL || --left == 0)                                                         \
            return result;                                                                         \
        Py_DECREF(result);                                                                         \
    }

/* A form, and the place in it after which it makes nothing but calls. */
#define FORM(form) __attribute__((noinline)) PyObject *form(struct job *job)

#pragma GCC visibility push(hidden)

/* Tells call_depth, if it runs, where the stack of the calls begins. */
void mark(void);

/* NULL with an error set: the form cannot pass these arguments. */
PyObject *not_possible(void);

/* The same call for each number of arguments, which is `n` in it. */
#define FOR_EACH_COUNT(call)                                                                       \
    mark();                                                                                        \
    switch (job->count) {                                                                          \
    case 0: { enum { n = 0 }; REPEAT(call) }                                                       \
    case 1: { enum { n = 1 }; REPEAT(call) }                                                       \
    case 3: { enum { n = 3 }; REPEAT(call) }                                                       \
    case 8: { enum { n = 8 }; REPEAT(call) }                                                       \
    default: return not_possible();                                                                \
    }

/* ... for a call whose arguments are spelled out. */
#define FOR_EACH_LIST(none, one, three, eight)                                                     \
    mark();                                                                                        \
    switch (job->count) {                                                                          \
    case 0: REPEAT(none)                                                                           \
    case 1: REPEAT(one)                                                                            \
    case 3: REPEAT(three)                                                                          \
    case 8: REPEAT(eight)                                                                          \
    default: return not_possible();                                                                \
    }

#define A1 job->args[0]
#define A3 A1, job->args[1], job->args[2]
#define A8 A3, job->args[3], job->args[4], job->args[5], job->args[6], job->args[7]

/* Not const before Python 3. */
#define FORMAT(text) ((char *)(text))

/* The place before the arguments may be written to, so that a bound method needs no copy of them. */
#define OFFSET(n) ((size_t)(n) | PY_VECTORCALL_ARGUMENTS_OFFSET)

/* call_object.c; what a version lacks is declared and never defined. */
FORM(fresh);
FORM(cached);
FORM(cached_checked);
FORM(format);
FORM(objargs);
FORM(short_form);
FORM(vectorcall_dict);
FORM(vectorcall);
FORM(vectorcall_offset);

/* call_method.c */
FORM(method_format);
FORM(method_objargs);
FORM(method_bound_objargs);
FORM(method_bound_format);
FORM(method_vectorcall);
FORM(method_short);

#pragma GCC visibility pop

#endif
