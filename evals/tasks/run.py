"""A run of methods over data sets: prepared, estimated, asked, and logged by Inspect (`gama eval run`)."""

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from langchain_core.language_models import BaseChatModel

from gama.evals.ledger import KEPT, Ledger, digest_settings
from gama.evals.solvers.base import Models, Solver
from gama.evals.solvers.catalog import make
from gama.evals.tasks.catalog import Items, Judges
from gama.evals.tasks.cost import Estimate, estimate, left
from gama.evals.tasks.solving import Bill, Budget, Desk, Replies
from gama.models.names import FREE, Price, is_hosted, price_of
from gama.state.errors import GamaError, InputError, OptionError
from gama.state.options import Options

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

COMMAND = "gama eval run"
_PACE = {"timeout_s", "rate_limit_per_minute", "max_concurrent", "prices", "max_cost", "public_model", "private_model"}
"""Options that change when something is asked, or are named among the models."""


class Plan(NamedTuple):
    """A method on a data set."""

    items: Items
    key: str
    """Of the method."""
    solvers: list[Solver]
    """The method, once for each epoch."""
    kept: Ledger
    verdicts: Ledger | None
    """The replies of the judge, where one is named."""
    settings: Mapping[str, Any]
    expected: Estimate
    """What is left of it."""


class Result(NamedTuple):
    """What became of a method on a data set."""

    dataset: str
    solver: str
    right: int
    questions: int
    samples: int
    failed: int
    calls: int
    tokens: int
    money: float | None
    log: Path
    before: bool
    """Whether it was complete before this run."""
    judge_calls: int
    judge_money: float | None
    """None where the judge's price is not known."""


def public_price(options: Options, price_in: float | None = None, price_out: float | None = None) -> Price | None:
    """Return what the public model costs, or None where nobody said.

    Args:
        options: with the model, its address, and prices of one's own.
        price_in: US dollars for a million tokens of input; goes before all tables.
        price_out: the same of output.

    Raises:
        OptionError: only one of the two is given, or the prices cannot be read.
    """
    if (price_in is None) != (price_out is None):
        raise OptionError("options --price-in and --price-out: give both, in US dollars for a million tokens")
    if price_in is not None and price_out is not None:
        return Price(price_in, price_out)
    name = _full_name(options)
    if not isinstance(name, str):
        named = getattr(name, "model_name", None) or getattr(name, "model", None)
        return price_of(f"{getattr(name, '_llm_type', '')}:{named}", options.prices)
    return price_of(name, options.prices) or (None if is_hosted(name, options.public_base_url) else FREE)


def judge_price(name: str, base_url: str | None, options: Options) -> Price | None:
    """Return what a judge costs, or None where nobody said.

    Raises:
        OptionError: the prices of one's own cannot be read.
    """
    return price_of(name, options.prices) or (None if is_hosted(name, base_url) else FREE)


def models_of(options: Options, judge: str | None = None, judge_base_url: str | None = None) -> Models:
    """Return the models of a run by their names.

    Raises:
        OptionError: no public model is named: the built-in reader cannot stand for one here.
        ModelError: a model cannot be had.
    """
    if options.public_model is None:
        raise OptionError("option --public: name the model that is to be measured, such as openai:gpt-4o")
    private = options.private_model
    if private is not None and not isinstance(private, BaseChatModel):
        from gama.models.private import private_model

        private = private_model(
            private,
            base_url=options.private_base_url,
            trusted=options.trust_private_model,
            seed=options.seed,
            timeout_s=float(options.timeout_s),
        ).model
    public = _full_name(options)
    asked = _built(public, options.public_base_url, options) if isinstance(public, str) else public
    return Models(asked, private, None if judge is None else _built(judge, judge_base_url, options))


def _full_name(options: Options) -> Any:
    name = options.public_model
    bare = isinstance(name, str) and ":" not in name and options.public_base_url is not None
    return f"openai:{name}" if bare else name


def _built(name: str, base_url: str | None, options: Options) -> BaseChatModel:
    from gama.models.public import chat_model

    return chat_model(name, base_url, None, float(options.timeout_s))


