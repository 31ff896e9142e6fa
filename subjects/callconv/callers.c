/* C that calls: every way of the C API to call an object or a method, in a loop.
 *
 * A form is a function that makes `loops` calls and returns the last result. The number of arguments
 * is constant in each loop, as it is where people write such calls.
 */
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

typedef PyObject *(*run_form)(struct job *);

/* What a form can do: a bit for each number of arguments. */
enum { NONE = 1, ONE = 2, THREE = 4, EIGHT = 8, KEY = 16, POSITIONAL = NONE | ONE | THREE | EIGHT };

/* Makes the call `loops` times and returns the last result. */
#define REPEAT(call)                                                                               \
    for (Py_ssize_t left = job->loops;;) {                                                         \
        PyObject *result = (call);                                                                 \
        if (result == NULL || --left == 0)                                                         \
            return result;                                                                         \
        Py_DECREF(result);                                                                         \
    }

/* A form, and the place in it after which it makes nothing but calls. */
#define FORM(form) static __attribute__((noinline)) PyObject *form(struct job *job)
#define MARK mark()

static __attribute__((noinline)) void mark(void)
{
    stack_begins(__builtin_frame_address(0));
}

static PyObject *not_possible(void)
{
    PyErr_SetString(PyExc_ValueError, "this form cannot pass these arguments");
    return NULL;
}

/* The same call for each number of arguments, which is `n` in it. */
#define FOR_EACH_COUNT(call)                                                                       \
    MARK;                                                                                          \
    switch (job->count) {                                                                          \
    case 0: { enum { n = 0 }; REPEAT(call) }                                                       \
    case 1: { enum { n = 1 }; REPEAT(call) }                                                       \
    case 3: { enum { n = 3 }; REPEAT(call) }                                                       \
    case 8: { enum { n = 8 }; REPEAT(call) }                                                       \
    default: return not_possible();                                                                \
    }

/* ... for a call whose arguments are spelled out. */
#define FOR_EACH_LIST(none, one, three, eight)                                                     \
    MARK;                                                                                          \
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
        MARK;
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

/* PyObject_CallFunction: arguments by a format. Not const before Python 3. */

#define FORMAT(text) ((char *)(text))

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
    MARK;
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
        MARK;
        REPEAT(PyObject_VectorcallDict(job->callable, job->args, 0, job->kwargs))
    }
    FOR_EACH_COUNT(PyObject_VectorcallDict(job->callable, job->args, n, NULL))
}
#endif

#if HAS_VECTORCALL
FORM(vectorcall)
{
    if (job->count < 0) {
        MARK;
        REPEAT(PyObject_Vectorcall(job->callable, job->args, 0, job->names))
    }
    FOR_EACH_COUNT(PyObject_Vectorcall(job->callable, job->args, n, NULL))
}

/* The place before the arguments may be written to, so that a bound method needs no copy of them. */
#define OFFSET(n) ((size_t)(n) | PY_VECTORCALL_ARGUMENTS_OFFSET)

FORM(vectorcall_offset)
{
    if (job->count < 0) {
        MARK;
        REPEAT(PyObject_Vectorcall(job->callable, job->args, OFFSET(0), job->names))
    }
    FOR_EACH_COUNT(PyObject_Vectorcall(job->callable, job->args, OFFSET(n), NULL))
}
#endif

/* Methods. */

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
    MARK;
    if (job->count == 0)
        REPEAT(PyObject_CallMethodNoArgs(job->callable, job->name))
    if (job->count == 1)
        REPEAT(PyObject_CallMethodOneArg(job->callable, job->name, A1))
    return not_possible();
}
#endif

struct caller {
    struct form form;
    run_form run;
    int of_methods;
    int can;
};

#define HERE(name) {name, NULL}
#if HAS_FASTCALL_KEYWORDS
#define IF_FASTCALL(name, run) HERE(name), run
#else
#define IF_FASTCALL(name, run) {name, "_PyObject_FastCallDict came with 3.6"}, NULL
#endif
#if HAS_VECTORCALL
#define IF_VECTORCALL(name, run) HERE(name), run
#else
#define IF_VECTORCALL(name, run) {name, "vectorcall came with 3.8"}, NULL
#endif
#if SINCE(3, 9)
#define IF_3_9(name, run, function) HERE(name), run
#else
#define IF_3_9(name, run, function) {name, function " came with 3.9"}, NULL
#endif

