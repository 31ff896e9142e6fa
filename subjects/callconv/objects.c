/* Objects that are called, through tp_call or through vectorcall; and types that are called to make
 * an object, through tp_new, tp_new and tp_init, or vectorcall.
 */
#include "callconv.h"

#include <structmember.h>

#if HAS_VECTORCALL
#define LACK_VECTORCALL NULL
#else
#define LACK_VECTORCALL "vectorcall came with 3.8"
#endif

const struct form object_forms[] = {
    {"tp_call", NULL},
    {"vectorcall", LACK_VECTORCALL},
    {NULL, NULL},
};

const struct form construct_forms[] = {
    {"tp_new", NULL},
    {"tp_init", NULL},
#if SINCE(3, 9)
    {"vectorcall", NULL},
#elif HAS_VECTORCALL
    {"vectorcall", "3.8 calls no type through vectorcall"},
#else
    {"vectorcall", "vectorcall came with 3.8"},
#endif
    {NULL, NULL},
};

/* What is called. */

static PyObject *call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self;
    return last_of_call(args, kwargs);
}

static PyTypeObject tp_call_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "callconv.TpCall",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Called through tp_call.",
    .tp_call = call,
    .tp_new = PyType_GenericNew,
};

#if HAS_VECTORCALL
struct vectorcall_object {
    PyObject_HEAD
    vectorcallfunc vectorcall;
};

static PyObject *vectorcall(PyObject *self, PyObject *const *args, size_t flagged, PyObject *names)
{
    (void)self;
    return last_of_names(args, PyVectorcall_NARGS(flagged), names);
}

static PyObject *new_vectorcall(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct vectorcall_object *self = (struct vectorcall_object *)type->tp_alloc(type, 0);

    (void)args;
    (void)kwargs;
    if (self)
        self->vectorcall = vectorcall;
    return (PyObject *)self;
}

static PyTypeObject vectorcall_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "callconv.Vectorcall",
    .tp_basicsize = sizeof(struct vectorcall_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_doc = "Called through vectorcall.",
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(struct vectorcall_object, vectorcall),
    .tp_new = new_vectorcall,
};
#endif

/* What is made: an object that holds the last argument. */

struct holder {
    PyObject_HEAD
    PyObject *value;
};

static void free_holder(PyObject *self)
{
    Py_CLEAR(((struct holder *)self)->value);
    Py_TYPE(self)->tp_free(self);
}

static PyMemberDef members[] = {
    {"value", T_OBJECT, offsetof(struct holder, value), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* Takes over the reference to `value`; NULL with an error set is handed on. */
static PyObject *hold(PyTypeObject *type, PyObject *value)
{
    PyObject *self;

    if (value == NULL)
        return NULL;
    self = type->tp_alloc(type, 0);
    if (self == NULL) {
        Py_DECREF(value);
        return NULL;
    }
    ((struct holder *)self)->value = value;
    return self;
}

static PyObject *new_holder(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    return hold(type, last_of_call(args, kwargs));
}

static int initialise_holder(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *value = last_of_call(args, kwargs);
    PyObject *before = ((struct holder *)self)->value;

    if (value == NULL)
        return -1;
    ((struct holder *)self)->value = value;
    Py_XDECREF(before);
    return 0;
}

static PyTypeObject new_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "callconv.New",
    .tp_basicsize = sizeof(struct holder),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Made by tp_new.",
    .tp_dealloc = free_holder,
    .tp_members = members,
    .tp_new = new_holder,
};

static PyTypeObject init_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "callconv.Init",
    .tp_basicsize = sizeof(struct holder),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Made by tp_new and filled by tp_init.",
    .tp_dealloc = free_holder,
    .tp_members = members,
    .tp_new = PyType_GenericNew,
    .tp_init = initialise_holder,
};

#if SINCE(3, 9)
static PyObject *make_holder(PyObject *type, PyObject *const *args, size_t flagged, PyObject *names)
{
    return hold((PyTypeObject *)type, last_of_names(args, PyVectorcall_NARGS(flagged), names));
}

static PyTypeObject make_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "callconv.Make",
    .tp_basicsize = sizeof(struct holder),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Made by vectorcall.",
    .tp_dealloc = free_holder,
    .tp_members = members,
    .tp_new = new_holder,
    .tp_vectorcall = make_holder,
};
#endif

int add_type(PyObject *module, const char *name, PyTypeObject *type)
{
    if (PyType_Ready(type) < 0)
        return -1;
    Py_INCREF(type);
    return PyModule_AddObject(module, name, (PyObject *)type);
}

int add_types(PyObject *module)
{
    if (add_type(module, "TpCall", &tp_call_type) < 0 || add_type(module, "New", &new_type) < 0 ||
        add_type(module, "Init", &init_type) < 0)
        return -1;
#if HAS_VECTORCALL
    if (add_type(module, "Vectorcall", &vectorcall_type) < 0)
        return -1;
#endif
#if SINCE(3, 9)
    if (add_type(module, "Make", &make_type) < 0)
        return -1;
#endif
    return 0;
}
