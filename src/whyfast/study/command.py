"""Commands of a study: argument vectors with placeholders."""

from __future__ import annotations

import contextlib

from whyfast.study.placeholders import COMMAND_NAMES, NAMES_NAME, PARAMETER_NAME, names_in
from whyfast.study.sections import check_placeholders
from whyfast.study.toml_table import TomlTable

#: The placeholders that a benchmark binds, what it has then, and how that is written.
_BINDING = {
    PARAMETER_NAME: ("parameter", 'parameter = { name = "tail call", values = [0, 1, 2, 4] }'),
    NAMES_NAME: ("list of names", 'names = ["NAME", "NAME"]'),
}


def read_command(table: TomlTable, name: str, *, bound: str = "") -> tuple[str, ...]:
    """The command under that key; empty when it is not given.

    ``bound`` is the placeholder that its words may use beside those of all commands.
    """
    if name not in table:
        return ()
    example = f'{name} = ["{{program}}", "argument"]'
    command = table.strings(name, empty=True)
    if not command or not command[0].strip():
        raise table.error((name,), "names no program", f"write {example}")
    valid = (*COMMAND_NAMES, bound) if bound else COMMAND_NAMES
    for i, word in enumerate(command):
        with contextlib.suppress(ValueError):  # a stray brace, refused below
            for other in _BINDING.keys() & set(names_in(word)) - {bound}:
                what, how = _BINDING[other]
                raise table.error((name, i), f"there is no {what} here", f"write {how}")
        check_placeholders(table, (name, i), word, valid)
    if not any({"program", "python"} & set(names_in(word)) for word in command):
        message = "never uses {program}, so that every variant would run the same"
        raise table.error((name,), message, f"write {example}")
    return command
