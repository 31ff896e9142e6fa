/* Methods that need the state of their module, which is what METH_METHOD is for.
 *
 * A method of a type made at run time has two ways to it: METH_METHOD, which passes the class that
 * defines the method, and PyType_GetModuleByDef, which looks for it among the bases. The first
 * comes with the other arguments of a fast call with keywords; the second goes with any convention.
 * Each of these counts its calls in the state, and else does what all callees do.
 */
#include "callconv.h"

#if HAS_STATE_BY_DEFINITION
static inline int count_by_definition(PyObject *self)
{
    PyObject *module = PyType_GetModuleByDef(Py_TYPE(self), &module_definition);

    if (module == NULL)
        return -1;
    ((struct module_state *)PyModule_GetState(module))->calls++;
    return 0;
}

static PyObject *state_noargs(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (count_by_definition(self) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *state_onearg(PyObject *self, PyObject *arg)
{
    if (count_by_definition(self) < 0)
        return NULL;
    Py_INCREF(arg);
    return arg;
}

static PyObject *state_fastcall(PyObject *self, ARGUMENTS args, Py_ssize_t count)
{
    return count_by_definition(self) < 0 ? NULL : last_of(args, count);
}

static PyObject *state_fastcall_keywords(PyObject *self, ARGUMENTS args, Py_ssize_t count,
                                         PyObject *names)
{
    return count_by_definition(self) < 0 ? NULL : last_of_names(args, count, names);
}
#endif

#if HAS_METH_METHOD
static PyObject *state_method(PyObject *self, PyTypeObject *defining, ARGUMENTS args,
                              Py_ssize_t count, PyObject *names)
{
    struct module_state *state = PyType_GetModuleState(defining);

    (void)self;
    if (state == NULL)
        return NULL;
    state->calls++;
    return last_of_names(args, count, names);
}

#define AS_METHOD(function) (PyCFunction)(void (*)(void))(function)

static PyMethodDef methods[] = {
#if HAS_STATE_BY_DEFINITION
    {"noargs", state_noargs, METH_NOARGS, NULL},
    {"onearg", state_onearg, METH_O, NULL},
    {"fastcall", AS_METHOD(state_fastcall), METH_FASTCALL, NULL},
    {"fastcall_keywords", AS_METHOD(state_fastcall_keywords), METH_FASTCALL | METH_KEYWORDS, NULL},
#endif
    {"method", AS_METHOD(state_method), METH_METHOD | METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec specification = {
    .name = "callconv.Stateful",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};
#endif

#if HAS_STATE_BY_DEFINITION
#define LACK_BY_DEFINITION NULL
#else
#define LACK_BY_DEFINITION "PyType_GetModuleByDef came with 3.11"
#endif

const struct form state_forms[] = {
    {"noargs", LACK_BY_DEFINITION},
    {"onearg", LACK_BY_DEFINITION},
    {"fastcall", LACK_BY_DEFINITION},
    {"fastcall_keywords", LACK_BY_DEFINITION},
#if HAS_METH_METHOD
    {"method", NULL},
#else
    {"method", "METH_METHOD came with 3.9"},
#endif
    {NULL, NULL},
};

int add_state_type(PyObject *module)
{
#if HAS_METH_METHOD
    PyObject *type = PyType_FromModuleAndSpec(module, &specification, NULL);

    if (type == NULL)
        return -1;
    return PyModule_AddObject(module, "Stateful", type);
#else
    (void)module;
    return 0;
#endif
}