static const struct caller callers[] = {
    {HERE("fresh"), fresh, 0, POSITIONAL | KEY},
    {HERE("cached"), cached, 0, POSITIONAL},
    {HERE("cached_checked"), cached_checked, 0, POSITIONAL},
    {HERE("format"), format, 0, POSITIONAL},
    {HERE("objargs"), objargs, 0, POSITIONAL},
    {IF_3_9("short", short_form, "PyObject_CallOneArg"), 0, NONE | ONE},
    {IF_FASTCALL("vectorcall_dict", vectorcall_dict), 0, POSITIONAL | KEY},
    {IF_VECTORCALL("vectorcall", vectorcall), 0, POSITIONAL | KEY},
    {IF_VECTORCALL("vectorcall_offset", vectorcall_offset), 0, POSITIONAL | KEY},
    {HERE("method_format"), method_format, 1, POSITIONAL},
    {HERE("method_objargs"), method_objargs, 1, POSITIONAL},
    {HERE("method_bound_format"), method_bound_format, 1, POSITIONAL},
    {HERE("method_bound_objargs"), method_bound_objargs, 1, POSITIONAL},
    {IF_3_9("method_short", method_short, "PyObject_CallMethodOneArg"), 1, NONE | ONE},
    {IF_3_9("method_vectorcall", method_vectorcall, "PyObject_VectorcallMethod"), 1, POSITIONAL},
    {{NULL, NULL}, NULL, 0, 0},
};

/* [(name, calls methods, (number of arguments, ...; -1: the keyword), why not or None), ...] */
PyObject *caller_forms(void)
{
    static const struct {
        int bit, count;
    } counts[] = {{NONE, 0}, {ONE, 1}, {THREE, 3}, {EIGHT, 8}, {KEY, -1}};
    PyObject *list = PyList_New(0);

    for (const struct caller *c = callers; list && c->form.name; c++) {
        PyObject *possible = PyList_New(0), *row = NULL;

        for (size_t i = 0; possible && i < sizeof(counts) / sizeof(counts[0]); i++)
            if (c->can & counts[i].bit) {
                PyObject *number = Py_BuildValue("i", counts[i].count);

                if (number == NULL || PyList_Append(possible, number) < 0)
                    Py_CLEAR(possible);
                Py_XDECREF(number);
            }
        if (possible)
            row = Py_BuildValue("siNz", c->form.name, c->of_methods, possible, c->form.lack);
        if (row == NULL || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static const struct caller *find(const char *name)
{
    for (const struct caller *c = callers; c->form.name; c++)
        if (strcmp(c->form.name, name) == 0)
            return c;
    PyErr_Format(PyExc_ValueError, "no form of call %s", name);
    return NULL;
}

/* Where the arguments stand; the references are borrowed. */
static int read_arguments(struct job *job, PyObject *given, int with_key)
{
    Py_ssize_t count = PyTuple_GET_SIZE(given);

    if (count > MOST || (with_key && count != 1)) {
        PyErr_SetString(PyExc_ValueError, "0, 1, 3 or 8 arguments, or one with a keyword");
        return -1;
    }
    job->args = job->room + 1;
    job->receiver[1] = job->callable;
    for (Py_ssize_t i = 0; i < count; i++)
        job->args[i] = job->receiver[2 + i] = PyTuple_GET_ITEM(given, i);
    job->count = with_key ? -1 : (int)count;
    return 0;
}

/* What is made once for all loops. */
static int prepare(struct job *job)
{
    if (job->spelling && (job->name = INTERNED(job->spelling)) == NULL)
        return -1;
    if (job->count >= 0)
        return 0;
    job->names = PyTuple_Pack(1, keyword);
    job->kwargs = PyDict_New();
    if (job->names == NULL || job->kwargs == NULL)
        return -1;
    return PyDict_SetItem(job->kwargs, keyword, job->args[0]);
}

/* from_c(form, callable, args, loops, method=None, key=False): the last result; None for no loops. */
PyObject *from_c(PyObject *module, PyObject *args)
{
    const struct caller *caller;
    const char *form;
    PyObject *given, *result = NULL;
    int with_key = 0;
    struct job job = {0};

    (void)module;
    if (!PyArg_ParseTuple(args, "sOO!n|zi:from_c", &form, &job.callable, &PyTuple_Type, &given,
                          &job.loops, &job.spelling, &with_key))
        return NULL;
    caller = find(form);
    if (caller == NULL)
        return NULL;
    if (caller->run == NULL) {
        PyErr_SetString(PyExc_NotImplementedError, caller->form.lack);
        return NULL;
    }
    if (caller->of_methods != (job.spelling != NULL)) {
        PyErr_SetString(PyExc_ValueError, "forms that call methods, and only those, need a name");
        return NULL;
    }
    if (read_arguments(&job, given, with_key) < 0)
        return NULL;
    if (prepare(&job) == 0) {
        if (job.loops > 0)
            result = caller->run(&job);
        else
            result = last_of(NULL, 0);
        stack_ends();
    }
    Py_XDECREF(job.name);
    Py_XDECREF(job.names);
    Py_XDECREF(job.kwargs);
    return result;
}
