"""The table of commands, and the output of ``whyfast --help``. Imports nothing: it must be fast."""

from __future__ import annotations


class Entry:
    """The modules with ``add_NAME`` and ``run_NAME``, and the purpose of a command."""

    def __init__(self, options: str, module: str, purpose: str) -> None:
        self.options, self.module, self.purpose = options, module, purpose


_MEASURING, _READING = "measuring_options", "reading_options"

#: The commands in the order of the help. The modules of a command, and argparse, are imported only
#: when the command is called, and its options before it, so that --help is fast.
COMMANDS = {
    "ab": Entry(_MEASURING, "ab", "compare two or more commands without a study file"),
    "timeit": Entry(_MEASURING, "timeit", "compare Python statements or functions"),
    "why": Entry(_MEASURING, "why", "explain why one command takes longer than another"),
    "check": Entry(_MEASURING, "runs", "check whether a change or pull request is slower"),
    "new": Entry(_READING, "admin", "write a study file to start from"),
    "run": Entry(_MEASURING, "runs", "build, measure, judge and explain a study, or resume it"),
    "plan": Entry(_MEASURING, "runs", "show what a study would build and run, without doing it"),
    "report": Entry(_READING, "reading", "show the last results of a study again"),
    "studies": Entry(_READING, "admin", "list the bundled studies"),
    "search": Entry(
        _MEASURING,
        "search",
        "find the commit, compiler, flag or object file that caused a slowdown",
    ),
    "explain": Entry(_READING, "explain", "compare the machine code of programs side by side"),
    "survey": Entry(_READING, "explain", "compare the dispatch of many interpreters and compilers"),
    "compare": Entry(_READING, "reading", "compare results that other tools recorded"),
    "history": Entry(_READING, "reading", "find steps, drifts and outliers in a series of runs"),
    "import": Entry(_READING, "reading", "store results of other tools as points of a history"),
    "merge": Entry(_READING, "reading", "combine results of one study from several machines"),
    "fleet": Entry(_MEASURING, "fleet", "run a fleet's scheduler, or create its certificates"),
    "worker": Entry(_MEASURING, "fleet", "measure on this machine for a fleet"),
    "doctor": Entry(
        _READING, "admin", "find what disturbs measurements on this machine, and change settings"
    ),
    "builds": Entry(_READING, "admin", "list, show and remove builds"),
    "toolchain": Entry(_READING, "admin", "list, install and remove compilers"),
    "completion": Entry(_READING, "admin", "print the completion script of a shell"),
}

#: Headings of the help, each before its first command.
_HEADINGS = {
    "ab": "compare programs",
    "run": "studies of many variants",
    "search": "find and explain causes",
    "compare": "recorded results",
    "fleet": "machines, builds and compilers",
}


def exit_codes(fail_on: bool = True) -> str:
    """The exit codes of a command; 3 only where it has the option ``--fail-on``."""
    third = "3: --fail-on condition met; " if fail_on else ""
    return (
        "exit codes: 0: done; 1: completed with failures; 2: invalid input;\n"
        f"{third}130: interrupted"
    )


def help_text() -> str:
    """The output of ``whyfast --help``."""
    width = max(map(len, COMMANDS)) + 2
    commands = "\n".join(
        (f"\n{_HEADINGS[name]}:\n" if name in _HEADINGS else "") + f"  {name:{width}}{c.purpose}"
        for name, c in COMMANDS.items()
    )
    return (
        "usage: whyfast COMMAND ...\n\n"
        "Is it really faster, compared with what, why, and since when?\n"
        f"{commands}\n\n"
        "For details: whyfast COMMAND --help\n\n"
        "examples:\n  whyfast ab './old input' './new input'\n  whyfast why\n"
        "  whyfast run dispatch --quick\n\n"
        f"{exit_codes()}"
    )
