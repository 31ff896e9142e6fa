/* What a call does beside taking time: memory that it asks for, C stack that it uses. And one clock
 * for all versions.
 */
#include "callconv.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

/* clock(): nanoseconds, monotonic. 2.7 has no such clock, and 3.6 only as a float. */
PyObject *clock_now(PyObject *module, PyObject *unused)
{
    struct timespec now;

    (void)module;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return PyLong_FromLongLong((long long)now.tv_sec * 1000000000 + now.tv_nsec);
}

/* Allocations: every request to CPython's allocators while one call runs. An object from a free list
 * is none. */

#if SINCE(3, 5)
const char *const no_allocations = NULL;

#define DOMAINS 3

static const PyMemAllocatorDomain domains[DOMAINS] = {
    PYMEM_DOMAIN_OBJ,
    PYMEM_DOMAIN_MEM,
    PYMEM_DOMAIN_RAW,
};
static PyMemAllocatorEx original[DOMAINS];
static size_t requests;
/* pymalloc hands large requests on to the raw allocator; those count once. */
static int inside;

static void *count_malloc(void *context, size_t size)
{
    PyMemAllocatorEx *to = context;
    void *memory;

    requests += !inside;
    inside++;
    memory = to->malloc(to->ctx, size);
    inside--;
    return memory;
}

static void *count_calloc(void *context, size_t count, size_t size)
{
    PyMemAllocatorEx *to = context;
    void *memory;

    requests += !inside;
    inside++;
    memory = to->calloc(to->ctx, count, size);
    inside--;
    return memory;
}

static void *count_realloc(void *context, void *old, size_t size)
{
    PyMemAllocatorEx *to = context;
    void *memory;

    requests += !inside;
    inside++;
    memory = to->realloc(to->ctx, old, size);
    inside--;
    return memory;
}

static void pass_free(void *context, void *memory)
{
    PyMemAllocatorEx *to = context;

    to->free(to->ctx, memory);
}

static void start_counting(void)
{
    requests = 0;
    for (int i = 0; i < DOMAINS; i++) {
        PyMemAllocatorEx counting = {&original[i], count_malloc, count_calloc, count_realloc,
                                     pass_free};

        PyMem_GetAllocator(domains[i], &original[i]);
        PyMem_SetAllocator(domains[i], &counting);
    }
}

static void stop_counting(void)
{
    for (int i = 0; i < DOMAINS; i++)
        PyMem_SetAllocator(domains[i], &original[i]);
}
#else
const char *const no_allocations = "hooks into the allocators came with 3.5";

static size_t requests;

static void start_counting(void)
{
}

static void stop_counting(void)
{
}
#endif

/* allocations(callable, args, empty): how often memory is asked for while callable(*args) runs.
 * `empty` says to collect garbage right before, which empties the free lists. */
PyObject *allocations(PyObject *module, PyObject *args)
{
    PyObject *callable, *given, *result;
    int empty;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO!i:allocations", &callable, &PyTuple_Type, &given, &empty))
        return NULL;
    if (no_allocations) {
        PyErr_SetString(PyExc_NotImplementedError, no_allocations);
        return NULL;
    }
    if (empty)
        PyGC_Collect();
    start_counting();
    result = PyObject_Call(callable, given, NULL);
    stop_counting();
    if (result == NULL)
        return NULL;
    Py_DECREF(result);
    return PyLong_FromSize_t(requests);
}

/* Stack: the call runs in a thread whose stack is painted; how far the paint is gone tells how deep it
 * went. */

#define STACK ((size_t)1 << 20)
#define PAINT UINT64_C(0xa5c3a5c3a5c3a5c3)
/* Left alone below the frame that paints: its own temporaries. */
#define MARGIN 64

struct probe {
    PyObject *callable, *args;
    uint64_t *stack;
    int whole;         /* the whole call, or what lies between stack_begins and stack_ends? */
    const char *here;  /* where the stack of interest begins; NULL: not begun */
    Py_ssize_t depth;  /* what was found last; -1: nothing yet */
    PyObject *result, *type, *value, *traceback;
};

/* What runs now, if anything does; under the GIL. */
static struct probe *active;

static __attribute__((noinline)) void paint(struct probe *probe)
{
    const char *frame = __builtin_frame_address(0);

    for (volatile uint64_t *word = probe->stack; (const char *)word < frame - MARGIN; word++)
        *word = PAINT;
}

static void look(struct probe *probe)
{
    volatile const uint64_t *word = probe->stack;

    while (*word == PAINT)
        word++;
    probe->depth = probe->here - (const char *)(uintptr_t)word;
    probe->here = NULL;
}

