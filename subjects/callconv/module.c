/* The module: what it has, what it lacks and why. */
#include "callconv.h"

/* {name: None or why this version lacks it} */
static PyObject *as_dict(const struct form *forms)
{
    PyObject *dict = PyDict_New();

    for (; dict && forms->name; forms++) {
        PyObject *lack = Py_BuildValue("z", forms->lack);

        if (lack == NULL || PyDict_SetItemString(dict, forms->name, lack) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(lack);
    }
    return dict;
}

static PyObject *compiler(void)
{
#ifdef __VERSION__
#ifdef __clang__
    return Py_BuildValue("s", "clang " __clang_version__);
#else
    return Py_BuildValue("s", "gcc " __VERSION__);
#endif
#else
    return Py_BuildValue("s", "unknown");
#endif
}

/* hold(*args): keeps its tuple of arguments; held() hands out the list of those and forgets them. */
static PyObject *held_tuples;

static PyObject *hold(PyObject *module, PyObject *args)
{
    (void)module;
    if (PyList_Append(held_tuples, args) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *held(PyObject *module, PyObject *unused)
{
    PyObject *list = held_tuples, *fresh = PyList_New(0);

    (void)module;
    (void)unused;
    if (fresh == NULL)
        return NULL;
    held_tuples = fresh;
    return list;
}

/* through(callable, *args): calls callable(), then returns the last of its own arguments. */
static PyObject *through(PyObject *module, PyObject *args)
{
    PyObject *result;

    (void)module;
    if (PyTuple_GET_SIZE(args) < 1) {
        PyErr_SetString(PyExc_TypeError, "through(callable, *args)");
        return NULL;
    }
    result = PyObject_CallObject(PyTuple_GET_ITEM(args, 0), NULL);
    if (result == NULL)
        return NULL;
    Py_DECREF(result);
    return last_of_tuple(args);
}

/* leak(object): forgets to give back a reference. */
static PyObject *leak(PyObject *module, PyObject *arg)
{
    (void)module;
    Py_INCREF(arg);
    Py_RETURN_NONE;
}

/* sink(bytes): uses so many bytes of stack. */
static PyObject *sink(PyObject *module, PyObject *arg)
{
    long size = PyLong_AsLong(arg);
    volatile char *room;

    (void)module;
    if (size < 1 || size > 1 << 20) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "1 to 1048576 bytes");
        return NULL;
    }
    room = __builtin_alloca((size_t)size);
    for (long i = 0; i < size; i++)
        room[i] = 1;
    Py_RETURN_NONE;
}

static PyMethodDef tools[] = {
    {"from_c", from_c, METH_VARARGS,
     "from_c(form, callable, args, loops, method=None, key=False): calls from C, the last result"},
    {"forget", forget, METH_NOARGS, "forget the tuples that cached calls keep"},
    {"clock", clock_now, METH_NOARGS, "nanoseconds of a monotonic clock"},
    {"allocations", allocations, METH_VARARGS,
     "allocations(callable, args, empty): how often callable(*args) asks for memory"},
    {"stack_depth", stack_depth, METH_VARARGS,
     "stack_depth(callable, args): bytes of C stack that callable(*args) takes"},
    {"call_depth", call_depth, METH_VARARGS,
     "call_depth(callable, args): bytes of C stack of a call that callable(*args) makes"},
    {"hold", hold, METH_VARARGS, "keeps its tuple of arguments"},
    {"held", held, METH_NOARGS, "the tuples that hold() kept, which it forgets"},
    {"through", through, METH_VARARGS, "through(callable, *args): callable(), then the last"},
    {"leak", leak, METH_O, "leaks a reference to its argument"},
    {"sink", sink, METH_O, "uses so many bytes of stack"},
    {NULL, NULL, 0, NULL},
};

static int add(PyObject *module, const char *name, PyObject *value)
{
    return value ? PyModule_AddObject(module, name, value) : -1;
}

static int fill(PyObject *module)
{
    keyword = INTERNED("key");
    held_tuples = PyList_New(0);
    if (keyword == NULL || held_tuples == NULL)
        return -1;
    if (add_methods_type(module) < 0 || add_state_type(module) < 0 || add_types(module) < 0 ||
        add_painter(module) < 0)
        return -1;
    if (add(module, "CALLEES", as_dict(callee_forms)) < 0 ||
        add(module, "STATES", as_dict(state_forms)) < 0 ||
        add(module, "OBJECTS", as_dict(object_forms)) < 0 ||
        add(module, "CONSTRUCTORS", as_dict(construct_forms)) < 0 ||
        add(module, "CALLERS", caller_forms()) < 0)
        return -1;
    return add(module, "COMPILER", compiler());
}

#define DOC "One trivial operation behind every calling convention of CPython."

#if PY_MAJOR_VERSION < 3
static int add_functions(PyObject *module, PyMethodDef *functions)
{
    PyObject *name = PyString_FromString("callconv");

    for (; name && functions->ml_name; functions++)
        if (add(module, functions->ml_name, PyCFunction_NewEx(functions, module, name)) < 0)
            return -1;
    Py_XDECREF(name);
    return name ? 0 : -1;
}

PyMODINIT_FUNC initcallconv(void)
{
    PyObject *module = Py_InitModule3("callconv", tools, DOC);

    if (module && add_functions(module, callees) == 0)
        fill(module);
}
#else
#if !HAS_METH_METHOD
static
#endif
struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "callconv",
    .m_doc = DOC,
#if HAS_METH_METHOD
    .m_size = sizeof(struct module_state),
#else
    .m_size = -1,
#endif
    .m_methods = tools,
};

PyMODINIT_FUNC PyInit_callconv(void)
{
    PyObject *module = PyModule_Create(&module_definition);

    if (module && (PyModule_AddFunctions(module, callees) < 0 || fill(module) < 0))
        Py_CLEAR(module);
    return module;
}
#endif
