/* C that calls: which forms there are, and from_c, which runs one. */
#include "forms.h"

#include <string.h>

typedef PyObject *(*run_form)(struct job *);

/* What a form can do: a bit for each number of arguments. */
enum { NONE = 1, ONE = 2, THREE = 4, EIGHT = 8, KEY = 16, POSITIONAL = NONE | ONE | THREE | EIGHT };

__attribute__((noinline)) void mark(void)
{
    stack_begins(__builtin_frame_address(0));
}

PyObject *not_possible(void)
{
    PyErr_SetString(PyExc_ValueError, "this form cannot pass these arguments");
    return NULL;
}

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