void stack_begins(const char *here)
{
    if (active == NULL || active->whole)
        return;
    active->here = here;
    paint(active);
}

void stack_ends(void)
{
    if (active && !active->whole && active->here)
        look(active);
}

/* Painter(n): iterates n times; the stack of the loop's body is what lies between two items. */
struct painter {
    PyObject_HEAD
    Py_ssize_t left;
};

static PyObject *new_painter(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct painter *self;
    Py_ssize_t count;

    if (kwargs && PyDict_Size(kwargs)) {
        PyErr_SetString(PyExc_TypeError, "Painter(n)");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "n:Painter", &count))
        return NULL;
    self = (struct painter *)type->tp_alloc(type, 0);
    if (self)
        self->left = count;
    return (PyObject *)self;
}

static PyObject *paint_next(PyObject *self)
{
    struct painter *painter = (struct painter *)self;

    stack_ends();
    if (painter->left <= 0)
        return NULL;
    painter->left--;
    stack_begins(__builtin_frame_address(0));
    Py_RETURN_NONE;
}

static PyTypeObject painter_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "callconv.Painter",
    .tp_basicsize = sizeof(struct painter),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Iterates so often, painting the stack for call_depth.",
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = paint_next,
    .tp_new = new_painter,
};

int add_painter(PyObject *module)
{
    return add_type(module, "Painter", &painter_type);
}

static __attribute__((noinline)) void call_painted(struct probe *probe)
{
    if (probe->whole) {
        /* Once for what happens only the first time: symbols are bound, caches are filled. */
        probe->result = PyObject_Call(probe->callable, probe->args, NULL);
        if (probe->result == NULL)
            return;
        Py_DECREF(probe->result);
        probe->here = __builtin_frame_address(0);
        paint(probe);
    }
    probe->result = PyObject_Call(probe->callable, probe->args, NULL);
    if (probe->whole)
        look(probe);
}

static void *in_thread(void *context)
{
    struct probe *probe = context;
    PyGILState_STATE state = PyGILState_Ensure();

    active = probe;
    call_painted(probe);
    active = NULL;
    if (probe->result == NULL)
        PyErr_Fetch(&probe->type, &probe->value, &probe->traceback);
    PyGILState_Release(state);
    return NULL;
}

/* Runs the probe in a thread with a stack of its own; 0, or an errno. */
static int run_thread(struct probe *probe)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int error = pthread_attr_init(&attributes);

    if (error)
        return error;
    error = pthread_attr_setstack(&attributes, probe->stack, STACK);
    if (error == 0)
        error = pthread_create(&thread, &attributes, in_thread, probe);
    if (error == 0) {
        Py_BEGIN_ALLOW_THREADS
        pthread_join(thread, NULL);
        Py_END_ALLOW_THREADS
    }
    pthread_attr_destroy(&attributes);
    return error;
}

static PyObject *depth_of(struct probe *probe)
{
    int error;

#if !SINCE(3, 7)
    PyEval_InitThreads();
#endif
    probe->depth = -1;
    probe->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe->stack == MAP_FAILED)
        return PyErr_SetFromErrno(PyExc_OSError);
    error = run_thread(probe);
    munmap(probe->stack, STACK);
    if (error) {
        errno = error;
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    if (probe->result == NULL) {
        PyErr_Restore(probe->type, probe->value, probe->traceback);
        return NULL;
    }
    Py_DECREF(probe->result);
    if (probe->depth < 0) {
        PyErr_SetString(PyExc_RuntimeError, "no Painter and no form of from_c was reached");
        return NULL;
    }
    return PyLong_FromSsize_t(probe->depth);
}

/* stack_depth(callable, args): bytes of stack that callable(*args) takes, in its second run. */
PyObject *stack_depth(PyObject *module, PyObject *args)
{
    struct probe probe = {.whole = 1};

    (void)module;
    if (!PyArg_ParseTuple(args, "OO!:stack_depth", &probe.callable, &PyTuple_Type, &probe.args))
        return NULL;
    return depth_of(&probe);
}

/* call_depth(callable, args): bytes of stack that one call takes which callable(*args) makes: in the
 * body of a loop over a Painter, or by a form of from_c; the last one if there are more. */
PyObject *call_depth(PyObject *module, PyObject *args)
{
    struct probe probe = {.whole = 0};

    (void)module;
    if (!PyArg_ParseTuple(args, "OO!:call_depth", &probe.callable, &PyTuple_Type, &probe.args))
        return NULL;
    return depth_of(&probe);
}
