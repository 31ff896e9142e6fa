/* The first process of a guest kernel: runs programs that take turns, and powers the machine off.
 *
 * Freestanding C for x86-64 Linux: no C library, so that any C compiler makes the same small static
 * program of it (-static -nostdlib -ffreestanding). It never allocates memory.
 *
 * /plan holds strings that each end in a NUL:
 *
 *     "write" PATH TEXT                           a setting of the kernel
 *     "settle" SECONDS                            let the kernel's own work end; then go first
 *     "file" ID PATH                              the first line of a file, for the record
 *     "turns" ID LOOPS TURNS SECONDS ARGC ARG...  a program; TURNS times it is granted LOOPS and
 *                                                 then twice as many; SECONDS of guest time is what
 *                                                 one answer may take
 *
 * Answers go to the second serial port, one a line: KIND ID TEXT. The program's own output goes to
 * the console, which is the first. docs/kernels.md has the whole list of kinds.
 */
typedef unsigned long u64;
typedef long i64;

enum {
    SYS_read = 0, SYS_write = 1, SYS_open = 2, SYS_close = 3, SYS_poll = 7, SYS_ioctl = 16,
    SYS_pipe = 22, SYS_dup2 = 33, SYS_nanosleep = 35, SYS_fork = 57, SYS_execve = 59,
    SYS_exit = 60, SYS_wait4 = 61, SYS_kill = 62, SYS_mkdir = 83, SYS_setscheduler = 144,
    SYS_setrlimit = 160, SYS_mount = 165, SYS_reboot = 169
};

static i64 call(i64 number, i64 a, i64 b, i64 c, i64 d, i64 e)
{
    i64 result;
    register i64 r10 __asm__("r10") = d;
    register i64 r8 __asm__("r8") = e;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

/* The compiler may call these by itself. */
void *memset(void *to, int byte, u64 size)
{
    volatile char *at = to;

    while (size--)
        *at++ = (char)byte;
    return to;
}

void *memcpy(void *to, const void *from, u64 size)
{
    volatile char *at = to;
    const char *next = from;

    while (size--)
        *at++ = *next++;
    return to;
}

static u64 length(const char *text)
{
    u64 size = 0;

    while (text[size])
        size++;
    return size;
}

static int equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static u64 number(const char *text)
{
    u64 value = 0;

    while (*text >= '0' && *text <= '9')
        value = value * 10 + (u64)(*text++ - '0');
    return value;
}

static const char *decimal(u64 value, char *buffer) /* of 24 bytes */
{
    char *at = buffer + 23;

    *at = 0;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    return at;
}

static int results = 2; /* the console, until the second port is open */

static void put(const char *text)
{
    u64 left = length(text);

    while (left) {
        const i64 done = call(SYS_write, results, (i64)text, (i64)left, 0, 0);

        if (done <= 0)
            return;
        text += done;
        left -= (u64)done;
    }
}

/* Waits until the port has sent all: its interrupts must not fall into what is counted next. */
static void drain(int fd)
{
    call(SYS_ioctl, fd, 0x5409 /* TCSBRK */, 1, 0, 0);
}

static void say(const char *kind, const char *id, const char *text)
{
    put(kind);
    put(" ");
    put(id);
    put(" ");
    put(text);
    put("\n");
    drain(results);
}

static void say_number(const char *kind, const char *id, i64 value)
{
    char buffer[24], text[26];
    const char *digits = decimal(value < 0 ? (u64)-value : (u64)value, buffer);

    text[0] = '-';
    memcpy(text + 1, digits, length(digits) + 1);
    say(kind, id, value < 0 ? text : text + 1);
}

static void end(void)
{
    drain(1);
    for (;;)
        call(SYS_reboot, 0xfee1dead, 672274793, 0x4321fedc /* power off */, 0, 0);
}

/* The port passes bytes on as they are. */
static void raw(int fd)
{
    unsigned termios[16] = {0};

    if (call(SYS_ioctl, fd, 0x5401 /* TCGETS */, (i64)termios, 0, 0) == 0) {
        termios[0] = termios[1] = termios[3] = 0;
        call(SYS_ioctl, fd, 0x5402 /* TCSETS */, (i64)termios, 0, 0);
    }
}

static u64 ticks(void)
{
    unsigned low, high;

    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high));
    return (u64)high << 32 | low;
}

