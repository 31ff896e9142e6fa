"""Documents that give a parser or converter work, for a project that has none itself.

Each consists of records by its format's plain rules, without what only some dialects know.
"""

from __future__ import annotations

from collections.abc import Callable

#: Records of a document of half a megabyte, and words in their texts.
RECORDS = 4000
_WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")
_TEXTS = [" ".join(_WORDS[(9 * n + i * i) % 10] for i in range(6)) for n in range(10)]


def _text(number: int) -> str:
    """Six words that depend on the number."""
    return _TEXTS[number % len(_TEXTS)]


def _json(records: int) -> str:
    rows = (
        f'  {{"id": {n}, "name": "{_text(n)}", "ratio": {n / 8}, "flags": [true, false, null], '
        f'"more": {{"text": "line\\n\\"{n}\\"", "power": {n}e-3}}}}'
        for n in range(records)
    )
    return "[\n" + ",\n".join(rows) + "\n]\n"


def _yaml(records: int) -> str:
    return "".join(
        f"- id: {n}\n  name: {_text(n)}\n  ratio: {n / 8}\n  flags: [true, false, none]\n"
        f'  more:\n    text: "line\\n{n}"\n    power: {n}e-3\n'
        for n in range(records)
    )


def _xml(records: int) -> str:
    rows = (
        f'  <record id="{n}" kind="plain">\n    <name>{_text(n)}</name>\n'
        f"    <ratio>{n / 8}</ratio><text>a &lt; b &amp; c</text>\n  </record>\n"
        for n in range(records)
    )
    return '<?xml version="1.0" encoding="UTF-8"?>\n<records>\n' + "".join(rows) + "</records>\n"


def _markdown(records: int) -> str:
    return "".join(
        f"## Part {n}\n\n{_text(n)}, *{_text(n + 1)}* and `code {n}`.\n\n"
        f"- [a link](https://example.org/{n})\n- **{_text(n + 2)}**\n\n"
        for n in range(records)
    )


def _csv(records: int) -> str:
    rows = (
        f'{n},{_text(n)},{n / 8},"a, ""b"" and c",{_text(n + 1)},{n * n}\n' for n in range(records)
    )
    return "id,name,ratio,text,more,square\n" + "".join(rows)


def _ini(records: int) -> str:
    return "".join(
        f"[section{n}]\n; {_text(n + 1)}\nname = {_text(n)}\nratio = {n / 8}\nsize = {n}\n\n"
        for n in range(records)
    )


#: What makes a document of so many records, by the ending of its files.
DOCUMENTS: dict[str, Callable[[int], str]] = {
    "json": _json,
    "yaml": _yaml,
    "xml": _xml,
    "md": _markdown,
    "csv": _csv,
    "ini": _ini,
}