def prepare(
    items: Items, key: str, models: Models, options: Options, out: Path, *, epochs: int = 1, judge: str | None = None
) -> Plan:
    """Return a method on a data set, with what was finished before.

    Args:
        items: of the data set.
        key: of the method.
        models: of the run.
        options: of the run.
        out: folder of the run.
        epochs: how often each item is asked.
        judge: name of the model that judges.

    Raises:
        OptionError: there is no such method, or it lacks a model.
        InputError: the folder holds a run with other settings.
    """
    folder = out / KEPT
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    first = make(key, models, options)
    chosen = options.model_dump(
        mode="json", exclude_defaults=True, exclude=_PACE, fallback=lambda one: type(one).__name__
    )
    settings = {
        "dataset": items.name, "data": items.data, "solver": key, "facts": dict(first.facts()), "options": chosen,
        "judge": judge,
    }  # fmt: skip
    paid = {name: value for name, value in settings.items() if name != "judge"}
    kept = Ledger(folder / f"{items.name}--{key}.jsonl", paid, COMMAND)
    calls = Ledger(folder / f"{items.name}--{key}.calls.jsonl", paid, COMMAND)
    verdicts = Ledger(folder / f"{items.name}--{key}.judge.jsonl", settings, COMMAND) if judge is not None else None
    # Each epoch asks anew: a method of its own, whose model knows the replies of that epoch alone.
    solvers = [
        make(key, replace(models, public=_remembering(models.public, Replies(calls, epoch))), options)
        for epoch in range(1, epochs + 1)
    ]
    known = Desk([first], kept, Budget(None), None, lambda name: None)
    rest = left(items, known.has, epochs)
    ids = {item.problem.id for item in items.items}
    expected = estimate(key, [problem for problem, _ in rest], 1, [row for row in kept.rows if row["id"] in ids])
    return Plan(items, key, solvers, kept, verdicts, settings, expected)


def _remembering(model: BaseChatModel, replies: Replies) -> BaseChatModel:
    """Return a model that answers from what was kept; one with a cache of its own keeps that."""
    return model if model.cache is not None else model.model_copy(update={"cache": replies})