/* A loop of two instructions a round: shows what a tick of the processor's counter is. */
static u64 ticks_of(u64 rounds)
{
    const u64 start = ticks();

    __asm__ volatile("1: dec %0; jnz 1b" : "+r"(rounds) : : "cc");
    return ticks() - start;
}

static void tell_file(const char *id, const char *path)
{
    char text[512];
    const i64 fd = call(SYS_open, (i64)path, 0, 0, 0, 0);
    i64 size = fd < 0 ? fd : call(SYS_read, fd, (i64)text, sizeof(text) - 1, 0, 0);

    if (fd >= 0)
        call(SYS_close, fd, 0, 0, 0, 0);
    if (size < 0) {
        say_number("nofile", id, size);
        return;
    }
    text[size] = 0;
    for (i64 i = 0; i < size; i++)
        if (text[i] == '\n')
            text[i] = 0;
    say("file", id, text);
}

static void write_file(const char *path, const char *text)
{
    const i64 fd = call(SYS_open, (i64)path, 1, 0, 0, 0);
    i64 done = fd;

    if (fd >= 0) {
        done = call(SYS_write, fd, (i64)text, (i64)length(text), 0, 0);
        call(SYS_close, fd, 0, 0, 0, 0);
    }
    if (done < 0)
        say_number("unwritten", path, -done);
}

/* After its boot a kernel goes on working in threads of its own, the self-tests of its ciphers for
 * one. While it sleeps the guest's clock jumps, so that waiting for them costs next to nothing;
 * and whatever wakes up later does not take the processor from the program. */
static void settle(u64 seconds)
{
    const u64 wait[2] = {seconds, 0};
    const int priority = 50;

    call(SYS_nanosleep, (i64)wait, 0, 0, 0, 0);
    call(SYS_setscheduler, 0, 1 /* SCHED_FIFO */, (i64)&priority, 0, 0);
}

/* One line of at most `size` - 1 bytes. 1, or 0 at the end, -1 when `seconds` are over. */
static int read_line(int fd, char *line, u64 size, u64 seconds)
{
    struct {
        int fd;
        short events, revents;
    } wanted = {fd, 1, 0};
    u64 filled = 0;

    while (filled + 1 < size) {
        if (call(SYS_poll, (i64)&wanted, 1, (i64)(seconds * 1000), 0, 0) == 0)
            return -1;
        if (call(SYS_read, fd, (i64)(line + filled), 1, 0, 0) != 1)
            break;
        if (line[filled] == '\n') {
            line[filled] = 0;
            return 1;
        }
        filled++;
    }
    line[filled] = 0;
    return filled > 0;
}

static void start_program(char **argv, int in, int out)
{
    static char *env[] = {"WHYFAST_TURN=3,4", "PATH=/", "HOME=/", "LC_ALL=C", 0};

    /* Not onto each other: 5 and 6 are free, as only the standard streams and the port are open. */
    call(SYS_dup2, in, 20, 0, 0, 0);
    call(SYS_dup2, out, 21, 0, 0, 0);
    for (int fd = 3; fd < 20; fd++)
        call(SYS_close, fd, 0, 0, 0, 0);
    call(SYS_dup2, 20, 3, 0, 0, 0);
    call(SYS_dup2, 21, 4, 0, 0, 0);
    call(SYS_close, 20, 0, 0, 0, 0);
    call(SYS_close, 21, 0, 0, 0, 0);
    call(SYS_exit, call(SYS_execve, (i64)argv[0], (i64)argv, (i64)env, 0, 0) ? 127 : 0, 0, 0, 0, 0);
}

/* Grants the turns; leaves the answers in `answers`, so that nothing is sent in between. */
static int grant(const char *id, u64 loops, u64 turns, u64 seconds, int to, int from)
{
    static char answers[1 << 16];
    char line[256];
    u64 filled = 0;
    int state = read_line(from, line, sizeof(line), seconds);

    if (state == 1)
        say("ready", id, line);
    for (u64 turn = 0; state == 1 && turn < 2 * turns; turn++) {
        char buffer[24];
        const char *digits = decimal(turn % 2 ? 2 * loops : loops, buffer);

        call(SYS_write, to, (i64)digits, (i64)length(digits), 0, 0);
        call(SYS_write, to, (i64) "\n", 1, 0, 0);
        state = read_line(from, line, sizeof(line), seconds);
        if (state == 1 && filled + length(line) + 2 < sizeof(answers)) {
            memcpy(answers + filled, line, length(line) + 1);
            filled += length(line) + 1;
        }
    }
    for (u64 at = 0; at < filled; at += length(answers + at) + 1)
        say("answer", id, answers + at);
    return state;
}

