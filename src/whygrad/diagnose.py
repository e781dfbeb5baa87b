"""From a trace to a report: finds the rules, runs them, and puts together what they say.

A rule is a module in the package ``whygrad.rules`` with a docstring (its documentation page) and
``check(graph) -> Iterator[Finding]``. It is found by walking the package; its name with dashes is its slug.
One with ``ACROSS = True`` compares the ranks of a distributed run: it gets the joined trace's graph, the others get each
rank's own.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from types import ModuleType

import msgspec

from whygrad.cost import cost
from whygrad.explaining import settle
from whygrad.finding import Cost, Finding, Overfit, ParameterVerdict, Report, Station, VerdictName
from whygrad.graph import NOT_JUDGED, Graph
from whygrad.graph.harm import guess, series
from whygrad.graph.memorising import memorising
from whygrad.merging import in_order, tidy
from whygrad.parameters import Verdict, judged, table
from whygrad.ranks.joining import join_findings, join_rows
from whygrad.trace import Trace

RULES = "whygrad.rules"

Check = Callable[[Graph], Iterator[Finding]]


def diagnose(trace: Trace, select: Collection[str] = (), ignore: Collection[str] = ()) -> Report:
    """Run the rules (only ``select``, if given; never those of ``ignore``) and report.

    Never raises because of a rule: what failed is named in ``Report.incomplete``."""
    modules, failed = load_rules()
    unknown = sorted({*select, *ignore} - modules.keys() - failed.keys())
    problems = [f"There is no rule called {slug}; `whygrad rules` lists them." for slug in unknown]
    problems += [text for slug, text in failed.items() if _chosen(slug, select, ignore)]
    chosen = {slug: module for slug, module in modules.items() if _chosen(slug, select, ignore)}
    graph = Graph(trace)
    ranks = [Graph(one) for one in trace.ranks]
    apart = [_of_one(one, chosen, problems) for one in ranks or [graph]]
    findings = _across(graph, apart, chosen, problems) if ranks else apart[0]
    return _report(graph, ranks or [graph], findings, problems, len(chosen))


def _of_one(graph: Graph, rules: Mapping[str, ModuleType], problems: list[str]) -> tuple[Finding, ...]:
    """What the rules find in one process."""
    raw: list[Finding] = []
    for slug, module in rules.items():
        if not getattr(module, "ACROSS", False):
            raw += _run(slug, module, graph, problems)
    return tidy(settle(raw, rules), _sizes([graph.trace]))


def _across(
    graph: Graph,
    apart: Sequence[Sequence[Finding]],
    rules: Mapping[str, ModuleType],
    problems: list[str],
) -> tuple[Finding, ...]:
    """What was found on each rank, joined, and what only a comparison of them shows."""
    ranks = graph.trace.ranks
    found: list[Finding] = []
    for slug, module in rules.items():
        if getattr(module, "ACROSS", False):
            found += _run(slug, module, graph, problems)
    everyone = tuple(trace.rank for trace in ranks)
    found = [f if f.ranks else msgspec.structs.replace(f, ranks=everyone) for f in found]
    found += join_findings({trace.rank: own for trace, own in zip(ranks, apart, strict=True)})
    return in_order(settle(found, rules), _sizes(ranks))


def load_rules() -> tuple[dict[str, ModuleType], dict[str, str]]:
    """Every rule by its slug; and by slug too, a sentence about each that could not be loaded."""
    modules: dict[str, ModuleType] = {}
    failed: dict[str, str] = {}
    package = importlib.import_module(RULES)
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        if info.name.startswith("_"):
            continue
        slug = info.name.replace("_", "-")
        try:
            module = importlib.import_module(f"{RULES}.{info.name}")
            if not callable(getattr(module, "check", None)):
                raise TypeError("it has no function `check`")
            modules[slug] = module
        except Exception as error:
            failed[slug] = _failure(f"The rule {slug} could not be loaded", error)
    return modules, failed


def _chosen(slug: str, select: Collection[str], ignore: Collection[str]) -> bool:
    return (not select or slug in select) and slug not in ignore


def _run(slug: str, module: ModuleType, graph: Graph, problems: list[str]) -> list[Finding]:
    """What one rule finds. If it fails half-way, what it had found by then still counts."""
    found: list[Finding] = []
    check: Check = module.check
    try:
        for finding in check(graph):
            # the report is a contract, so a rule that puts the wrong type in a field is caught here, by name
            whole = msgspec.convert(msgspec.to_builtins(finding), Finding)
            found.append(msgspec.structs.replace(whole, rule=slug))
    except Exception as error:
        problems.append(_failure(f"The rule {slug} failed", error))
    return found


def _report(
    graph: Graph, ranks: Sequence[Graph], findings: tuple[Finding, ...], problems: list[str], rules: int
) -> Report:
    """``ranks``: the graph of each; for a single process only its own."""
    trace = graph.trace
    level, stations = guess(graph), list[Station]()
    parts = [_table(one, findings, problems, stations) for one in ranks]
    parameters = join_rows(rows for rows, _ in parts)
    overfit = _overfit(graph, problems)
    unseen = [*trace.problems, *problems]
    verdict = _verdict(trace, findings, {row.verdict for row in parameters})
    if verdict == "incomplete":
        unseen.insert(0, _nothing_judged(trace, len(parameters)))
    return Report(
        verdict=verdict,
        script=trace.script,
        steps=_steps(trace),
        backwards=len(trace.backwards),
        seconds=trace.seconds,
        environment=dict(trace.environment),
        findings=findings,
        parameters=parameters,
        cost=parts[0][1],
        incomplete=tuple(dict.fromkeys(unseen)),
        ended=next((one.ended for one in trace.ranks if one.raised is not None), trace.ended),
        watched={
            "parameters": len(parameters),
            "operations": max(trace.seen_ops, len(trace.ops)),
            "backwards": len(trace.backwards),
            "steps": sum(bool(step.params) for step in trace.steps) or len(trace.steps),
            "optimizers": _optimizers(trace),
            "rules": rules,
        },
        losses=tuple(series(graph)),
        overfit=overfit,
        guess=level.guess if level else None,
        stations=tuple(stations),
        raised=_raised(trace),
    )


def _optimizers(trace: Trace) -> int:
    """How many there are: a wrapper (Accelerate's, Lightning's) has none, or the groups of the one in it."""
    return len({groups for o in trace.optimizers if (groups := tuple([group.params for group in o.groups]))})


def _raised(trace: Trace) -> str:
    """The exception that ended the script; of several ranks that of the first that raised one, with its number."""
    for one in trace.ranks or (trace,):
        if one.raised is not None:
            who = f"rank {one.rank}: " if trace.ranks else ""
            return who + f"{one.raised.type}: {one.raised.message}".removesuffix(": ")
    return ""


def _table(
    graph: Graph, findings: tuple[Finding, ...], problems: list[str], stations: list[Station]
) -> tuple[tuple[ParameterVerdict, ...], Cost | None]:
    """What became of the parameters of one process, and what it cost."""
    rows = judged(graph.trace, findings)
    verdicts = _judge(graph, problems)
    return table(graph, rows, verdicts, findings, stations), cost(graph.trace, rows, verdicts)


def _judge(graph: Graph, problems: list[str]) -> Sequence[Verdict]:
    """The verdict on every entry of ``trace.params``; findings are not lost if that fails."""
    try:
        return graph.verdicts()
    except Exception as error:
        problems.append(_failure("The parameters could not be judged one by one", error))
        return [(None, NOT_JUDGED)] * len(graph.trace.params)


def _overfit(graph: Graph, problems: list[str]) -> Overfit | None:
    """What a run of ``--overfit`` says; the findings are not lost if that fails."""
    try:
        run = memorising(graph)
        return None if run is None else run.report()
    except Exception as error:
        problems.append(_failure("Whether the batch was memorised could not be judged", error))
        return None


def _verdict(trace: Trace, findings: Collection[Finding], words: Collection[str]) -> VerdictName:
    """One word for the run. A run in which nothing was seen to train is never called healthy."""
    severities = {finding.severity for finding in findings}
    if "error" in severities:
        return "does-not-train"
    if "warning" in severities:
        return "suspect"
    seen = (trace.backwards or trace.steps) and "trains" in words
    return "trains" if seen else "incomplete"


def _nothing_judged(trace: Trace, parameters: int) -> str:
    """Why the verdict is ``incomplete``, in one sentence."""
    if not trace.backwards and not trace.steps:
        return "No backward pass and no optimizer step was seen."
    if not parameters:
        return "Gradients were computed, but no parameter of a model was seen."
    return "No parameter was seen to train, and no rule says why."


def _steps(trace: Trace) -> int:
    """Steps of the optimizer that was seen to step most. Those that were only followed do not count."""
    if trace.overfit is not None:
        return trace.step_count()
    seen = Counter(step.optimizer for step in trace.steps if step.params and not step.skipped)
    return max(seen.values(), default=0) or trace.step_count()


def _sizes(traces: Iterable[Trace]) -> Mapping[str, int]:
    """The number of elements behind every name that a finding may use for a parameter."""
    sizes: dict[str, int] = {}
    for trace in traces:
        for param in trace.params:
            for name in (param.fqn, *param.aliases):
                sizes.setdefault(name, math.prod(param.shape))
    return sizes


def _failure(what: str, error: Exception) -> str:
    """One sentence: what failed and where, so that it can be reported; the training is not touched by it."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and "importlib" not in frame.filename
    ]
    place = f" at {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{what} ({type(error).__name__}: {error}{place}); the rest of the report is not affected."
