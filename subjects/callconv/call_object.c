/* C that calls an object: every way of the C API. */
#include "forms.h"

/* PyObject_Call: a tuple, and a dictionary if there are keywords. */

static inline __attribute__((always_inline)) PyObject *new_tuple(PyObject **args, int n)
{
    PyObject *tuple = PyTuple_New(n);

    if (tuple)
        for (int i = 0; i < n; i++) {
            Py_INCREF(args[i]);
            PyTuple_SET_ITEM(tuple, i, args[i]);
        }
    return tuple;
}

static inline __attribute__((always_inline)) PyObject *call_fresh(struct job *job, int n)
{
    PyObject *args = new_tuple(job->args, n);
    PyObject *result = args ? PyObject_Call(job->callable, args, NULL) : NULL;

    Py_XDECREF(args);
    return result;
}

static inline __attribute__((always_inline)) PyObject *call_fresh_key(struct job *job)
{
    PyObject *args = PyTuple_New(0);
    PyObject *kwargs = PyDict_New();
    PyObject *result = NULL;

    if (args && kwargs && PyDict_SetItem(kwargs, keyword, job->args[0]) == 0)
        result = PyObject_Call(job->callable, args, kwargs);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    return result;
}

FORM(fresh)
{
    if (job->count < 0) {
        mark();
        REPEAT(call_fresh_key(job))
    }
    FOR_EACH_COUNT(call_fresh(job, n))
}

/* The trick of 1997: one tuple, kept from call to call, whose items are replaced.
 *
 * Wrong where anything else holds the tuple: a callee that keeps its arguments sees them change, and
 * one that comes back here replaces those of the call that is still running. `cached_checked` makes a
 * new tuple where it is not the only one to hold the old, as CPython came to do.
 */
static PyObject *kept[1 + MOST];

static inline __attribute__((always_inline)) PyObject *refill(struct job *job, int n)
{
    PyObject *tuple = kept[n];

    if (tuple == NULL) {
        kept[n] = new_tuple(job->args, n);
        return kept[n];
    }
    for (int i = 0; i < n; i++) {
        PyObject *before = PyTuple_GET_ITEM(tuple, i);

        Py_INCREF(job->args[i]);
        PyTuple_SET_ITEM(tuple, i, job->args[i]);
        Py_DECREF(before);
    }
    return tuple;
}

static inline __attribute__((always_inline)) PyObject *call_cached(struct job *job, int n)
{
    PyObject *args = refill(job, n);

    return args ? PyObject_Call(job->callable, args, NULL) : NULL;
}

FORM(cached)
{
    FOR_EACH_COUNT(call_cached(job, n))
}

static inline __attribute__((always_inline)) PyObject *call_cached_checked(struct job *job, int n)
{
    PyObject *args, *result;

    if (kept[n] && Py_REFCNT(kept[n]) != 1)
        Py_CLEAR(kept[n]);
    args = refill(job, n);
    if (args == NULL)
        return NULL;
    Py_INCREF(args);
    result = PyObject_Call(job->callable, args, NULL);
    Py_DECREF(args);
    return result;
}

FORM(cached_checked)
{
    FOR_EACH_COUNT(call_cached_checked(job, n))
}

PyObject *forget(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    for (int i = 0; i <= MOST; i++)
        Py_CLEAR(kept[i]);
    Py_RETURN_NONE;
}

/* PyObject_CallFunction: arguments by a format. */

FORM(format)
{
    FOR_EACH_LIST(PyObject_CallFunction(job->callable, NULL),
                  PyObject_CallFunction(job->callable, FORMAT("O"), A1),
                  PyObject_CallFunction(job->callable, FORMAT("OOO"), A3),
                  PyObject_CallFunction(job->callable, FORMAT("OOOOOOOO"), A8))
}

FORM(objargs)
{
    FOR_EACH_LIST(PyObject_CallFunctionObjArgs(job->callable, NULL),
                  PyObject_CallFunctionObjArgs(job->callable, A1, NULL),
                  PyObject_CallFunctionObjArgs(job->callable, A3, NULL),
                  PyObject_CallFunctionObjArgs(job->callable, A8, NULL))
}

#if SINCE(3, 9)
/* PyObject_CallNoArgs and PyObject_CallOneArg. */
FORM(short_form)
{
    mark();
    if (job->count == 0)
        REPEAT(PyObject_CallNoArgs(job->callable))
    if (job->count == 1)
        REPEAT(PyObject_CallOneArg(job->callable, A1))
    return not_possible();
}
#endif

#if HAS_FASTCALL_KEYWORDS
/* An array, and a dictionary if there are keywords: what _PyObject_FastCall was. */
FORM(vectorcall_dict)
{
    if (job->count < 0) {
        mark();
        REPEAT(PyObject_VectorcallDict(job->callable, job->args, 0, job->kwargs))
    }
    FOR_EACH_COUNT(PyObject_VectorcallDict(job->callable, job->args, n, NULL))
}
#endif

#if HAS_VECTORCALL
FORM(vectorcall)
{
    if (job->count < 0) {
        mark();
        REPEAT(PyObject_Vectorcall(job->callable, job->args, 0, job->names))
    }
    FOR_EACH_COUNT(PyObject_Vectorcall(job->callable, job->args, n, NULL))
}

FORM(vectorcall_offset)
{
    if (job->count < 0) {
        mark();
        REPEAT(PyObject_Vectorcall(job->callable, job->args, OFFSET(0), job->names))
    }
    FOR_EACH_COUNT(PyObject_Vectorcall(job->callable, job->args, OFFSET(n), NULL))
}
#endif
