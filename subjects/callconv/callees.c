/* Functions and methods in each calling convention of PyMethodDef.
 *
 * They all do the same and as little as possible, so that what a call costs is the convention and
 * what the interpreter makes of it. Arguments are taken apart by hand: PyArg_ParseTuple and its
 * kind would be the larger part of the time.
 */
#include "callconv.h"

PyObject *keyword;

PyObject *keyword_in_dict(PyObject *kwargs)
{
    PyObject *value = PyDict_GetItem(kwargs, keyword);

    if (value == NULL || PyDict_Size(kwargs) != 1) {
        PyErr_SetString(PyExc_TypeError, "the only keyword is key");
        return NULL;
    }
    return value;
}

PyObject *keyword_in_names(PyObject *const *values, PyObject *names)
{
    /* Names in calls are interned, so the first test decides. */
    if (PyTuple_GET_SIZE(names) == 1) {
        PyObject *name = PyTuple_GET_ITEM(names, 0);
        int same = name == keyword ? 1 : PyObject_RichCompareBool(name, keyword, Py_EQ);

        if (same > 0)
            return values[0];
        if (same < 0)
            return NULL;
    }
    PyErr_SetString(PyExc_TypeError, "the only keyword is key");
    return NULL;
}

static PyObject *noargs(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    Py_RETURN_NONE;
}

static PyObject *onearg(PyObject *self, PyObject *arg)
{
    (void)self;
    Py_INCREF(arg);
    return arg;
}

static PyObject *varargs(PyObject *self, PyObject *args)
{
    (void)self;
    return last_of_tuple(args);
}

static PyObject *varargs_keywords(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self;
    return last_of_call(args, kwargs);
}

#if HAS_FASTCALL
static PyObject *fastcall(PyObject *self, ARGUMENTS args, Py_ssize_t count)
{
    (void)self;
    return last_of(args, count);
}
#endif

#if HAS_FASTCALL_KEYWORDS
static PyObject *fastcall_keywords(PyObject *self, ARGUMENTS args, Py_ssize_t count, PyObject *names)
{
    (void)self;
    return last_of_names(args, count, names);
}
/* In 3.6 every fast call has names, and the flag for keywords is not allowed beside it. */
#define FASTCALL_KEYWORDS (SINCE(3, 7) ? METH_FASTCALL | METH_KEYWORDS : METH_FASTCALL)
#endif

#if HAS_METH_METHOD
static PyObject *method(PyObject *self, PyTypeObject *defining, ARGUMENTS args, Py_ssize_t count,
                        PyObject *names)
{
    (void)self;
    (void)defining;
    return last_of_names(args, count, names);
}
#endif

const struct form callee_forms[] = {
    {"noargs", NULL},
    {"onearg", NULL},
    {"varargs", NULL},
    {"varargs_keywords", NULL},
#if HAS_FASTCALL
    {"fastcall", NULL},
#elif HAS_FASTCALL_KEYWORDS
    {"fastcall", "METH_FASTCALL of 3.6 always passes the names of keywords"},
#else
    {"fastcall", "METH_FASTCALL came with 3.6"},
#endif
#if HAS_FASTCALL_KEYWORDS
    {"fastcall_keywords", NULL},
#else
    {"fastcall_keywords", "METH_FASTCALL came with 3.6"},
#endif
#if HAS_METH_METHOD
    {"method", NULL},
#else
    {"method", "METH_METHOD came with 3.9"},
#endif
    {NULL, NULL},
};

/* Through void (*)(void), which gcc takes for "I know that the type differs". */
#define AS_METHOD(function) (PyCFunction)(void (*)(void))(function)

#define CONVENTIONS                                                                                \
    {"noargs", noargs, METH_NOARGS, NULL},                                                         \
    {"onearg", onearg, METH_O, NULL},                                                                      \
    {"varargs", varargs, METH_VARARGS, NULL},                                                      \
    {"varargs_keywords", AS_METHOD(varargs_keywords), METH_VARARGS | METH_KEYWORDS, NULL}

#if HAS_FASTCALL
#define FASTCALL_CONVENTION {"fastcall", AS_METHOD(fastcall), METH_FASTCALL, NULL},
#else
#define FASTCALL_CONVENTION
#endif
#if HAS_FASTCALL_KEYWORDS
#define FASTCALL_KEYWORDS_CONVENTION                                                               \
    {"fastcall_keywords", AS_METHOD(fastcall_keywords), FASTCALL_KEYWORDS, NULL},
#else
#define FASTCALL_KEYWORDS_CONVENTION
#endif
#if HAS_METH_METHOD
#define METHOD_CONVENTION                                                                          \
    {"method", AS_METHOD(method), METH_METHOD | METH_FASTCALL | METH_KEYWORDS, NULL},
#else
#define METHOD_CONVENTION
#endif

/* Functions of the module; METH_METHOD is for methods only. */
PyMethodDef callees[] = {
    CONVENTIONS,
    FASTCALL_CONVENTION
    FASTCALL_KEYWORDS_CONVENTION
    {NULL, NULL, 0, NULL},
};

static PyMethodDef methods[] = {
    CONVENTIONS,
    FASTCALL_CONVENTION
    FASTCALL_KEYWORDS_CONVENTION
    METHOD_CONVENTION
    {NULL, NULL, 0, NULL},
};

/* A static type, which every version has. */
static PyTypeObject methods_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "callconv.Methods",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "The same operation as a method in each convention.",
    .tp_methods = methods,
    .tp_new = PyType_GenericNew,
};

int add_methods_type(PyObject *module)
{
    return add_type(module, "Methods", &methods_type);
}
