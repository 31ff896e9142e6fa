/* C that calls a method: every way of the C API, and their parts by themselves. */
#include "forms.h"

FORM(method_format)
{
    char *name = (char *)job->spelling;

    FOR_EACH_LIST(PyObject_CallMethod(job->callable, name, NULL),
                  PyObject_CallMethod(job->callable, name, FORMAT("O"), A1),
                  PyObject_CallMethod(job->callable, name, FORMAT("OOO"), A3),
                  PyObject_CallMethod(job->callable, name, FORMAT("OOOOOOOO"), A8))
}

FORM(method_objargs)
{
    FOR_EACH_LIST(PyObject_CallMethodObjArgs(job->callable, job->name, NULL),
                  PyObject_CallMethodObjArgs(job->callable, job->name, A1, NULL),
                  PyObject_CallMethodObjArgs(job->callable, job->name, A3, NULL),
                  PyObject_CallMethodObjArgs(job->callable, job->name, A8, NULL))
}

/* The bound method, made, called and thrown away: all that tells PyObject_CallMethod, besides its
 * format and the name as a C string, from PyObject_CallMethodObjArgs. Three forms, to tell them
 * apart. */
#define THROUGH_BOUND(call)                                                                        \
    __extension__({                                                                                \
        PyObject *bound = PyObject_GetAttr(job->callable, job->name);                              \
        PyObject *made = bound ? (call) : NULL;                                                    \
        Py_XDECREF(bound);                                                                         \
        made;                                                                                      \
    })

FORM(method_bound_objargs)
{
    FOR_EACH_LIST(THROUGH_BOUND(PyObject_CallFunctionObjArgs(bound, NULL)),
                  THROUGH_BOUND(PyObject_CallFunctionObjArgs(bound, A1, NULL)),
                  THROUGH_BOUND(PyObject_CallFunctionObjArgs(bound, A3, NULL)),
                  THROUGH_BOUND(PyObject_CallFunctionObjArgs(bound, A8, NULL)))
}

FORM(method_bound_format)
{
    FOR_EACH_LIST(THROUGH_BOUND(PyObject_CallFunction(bound, NULL)),
                  THROUGH_BOUND(PyObject_CallFunction(bound, FORMAT("O"), A1)),
                  THROUGH_BOUND(PyObject_CallFunction(bound, FORMAT("OOO"), A3)),
                  THROUGH_BOUND(PyObject_CallFunction(bound, FORMAT("OOOOOOOO"), A8)))
}

#if SINCE(3, 9)
FORM(method_vectorcall)
{
    FOR_EACH_COUNT(PyObject_VectorcallMethod(job->name, job->receiver + 1, OFFSET(1 + n), NULL))
}

/* PyObject_CallMethodNoArgs and PyObject_CallMethodOneArg. */
FORM(method_short)
{
    mark();
    if (job->count == 0)
        REPEAT(PyObject_CallMethodNoArgs(job->callable, job->name))
    if (job->count == 1)
        REPEAT(PyObject_CallMethodOneArg(job->callable, job->name, A1))
    return not_possible();
}
#endif
