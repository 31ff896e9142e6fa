"""What the functions of the library return: a :class:`Report` of a result."""

from __future__ import annotations

import io
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from rich.console import Console

from whyfast.api.programs import ProgramFacts
from whyfast.model.codec import dump
from whyfast.model.errors import UserError
from whyfast.model.history import History
from whyfast.model.result import Result
from whyfast.model.verdict import Verdict
from whyfast.report.document import Document
from whyfast.report.pages.history_page import dump_history, history_page
from whyfast.report.pages.results import result_page, why_page
from whyfast.report.render.html import render_html
from whyfast.report.render.markdown import render_markdown
from whyfast.report.render.terminal import render_terminal
from whyfast.report.result_json import dump_result

StrPath = str | PathLike[str]

#: Pixels of a report in a notebook; it scrolls.
NOTEBOOK_HEIGHT = 640


#: The facts of a function that make a row.
_FUNCTION = ("name", "size", "instructions", "indirect_jumps", "direct_calls", "indirect_calls")


@dataclass(frozen=True)
class Report:
    """What an investigation found. ``result`` is all of it as plain data: a :class:`Result`, the
    :class:`History` of a series or the :class:`ProgramFacts` of programs. Printed, it is what the
    command prints; a notebook shows its HTML.
    """

    result: Result | History | ProgramFacts

    @property
    def document(self) -> Document:
        """The sections of the report."""
        if isinstance(self.result, ProgramFacts):
            return self.result.page
        if isinstance(self.result, History):
            return history_page(self.result)
        return (why_page if self.result.found.account else result_page)(self.result)

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        return self.document.headline

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """One for each benchmark and pair of variants; those of suites have no benchmark. None of
        a history and of programs, which are not compared in time."""
        if not isinstance(self.result, Result):
            return ()
        judged = self.result.judged
        return (*judged.verdicts, *(suite.verdict for suite in judged.suites))

    def rows(self) -> list[dict[str, object]]:
        """Plain rows: of verdicts, of the findings of a history, or of functions of programs."""
        if isinstance(self.result, ProgramFacts):
            return [
                {"program": p.variant, **{name: getattr(f, name) for name in _FUNCTION}}
                for p in self.result.programs
                for f in p.functions
            ]
        if isinstance(self.result, History):
            points = self.result.timeline.points
            return [
                {
                    "kind": f.kind,
                    "before": points[f.before],
                    "at": points[f.at],
                    "benchmark": benchmark,
                    "ratio": ratio,
                }
                for f in (*self.result.findings, *self.result.drifts)
                for benchmark, ratio in f.ratios.items()
            ]
        names = ("benchmark", "variant", "baseline", "outcome", "ratio", "low", "high")
        return [{n: getattr(v, n) for n in (*names, "confidence", "blocks")} for v in self.verdicts]

    def to_frame(self) -> Any:
        """:meth:`rows` as a data frame of pandas, or of polars. UserError without either."""
        for library in ("pandas", "polars"):
            try:
                frames = __import__(library)
            except ImportError:
                continue
            return frames.DataFrame(self.rows())
        raise UserError("to_frame: neither pandas nor polars is installed; pip install pandas")

    def to_json(self) -> str:
        """The versioned JSON of ``--json``; :func:`load` reads that of a result back."""
        if isinstance(self.result, ProgramFacts):
            return dump("explain", self.result.data)
        if isinstance(self.result, History):
            return dump_history(self.result)
        return dump_result(self.result)

    def to_html(self) -> str:
        """The offline page of ``--html``."""
        return render_html(self.document)

    def to_markdown(self) -> str:
        """The text of ``--markdown``."""
        return render_markdown(self.document, verbose=True)

    def save(self, path: StrPath) -> None:
        """Write ``.json``, ``.html`` or ``.md``. UserError for others, and where that fails."""
        file = Path(path)
        texts = {".json": self.to_json, ".html": self.to_html, ".md": self.to_markdown}
        if file.suffix not in texts:
            raise UserError(f"unknown suffix; expected {', '.join(texts)}", where=file)
        try:
            file.write_text(texts[file.suffix](), encoding="utf-8")
        except OSError as error:
            raise UserError(f"cannot be written: {error.strerror}", where=file) from None

    def __str__(self) -> str:
        console = Console(file=io.StringIO(), width=100)
        render_terminal(self.document, console=console)
        lines = console.file.getvalue().split("\n")  # type: ignore[attr-defined]
        return "\n".join(line.rstrip(" ") for line in lines)

    def __repr__(self) -> str:
        return f"<whyfast.Report: {self.headline}>"

    def _repr_html_(self) -> str:
        page = escape(self.to_html(), quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts" loading="lazy" '
            f'style="width:100%;height:{NOTEBOOK_HEIGHT}px;border:0"></iframe>'
        )
