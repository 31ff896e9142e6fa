"""Commands of a study: argument vectors with placeholders."""

from __future__ import annotations

import contextlib

from whyfast.study.placeholders import COMMAND_NAMES, PARAMETER_NAME, names_in
from whyfast.study.sections import check_placeholders
from whyfast.study.toml_table import TomlTable


def read_command(table: TomlTable, name: str, *, parameter: bool = False) -> tuple[str, ...]:
    """The command under that key; empty when it is not given.

    ``parameter``: the words may use ``{parameter}``.
    """
    if name not in table:
        return ()
    example = f'{name} = ["{{program}}", "argument"]'
    command = table.strings(name, empty=True)
    if not command or not command[0].strip():
        raise table.error((name,), "names no program", f"write {example}")
    valid = (*COMMAND_NAMES, PARAMETER_NAME) if parameter else COMMAND_NAMES
    for i, word in enumerate(command):
        with contextlib.suppress(ValueError):  # a stray brace, refused below
            if not parameter and PARAMETER_NAME in names_in(word):
                hint = 'write parameter = { name = "tail call", values = [0, 1, 2, 4] }'
                raise table.error((name, i), "there is no parameter here", hint)
        check_placeholders(table, (name, i), word, valid)
    if not any("program" in names_in(word) for word in command):
        message = "never uses {program}, so that every variant would run the same"
        raise table.error((name,), message, f"write {example}")
    return command
