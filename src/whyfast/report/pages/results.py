"""The pages of a result, of an account, of several machines, and of a check: which as a comment, as
annotations on GitHub and as a line of a log, too."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from whyfast.judge.judge_run import cost_changes
from whyfast.model.codec import dump
from whyfast.model.result import Merged, Result
from whyfast.model.study import Commands, Recordings
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.answer import answer_of, choices
from whyfast.report.render.markdown import code, fold, render_markdown
from whyfast.report.sections import (
    certainty,
    changed_code,
    check,
    cost_by_parameter,
    costs,
    counted_work,
    dispatching,
    distribution,
    each_benchmark,
    kernel_counts,
    layouts,
    loops,
    machine_code,
    machines,
    main_table,
    over_machines,
    programs,
    recordings,
    side_by_side,
    summary,
    timeline,
)
from whyfast.report.sections.check import check_table, in_order, machine_line, promise, short_answer
from whyfast.report.sections.costs import check_cost_table
from whyfast.report.sections.distribution import interval_plot
from whyfast.report.sections.main_table import median_times, time_cell
from whyfast.report.sections.summary import check_summary
from whyfast.report.sections.timeline import machine_section, when
from whyfast.report.sections.why import why_headline, why_summary
from whyfast.report.sections.why_details import why_sections

if TYPE_CHECKING:
    from whyfast.model.code import FunctionChange

#: The rows of the table of times: variants, or benchmarks with a column for each variant.
TableRows = Literal["variants", "benchmarks"]
Sections = tuple[doc.ReportSection | None, ...]


def result_page(result: Result, rows: TableRows = "variants") -> doc.Document:
    """Everything about a result: the answer, what weakens it, what it consists of and rests on."""
    answer = answer_of(result)
    texts = answer.sentences
    if result.judged.about == "counts":
        *counted, how = kernel_counts.kernel_sections(result, texts)
        sections: Sections = (*counted, *_programs(result), timeline.machine_section(result), how)
    else:
        sections = _study(result, texts, rows)
    return doc.document(
        "report",
        *sections,
        title=result.question.title,
        headline=answer.headline,
        about=(timeline.when(result.recorded.started), f"run {result.recorded.run}"),
        heading=_heading(result),
        summary=summary.result_summary(result) if rows == "variants" else None,
    )


def _heading(result: Result) -> str:
    if result.found.check is not None:
        return check.CHECK_HEADING
    if isinstance(result.question, Recordings):
        return "Recorded results compared"
    if result.found.loops:
        return "Python in loops"
    return "Commands against each other" if isinstance(result.question, Commands) else ""


def _study(result: Result, texts: Sequence[str], rows: TableRows) -> Sections:
    intervals, benchmarks = each_benchmark.benchmark_sections(result)
    evidence, functions = machine_code.machine_code_sections(result)
    sure = doc.sentences(certainty.how_sure(result), aside=True)
    return (
        _answer(result, texts, rows),
        *why_sections(result.found.account),
        loops.loop_section(result),
        loops.bytecode_section(result),
        loops.way_section(result),
        certainty.care_section(result.judged.confounds),
        doc.section("certainty", "Certainty", sure, importance="answer"),
        costs.cost_section(result),
        doc.section("metrics", "Other quantities", certainty.metric_table(result)),
        layouts.placement_section(result),
        main_table.interaction_section(result),
        cost_by_parameter.slope_section(result),
        doc.section("dispatch", "How they dispatch", dispatching.jump_table(result)),
        doc.section("counted", "Counted work", *counted_work.count_tables(result)),
        distribution.distribution_section(result),
        intervals,
        benchmarks,
        doc.detail("figures", "Other figures", cost_by_parameter.figures_table(result)),
        evidence,
        changed_code.growth_section(result),
        doc.detail("counts", "Counted work, by benchmark", *counted_work.count_groups(result)),
        cost_by_parameter.point_section(result),
        side_by_side.result_code_section(result, texts),
        functions,
        recordings.run_times_section(result),
        timeline.raw_section(result),
        timeline.timeline_section(result),
        *_programs(result),
        certainty.noise_section(result),
        timeline.machine_section(result),
        doc.section("how", "How it was computed", certainty.method(result), importance="record"),
    )


def _programs(result: Result) -> Sections:
    return (
        doc.detail("builds", "The builds", programs.build_table(result)),
        programs.provenance_section(result),
    )


def _answer(result: Result, texts: Sequence[str], rows: TableRows) -> doc.ReportSection | None:
    if rows == "benchmarks":
        tables = each_benchmark.matrix_tables(result)
    else:
        makers = (loops.loop_table, main_table.axes_table, main_table.summary_table)
        tables = tuple(filter(None, (make(result) for make in makers)))[:1]
    plot = distribution.interval_plot(result)
    return doc.section(
        "answer",
        "Every variant against every baseline" if tables else "What was found",
        plot and replace(plot, later=choices(result)),
        *tables,
        side_by_side.linked(result, texts),
        machine_code.trouble_code(result.found.troubles),
        importance="answer",
    )


def merged_page(merged: Merged) -> doc.Document:
    """What machines say alike and what otherwise, and what each of them says."""
    headline, *rest = over_machines.machine_sentences(merged) or ["Nothing is compared."]
    whole, each = over_machines.difference_sections(merged)
    return doc.document(
        "merge",
        doc.section(
            "answer",
            "Every comparison on every machine",
            machines.machine_plot(merged),
            machines.overall_table(merged),
            doc.sentences(rest),
            importance="answer",
        ),
        over_machines.machines_care(merged),
        over_machines.lacking_section(merged),
        over_machines.claim_section(merged),
        whole,
        machines.pooled_section(merged),
        doc.section("machines", "The machines", machines.machine_table(merged)),
        machines.dispatch_machine_section(merged),
        each,
        machines.benchmark_machine_section(merged),
        machines.builds_machine_section(merged),
        machines.each_machine_section(merged),
        title=merged.question.title,
        headline=headline,
        about=(fmt.pluralize(len(merged.machines), "machine"),),
        heading="On several machines",
        summary=machines.machines_summary(merged),
    )


def why_page(result: Result) -> doc.Document:
    """The account first, then everything that a comparison of commands shows."""
    account = result.found.account
    measured = result_page(replace(result, found=replace(result.found, account=None)))
    if account is None:
        return measured
    return doc.document(
        "why",
        *why_sections(account),
        *measured.sections,
        headline=why_headline(account),
        about=measured.about,
        heading="Why one command takes longer",
        summary=why_summary(account),
    )


# A check as a page, as a Markdown comment, as annotations on GitHub, and as a line of a log.


#: The most lines of a comment: nobody reads longer ones.
LINES = 60
#: Functions whose instructions are shown on a page.
OPEN = 20
#: Rows of the table, and changed functions shown, in a comment.
_ROWS, _FUNCTIONS = 15, 3


def check_page(result: Result) -> doc.Document:
    """The answer, the table, what weakens it, and how the instructions of hot functions changed;
    then all that a reader elsewhere needs: commits, compilers, machine and times."""
    answer, measured = answer_of(result), bool(result.judged.verdicts)
    weak = [promise(result)] if measured else []
    weak += filter(None, [machine_line(result.judged.confounds)])
    names = changed_code.check_of(result).base_name, changed_code.check_of(result).head_name
    ends = (" to " if any(" " in name for name in names) else "..").join(names)
    return doc.document(
        "check",
        doc.section("benchmarks", "Benchmarks", check_table(result), importance="answer"),
        doc.section(
            "sure", "How sure", doc.sentences([*answer.sentences, *weak]), importance="answer"
        ),
        _compared(result),
        doc.section("times", "Times", interval_plot(result), _times(result)) if measured else None,
        *why_sections(result.found.account),
        doc.detail("costs", "Costs beside time", check_cost_table(result)),
        changed_code.growth_section(result),
        doc.detail("code", "Changed code", *_code(result)),
        machine_section(result),
        headline=answer.headline,
        about=(when(result.recorded.started), _machine(result)),
        heading=f"{ends} of {result.question.name}: {short_answer(result)}",
        summary=check_summary(result),
    )


def _machine(result: Result) -> str:
    facts = next((s.environment for s in reversed(result.recorded.sessions)), {})
    known = [str(facts[key]) for key in ("cpu_model", "os", "system") if facts.get(key)]
    return ", ".join(known) or "not recorded"


def _compared(result: Result) -> doc.ReportSection | None:
    """The two commits, the compilers and the machine, so that the report can travel alone."""
    check = changed_code.check_of(result)
    compilers = dict.fromkeys(t.version for t in result.recorded.toolchains)
    rows = [
        ("base", f"{check.base_name} ({check.base[:12]})"),
        ("head", f"{check.head_name} ({check.head[:12]})"),
        ("date", when(result.recorded.started)),
        ("compiler", ", ".join(compilers) or "not recorded"),
        ("machine", _machine(result)),
    ]
    return doc.detail("compared", "What was compared", doc.table("", ("", ""), rows))


def _times(result: Result) -> doc.Table | None:
    """Seconds of one loop on both sides: medians over blocks."""
    times = median_times(result.recorded.blocks)
    blocks = Counter(b.benchmark for b in result.recorded.blocks)
    about = result.judged.about
    rows = [
        (name, *(time_cell(times.get((name, x)), about) for x in ("base", "head")), blocks[name])
        for name in dict.fromkeys(v.benchmark for v in in_order(result) if v.benchmark)
        if (name, "base") in times
    ]
    return doc.table(
        "Medians of the blocks", ("benchmark", *doc.right("base", "head", "blocks")), rows
    )


def _code(result: Result) -> Iterator[doc.Block | None]:
    """The instructions of each before and after, the first :data:`OPEN` of them; then, in a line,
    those that differ in nothing but places."""
    hot = [c for c in changed_code.changed_hot(result) if c.diff]
    real = [c for c in hot if not changed_code.only_moved(c)]
    moved = [c.name for c in hot if changed_code.only_moved(c)]
    reached = changed_code.check_of(result).code.reached
    texts = []
    if len(reached) > len(hot) > 0:
        texts.append(
            f"Of {fmt.pluralize(len(reached), 'changed function')} the benchmarks execute "
            f"{len(hot)} whose instructions differ."
        )
    if len(real) > OPEN:
        texts.append(f"The first {OPEN} of {len(real)} are here, what carries most first.")
    yield doc.sentences(texts)
    for change in real[:OPEN]:
        yield doc.group(_title(change), doc.CodeBlock(change.diff, "diff"))
    if moved:
        which = (
            f"{fmt.pluralize(len(moved), 'function')} {'differs' if len(moved) == 1 else 'differ'}"
        )
        places = "offsets, addresses or registers"
        yield doc.sentences([f"{which} only in {places}: {changed_code.some_code(moved)}."])


def check_markdown(result: Result) -> str:
    """A comment for a pull request, of at most :data:`LINES` lines."""
    page = check_page(result)
    answer, *details = page.sections
    rest = tuple(s for s in details if s.importance == "answer")
    blocks = [_cut(b) if isinstance(b, doc.Table) else b for b in answer.blocks]
    short = replace(answer, blocks=tuple(blocks))
    parts = [render_markdown(replace(page, sections=(short, *rest))).rstrip("\n")]
    used = parts[0].count("\n") + 1
    for change in changed_code.changed_hot(result)[:_FUNCTIONS]:
        room = LINES - used - 9
        if change.diff and room >= 3:
            parts.append(fold(_title(change), code(change.diff, "diff", room)))
            used += parts[-1].count("\n") + 2
    lines = "\n\n".join(parts).split("\n")
    return "\n".join(lines[:LINES]) + "\n"


def _title(change: FunctionChange) -> str:
    return changed_code.change_sentence(change).replace("`", "")


def _cut(table: doc.Table) -> doc.Table:
    more = len(table.rows) - _ROWS
    caption = f"{table.caption}; {more} more are left out" if more > 0 else table.caption
    return replace(table, caption=caption, rows=table.rows[:_ROWS])


def github_annotations(result: Result, failed: bool) -> list[str]:
    """Annotations for GitHub: the answer, then each benchmark that is slower."""
    headline = answer_of(result).headline
    lines = [_annotation("error" if failed else "notice", "whyfast", headline)]
    kind = "error" if failed else "warning"
    for v in result.judged.verdicts:
        if v.outcome == "slower":
            lines.append(_annotation(kind, f"{v.benchmark}", str(fmt.percent_text(v))))
    return lines


def _annotation(kind: str, title: str, text: str) -> str:
    title, text = (fmt.escape_controls(raw).replace("%", "%25") for raw in (title, text))
    title = title.replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={title}::{text}"


def log_line(result: Result) -> str:
    """The result in one line of JSON, to be appended to a log that ``whyfast history`` reads.
    ``seconds`` are medians over blocks of the time of one loop."""
    check, median = changed_code.check_of(result), statistics.median
    times = fmt.grouped(
        ((b.benchmark, side), median(values) / b.loops)
        for b in result.recorded.blocks
        for side, values in b.values.items()
    )
    entries = {
        str(v.benchmark): {
            "outcome": v.outcome,
            "ratio": v.ratio,
            "seconds": {
                side: median(x) for (b, side), x in sorted(times.items()) if b == v.benchmark
            },
        }
        for v in result.judged.verdicts
    }
    at = datetime.fromtimestamp(result.recorded.started, UTC).isoformat(timespec="seconds")
    data = {
        "head": check.head,
        "base": check.base,
        "date": at,
        "same": check.code.same,
        "benchmarks": entries,
        "costs": {
            c.key: {"base": c.before, "head": c.after}
            for c in cost_changes(result)
            if c.after is not None and c.benchmark is None
        },
    }
    return dump("check", data, levels=0)
