"""What one function of the source does with arrays, in order: shuffles them, takes slices, joins them row by row."""

from __future__ import annotations

import ast

_PERMUTE = {"permutation", "randperm", "permuted"}
_SHUFFLE = {"shuffle"}
_STATES = {"set_state", "setstate", "set_rng_state"}
_SEEDS = {"seed", "manual_seed", "set_seed", "seed_everything"}
#: What pairs the rows of its arguments, besides the data sets of the user's.
_JOINING = {"zip", "TensorDataset", "train_test_split"}


class Shuffled:
    """``name`` was shuffled at ``line``; equal keys mean the same order."""

    def __init__(self, name: str, line: int, key: object, receiver: str) -> None:
        self.name, self.line, self.key, self.receiver = name, line, key, receiver


class Scope:
    """What one function (or the module's body) does in order."""

    def __init__(
        self, body: list[ast.stmt], datasets: set[str], paired: list[tuple[int, list[set[str]]]]
    ) -> None:
        self._joining = _JOINING | datasets
        self._slices: dict[str, list[tuple[int, set[str]]]] = {}
        self.shuffled: list[Shuffled] = []
        self.roots: dict[str, set[str]] = {}
        self.assigned: dict[str, list[int]] = {}
        self.joined: list[tuple[int, list[set[str]]]] = list(paired)
        self.states: list[int] = []
        self._permutations: dict[str, int] = {}
        self._seed, self._since = "", 0
        for statement in body:
            self._statement(statement)
        for taken in self._slices.values():
            self.joined.append((max(line for line, _ in taken), [roots for _, roots in taken]))

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        blocks = [getattr(node, part, None) for part in ("body", "orelse", "finalbody")]
        inner = [s for b in blocks if isinstance(b, list) for s in b if isinstance(s, ast.stmt)]
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)):
            self._simple(node)
        elif isinstance(node, ast.For):
            self._calls(node.iter)
        for one in inner:
            self._statement(one)

    def _simple(self, node: ast.stmt) -> None:
        value = getattr(node, "value", None)
        if value is None:
            return
        self._calls(value)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        pairs: list[tuple[ast.expr, ast.expr]] = []
        for target in targets:
            if (
                isinstance(target, ast.Tuple)
                and isinstance(value, ast.Tuple)
                and len(target.elts) == len(value.elts)
            ):
                pairs += zip(target.elts, value.elts, strict=True)
            elif isinstance(target, ast.Tuple):
                pairs += [(one, value) for one in target.elts]
            elif target is not None:
                pairs.append((target, value))
        fresh = [(self._name(target), one, self._order(one)) for target, one in pairs]
        for name, one, order in fresh:
            if not name:
                continue
            self.assigned.setdefault(name, []).append(node.lineno)
            if _call_name(one) in _PERMUTE and isinstance(one, ast.Call):
                self._permutations[name] = node.lineno
                continue
            roots = set().union(*[self.roots.get(n, {n}) for n in _names(one)])
            self.roots[name] = roots | {name}
            if order is not None:
                self.shuffled.append(Shuffled(name, node.lineno, order[0], order[1]))

    @staticmethod
    def _name(target: ast.expr) -> str:
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            target = target.value  # x[:] = x[p]
        return ast.unparse(target) if isinstance(target, (ast.Name, ast.Attribute)) else ""

    def _order(self, value: ast.expr) -> tuple[object, str] | None:
        """If an expression is something in another order: a key for that order, and who drew it."""
        while isinstance(value, ast.Call) and _call_name(value) in (
            "array",
            "asarray",
            "tensor",
            "list",
            "as_tensor",
        ):
            if not value.args:
                return None
            value = value.args[0]
        index: ast.expr | None = None
        if isinstance(value, ast.Subscript):
            index = (
                value.slice.elts[0]
                if isinstance(value.slice, ast.Tuple) and value.slice.elts
                else value.slice
            )
        elif isinstance(value, ast.ListComp) and isinstance(value.elt, ast.Subscript):
            index = value.generators[0].iter
        if isinstance(index, ast.Call) and _call_name(index) in _PERMUTE:
            return self._fresh(index)
        if isinstance(index, ast.Name) and index.id in self._permutations:
            return (index.id, self._permutations[index.id]), ""
        if (
            isinstance(value, ast.Call)
            and _call_name(value) in (*_SHUFFLE, "sample")
            and len(value.args) <= 2
        ):
            whole = (
                _call_name(value) == "shuffle"
                or any(k.arg == "frac" for k in value.keywords)
                or any(k.arg == "k" and _call_name(k.value) == "len" for k in value.keywords)
                or len(value.args) == 2
            )
            one = len(value.args) == 1 or _call_name(value) == "sample"
            state = next((ast.unparse(k.value) for k in value.keywords if k.arg == "random_state"), "")
            if whole and one:
                return (("state", state), "") if state and state != "None" else self._fresh(value)
        return None

    def _fresh(self, call: ast.Call) -> tuple[object, str]:
        receiver = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        if _call_name(call) == "sample":
            receiver = ""
        own = "(" in receiver  # made just for this: RandomState(0).permutation(n)
        self._since += 1
        return (receiver if own else (self._seed or "never", self._since)), "" if own else receiver

    def _calls(self, value: ast.expr) -> None:
        for taken in ast.walk(value):
            if isinstance(taken, ast.Subscript) and isinstance(taken.slice, (ast.Slice, ast.Name)):
                roots = set().union(*[self.roots.get(n, {n}) for n in _names(taken.value)])
                if _names(taken.slice):
                    self._slices.setdefault(ast.unparse(taken.slice), []).append((taken.lineno, roots))
        for call in ast.walk(value):
            if not isinstance(call, ast.Call):
                continue
            name = _call_name(call)
            if name in _SEEDS:
                self._seed, self._since = ast.unparse(call), 0
            elif name in _STATES:
                self.states.append(call.lineno)
            elif (
                name in _SHUFFLE
                and len(call.args) == 1
                and isinstance(call.args[0], (ast.Name, ast.Attribute))
            ):
                if isinstance(call.func, ast.Attribute):
                    key, receiver = self._fresh(call)
                    self.shuffled.append(Shuffled(ast.unparse(call.args[0]), call.lineno, key, receiver))
            elif name in self._joining:
                parts = [set().union(*[self.roots.get(n, {n}) for n in _names(a)]) for a in _arguments(call)]
                if sum(bool(p) for p in parts) > 1:
                    self.joined.append((call.lineno, parts))


def _arguments(call: ast.Call) -> list[ast.expr]:
    given = [*call.args, *[k.value for k in call.keywords]]
    flat: list[ast.expr] = []
    for one in given:
        flat += one.elts if isinstance(one, (ast.Tuple, ast.List)) else [one]
    return flat


def _call_name(node: ast.AST) -> str:
    func = node.func if isinstance(node, ast.Call) else None
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _names(node: ast.AST) -> list[str]:
    found = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id != "self"]
    return found + [
        ast.unparse(n)
        for n in ast.walk(node)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
    ]