def run(
    plans: Sequence[Plan],
    out: Path,
    step: Callable[[str], None],
    *,
    epochs: int = 1,
    at_once: int = 8,
    max_cost: float | None = None,
    price: Price | None = None,
    judge: BaseChatModel | None = None,
    judge_price: Price | None = None,
) -> list[Result]:
    """Ask and log; what was finished before is not asked again.

    Args:
        plans: what is asked, one after the other.
        out: folder for the logs, which only its owner may read.
        step: told after each item.
        epochs: how often each item is asked.
        at_once: items under way at a time.
        max_cost: US dollars that the run may spend, what it has spent before included.
        price: of the public model.
        judge: the model that judges.
        judge_price: what it costs.

    Raises:
        LimitReached: the budget is spent.
        GamaError: something is wrong that is wrong with every item.
    """
    from inspect_ai import eval as inspect_eval

    from gama.evals.tasks.tasks import solver_of, task_of

    if max_cost is not None and price is None:
        raise OptionError("option --max-cost: the model's price is not known; give --price-in and --price-out")
    if max_cost is not None and judge is not None and judge_price is None:
        raise OptionError("option --max-cost: the judge's price is not known; name it in a file with --prices")
    budget = Budget(max_cost)
    results = []
    with _private_files(), _quiet_inspect(out), _rare_collections():
        for plan in plans:
            done = _finished(plan, out, epochs)
            desk = Desk(plan.solvers, plan.kept, budget, price, step, at_once)
            bill, judges = Bill(budget, judge_price), None
            if judge is not None and plan.verdicts is not None:
                asked = _remembering(judge, Replies(plan.verdicts, 0, bill.add))
                judges = Judges(asked, str(plan.settings["judge"]))
            if done is not None:
                for _ in range(len(plan.items.items) * epochs):
                    step(desk.name)
                results.append(_result(plan, done, price, bill, before=True))
                continue
            task = task_of(plan.items, solver_of(desk, plan.items.items), _metadata(plan, desk.name), judges)
            (log,) = inspect_eval(
                task, model=None, epochs=epochs, log_dir=str(out), log_format="eval",
                # Those that wait for a place are ready when one falls free: what Inspect does around an item costs no
                # time of the model's.
                max_samples=2 * at_once, max_tasks=1, display="none", score_display=False, log_realtime=False,
                ctl_server=False,
                log_model_api=False, log_images=False, fail_on_error=True, debug_errors=False,
                # What is answered is kept by us: Inspect need not write its log anew after every sample.
                log_buffer=max(10, len(plan.items.items) * epochs // 5),
            )  # fmt: skip
            if desk.stopped is not None:
                raise desk.stopped
            if log.status == "cancelled":
                raise KeyboardInterrupt
            if log.status != "success":
                raise GamaError(f"{plan.items.name}, {plan.key}: the run ended early; run the same command to go on")
            _remove_superseded(plan, out, Path(_local(log.location)))
            results.append(_result(plan, log, price, bill, before=False))
    return results


def _metadata(plan: Plan, name: str) -> dict[str, Any]:
    return {
        "solver": plan.key,
        "name": name,
        "facts": dict(plan.settings["facts"]),
        "judge": plan.settings["judge"],
        "settings": digest_settings(plan.settings),
        "options": plan.settings["options"],
        "notes": plan.items.notes,
    }


def _logs(plan: Plan, out: Path) -> "Iterator[tuple[Path, EvalLog]]":
    """Yield the logs of a method on a data set with these settings."""
    from inspect_ai.log import read_eval_log

    digest = digest_settings(plan.settings)
    for path in sorted(out.glob("*.eval")):
        try:
            log = read_eval_log(str(path), header_only=True)
        except Exception:  # killed before it had a header, or not Inspect's
            continue
        about = log.eval.metadata or {}
        if log.eval.task == plan.items.name and about.get("solver") == plan.key and about.get("settings") == digest:
            yield path, log


def _finished(plan: Plan, out: Path, epochs: int) -> "EvalLog | None":
    """Return the log that has all that is asked, and no failure."""
    if plan.expected.items:
        return None
    wanted = [item.problem.id for item in plan.items.items]
    for path, log in _logs(plan, out):
        of = log.eval.dataset.sample_ids
        if (
            log.status == "success"
            and (log.eval.config.epochs or 1) == epochs
            and of is not None
            and set(of) == set(wanted)
        ):
            log.location = str(path)
            return log
    return None


def _remove_superseded(plan: Plan, out: Path, log: Path) -> None:
    """Remove the logs of the same settings that this one replaces: broken off, or of a part of the items."""
    from inspect_ai.log import read_eval_log

    having = set(read_eval_log(str(log), header_only=True).eval.dataset.sample_ids or ())
    for path, other in list(_logs(plan, out)):
        within = set(other.eval.dataset.sample_ids or ()) <= having
        if path.resolve() != log.resolve() and (other.status != "success" or within):
            path.unlink()


def _result(plan: Plan, log: "EvalLog", price: Price | None, bill: Bill, *, before: bool) -> Result:
    from inspect_ai.log import read_eval_log

    path = Path(_local(log.location))
    samples = read_eval_log(str(path)).samples or []
    marks = [
        dict(score.value)
        for one in samples
        if (score := (one.scores or {}).get("marks")) and isinstance(score.value, dict)
    ]
    used = [one.metadata["used"] for one in samples]
    return Result(
        plan.items.name,
        str((log.eval.metadata or {})["name"]),
        sum(int(one["right"] or 0) for one in marks),
        sum(int(one["questions"] or 0) for one in marks),
        len(samples),
        sum("failed" in one.metadata for one in samples),
        sum(one["calls"] for one in used),
        sum(one["input_tokens"] + one["output_tokens"] for one in used),
        None if price is None else sum(one["money"] or 0.0 for one in used),
        path,
        before,
        bill.calls,
        bill.money,
    )  # fmt: skip


def _local(location: str) -> str:
    from urllib.parse import unquote, urlparse

    return unquote(urlparse(location).path) if location.startswith("file:") else location


@contextmanager
def _private_files() -> Iterator[None]:
    """Let only the owner read what is written: logs hold the texts and what was sent."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Look for garbage in cycles less often: each look goes over all the records that Inspect holds in memory."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 50, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _quiet_inspect(out: Path) -> Iterator[None]:
    """Keep Inspect's own trace of its steps beside the logs, and not among the user's data."""
    name = "INSPECT_TRACE_FILE"
    before = os.environ.get(name)
    os.environ[name] = str(out / KEPT / "inspect-trace.log")
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def check_ready(out: Path) -> None:
    """Make the folder of a run, before anything is asked.

    Raises:
        OptionError: Inspect is not installed.
        InputError: the folder cannot be made.
    """
    if find_spec("inspect_ai") is None:
        raise OptionError("runs are logged by Inspect: pip install 'gama-privacy[evals]'")
    try:
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {str(out)!r} cannot be made: {error.strerror}") from None