static void take_turns(const char *id, u64 loops, u64 turns, u64 seconds, char **argv)
{
    int down[2], up[2], status = 0;
    i64 child;

    if (call(SYS_pipe, (i64)down, 0, 0, 0, 0) || call(SYS_pipe, (i64)up, 0, 0, 0, 0))
        return;
    child = call(SYS_fork, 0, 0, 0, 0, 0);
    if (child == 0)
        start_program(argv, down[0], up[1]);
    call(SYS_close, down[0], 0, 0, 0, 0);
    call(SYS_close, up[1], 0, 0, 0, 0);
    if (grant(id, loops, turns, seconds, down[1], up[0]) < 0) {
        say("late", id, "no answer in time");
        call(SYS_kill, child, 9, 0, 0, 0);
    }
    call(SYS_close, down[1], 0, 0, 0, 0);
    call(SYS_close, up[0], 0, 0, 0, 0);
    call(SYS_wait4, child, (i64)&status, 0, 0, 0);
    say_number("exit", id, status & 127 ? -(status & 127) : status >> 8 & 255);
}

static void set_up(void)
{
    const u64 unlimited[2] = {~0ul, ~0ul};
    i64 fd;

    call(SYS_mkdir, (i64) "/proc", 0755, 0, 0, 0);
    call(SYS_mkdir, (i64) "/sys", 0755, 0, 0, 0);
    call(SYS_mkdir, (i64) "/dev", 0755, 0, 0, 0);
    call(SYS_mkdir, (i64) "/tmp", 0755, 0, 0, 0);
    call(SYS_mount, (i64) "proc", (i64) "/proc", (i64) "proc", 0, 0);
    call(SYS_mount, (i64) "sysfs", (i64) "/sys", (i64) "sysfs", 0, 0);
    call(SYS_mount, (i64) "devtmpfs", (i64) "/dev", (i64) "devtmpfs", 0, 0);
    /* Programs and maps of BPF are locked memory before Linux 5.11. */
    call(SYS_setrlimit, 8 /* RLIMIT_MEMLOCK */, (i64)unlimited, 0, 0, 0);
    fd = call(SYS_open, (i64) "/dev/ttyS1", 02 | 0400 /* O_NOCTTY */, 0, 0, 0);
    if (fd >= 0) {
        results = (int)fd;
        raw(results);
    }
}

/* Longer plans are refused where they are written. */
static char plan[1 << 16];
static char *words[1 << 12];

static u64 read_plan(void)
{
    const i64 fd = call(SYS_open, (i64) "/plan", 0, 0, 0, 0);
    u64 filled = 0, count = 0, at = 0;
    i64 got;

    while ((got = call(SYS_read, fd, (i64)(plan + filled), (i64)(sizeof(plan) - 1 - filled), 0, 0))
           > 0)
        filled += (u64)got;
    while (at < filled && count + 64 < sizeof(words) / sizeof(*words)) {
        words[count++] = plan + at;
        at += length(plan + at) + 1;
    }
    for (u64 beyond = count; beyond < sizeof(words) / sizeof(*words); beyond++)
        words[beyond] = "";
    return count;
}

__attribute__((used)) void run(void)
{
    u64 count, at = 0;

    set_up();
    say("hello", "-", "1");
    count = read_plan();
    while (at + 1 < count) { /* the words beyond the last are empty, not absent */
        if (equal(words[at], "write")) {
            write_file(words[at + 1], words[at + 2]);
            at += 3;
        } else if (equal(words[at], "settle")) {
            settle(number(words[at + 1]));
            say_number("rounds", "100000", (i64)ticks_of(100000));
            at += 2;
        } else if (equal(words[at], "file")) {
            tell_file(words[at + 1], words[at + 2]);
            at += 3;
        } else if (equal(words[at], "turns") && at + 6 < count) {
            const u64 argc = number(words[at + 5]);
            char *argv[64] = {0};

            for (u64 i = 0; i < argc && i < 63; i++)
                argv[i] = words[at + 6 + i];
            take_turns(words[at + 1], number(words[at + 2]), number(words[at + 3]),
                       number(words[at + 4]), argv);
            at += 6 + argc;
        } else {
            break;
        }
    }
    say("bye", "-", at == count ? "0" : "1");
    end();
}

/* The kernel enters here with the stack aligned to 16; a call leaves it as functions expect it. */
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tcall run\n\thlt\n");
