/* What the files of this extension share, and what each version of CPython has.
 *
 * One source for CPython 2.7 and 3.6 to 3.15. What a version lacks is compiled away here and nowhere
 * else, and the module says why (see `struct form`).
 */
#ifndef CALLCONV_H
#define CALLCONV_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>

#define SINCE(major, minor) (PY_VERSION_HEX >= ((major) << 24 | (minor) << 16))

#define HAS_FASTCALL_KEYWORDS SINCE(3, 6)
#define HAS_FASTCALL SINCE(3, 7)
#define HAS_VECTORCALL SINCE(3, 8)
#define HAS_METH_METHOD SINCE(3, 9)
#define HAS_STATE_BY_DEFINITION SINCE(3, 11)

/* 3.8 has vectorcall under provisional names. */
#if HAS_VECTORCALL && !SINCE(3, 9)
#define PyObject_Vectorcall _PyObject_Vectorcall
#define Py_TPFLAGS_HAVE_VECTORCALL _Py_TPFLAGS_HAVE_VECTORCALL
#endif

/* 3.6 to 3.8 have it under the name that it had before vectorcall. */
#if HAS_FASTCALL_KEYWORDS && !SINCE(3, 9)
#define PyObject_VectorcallDict _PyObject_FastCallDict
#endif

/* Before 3.7 the arguments of a fast call were not const. */
#if HAS_FASTCALL_KEYWORDS && !SINCE(3, 7)
#define ARGUMENTS PyObject **
#else
#define ARGUMENTS PyObject *const *
#endif

#if PY_MAJOR_VERSION < 3
#define INTERNED PyString_InternFromString
#else
#define INTERNED PyUnicode_InternFromString
#endif

/* Nothing but the function that makes the module is for others to see, or to put theirs before. */
#pragma GCC visibility push(hidden)

/* The most arguments of a call. */
#define MOST 8

/* One way to call or to be called: why this version lacks it, or NULL if it has it. */
struct form {
    const char *name;
    const char *lack;
};

/* The name of the one keyword, interned: `key`. */
extern PyObject *keyword;

/* callees.c: functions and methods in each convention. The operation is always the same: the last
 * argument is returned, and None if there is none. */
extern PyMethodDef callees[];
extern const struct form callee_forms[];
int add_methods_type(PyObject *module);

/* state.c: methods that need the state of their module. */
extern const struct form state_forms[];
int add_state_type(PyObject *module);
#if HAS_METH_METHOD
struct module_state {
    size_t calls;
};
extern struct PyModuleDef module_definition;
#endif

/* objects.c: objects that are called, and types that are called to make an object. */
extern const struct form object_forms[];
extern const struct form construct_forms[];
int add_types(PyObject *module);
int add_type(PyObject *module, const char *name, PyTypeObject *type);

/* callers.c: C that calls. */
PyObject *from_c(PyObject *module, PyObject *args);
PyObject *forget(PyObject *module, PyObject *unused);
PyObject *caller_forms(void);

/* evidence.c */
PyObject *clock_now(PyObject *module, PyObject *unused);
PyObject *allocations(PyObject *module, PyObject *args);
PyObject *stack_depth(PyObject *module, PyObject *args);
PyObject *call_depth(PyObject *module, PyObject *args);
int add_painter(PyObject *module);
/* Around the calls whose stack call_depth measures; nothing happens when it does not run. */
void stack_begins(const char *here);
void stack_ends(void);
extern const char *const no_allocations;

/* The last of the arguments, None if there is none: a new reference. */
static inline PyObject *last_of(PyObject *const *args, Py_ssize_t count)
{
    PyObject *last = count ? args[count - 1] : Py_None;

    Py_INCREF(last);
    return last;
}

static inline PyObject *last_of_tuple(PyObject *args)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    PyObject *last = count ? PyTuple_GET_ITEM(args, count - 1) : Py_None;

    Py_INCREF(last);
    return last;
}

/* The value of the one keyword that is allowed, borrowed; NULL with an error for any other. */
PyObject *keyword_in_dict(PyObject *kwargs);

/* The same of `names`, whose values stand behind the positional arguments. */
PyObject *keyword_in_names(PyObject *const *values, PyObject *names);

static inline PyObject *last_of_call(PyObject *args, PyObject *kwargs)
{
    if (kwargs && PyDict_Size(kwargs)) {
        PyObject *value = keyword_in_dict(kwargs);

        Py_XINCREF(value);
        return value;
    }
    return last_of_tuple(args);
}

static inline PyObject *last_of_names(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (names && PyTuple_GET_SIZE(names)) {
        PyObject *value = keyword_in_names(args + count, names);

        Py_XINCREF(value);
        return value;
    }
    return last_of(args, count);
}

#pragma GCC visibility pop

#endif
