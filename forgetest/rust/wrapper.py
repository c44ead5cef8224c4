"""The names that a case's tests use, declared anew by what the case says of them.

A glob import of the sample would let it say what the tests' names mean, and its functions return
whatever compares equal to everything. So each function that the case declares is declared again,
with the case's types, and calls the sample's; types, traits and modules are imported by name.
A sample's function may be more general than the declaration, never less.
"""

from dataclasses import dataclass, field

from forgetest.rust.imports import Import
from forgetest.rust.items import Kind
from forgetest.rust.mentions import Mentions
from forgetest.rust.names import IN_SCOPE, STD_CRATES, STD_MACROS, STD_PLACES
from forgetest.rust.root import Declaration, Root, top_kinds
from forgetest.rust.signature import ROOT, Alias, Constant, Function

_ROOTED = f"{ROOT}::"


@dataclass(frozen=True, slots=True)
class Declared:
    """What a case says that its code must define."""

    root: Root
    whole: bool  # it compiles as it is: a solution, and no excerpt of a prompt
    crates: frozenset[str] = frozenset()  # that it depends on, as Rust spells them


@dataclass(frozen=True, slots=True)
class Api:
    """The module that tests see as their parent."""

    lines: tuple[str, ...]  # Rust items; `ROOT` stands for the sample's crate
    needs: frozenset[str]  # the names that they take from the sample's root
    macros: frozenset[str] = frozenset()  # those among them that are macros of the sample
    wrapped: bool = True  # no function reaches the tests with a type of the sample's choice

    def text(self, root: str) -> str:
        """Return the items, with the path of the sample's crate."""
        return "\n".join(self.lines).replace(ROOT, root)


def glob_api(sample: Root, mentions: Mentions) -> Api:
    """Return the API of a case that declares nothing: whatever the sample's root holds."""
    bound = {*sample.kinds, *(one.name for one in sample.imports)} & mentions.names
    macros = frozenset(sample.macro_names) & mentions.macros - STD_MACROS
    return Api((f"use {_ROOTED}*;",), frozenset(bound), macros, wrapped=False)


def declared_api(declared: Declared, sample: Root, mentions: Mentions) -> Api:
    """Return the API that a case declares, as far as its tests mention it."""
    plan = _Plan(declared, sample, mentions)
    plan.copy_imports()
    for name in sorted(mentions.names & {*declared.root.kinds, *plan.own_imports}):
        if not plan.is_helper(name):
            plan.bring(name)
    for name in sorted(top_kinds(declared.root, Kind.TRAIT) & top_kinds(sample, Kind.TRAIT)):
        plan.bring(name)  # or their methods would not be found
    plan.bring_macros()
    if not declared.whole:
        plan.guess()
    return Api(tuple(plan.lines), frozenset(plan.needs), frozenset(plan.macros), plan.wrapped)


@dataclass(slots=True)
class _Plan:
    """An API that grows name by name."""

    declared: Declared
    sample: Root
    mentions: Mentions
    lines: list[str] = field(default_factory=list)
    needs: set[str] = field(default_factory=set)
    macros: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    own_imports: dict[str, Import] = field(default_factory=dict)
    wrapped: bool = True

    def copy_imports(self) -> None:
        """Import what the declared code imports from elsewhere, and note what from itself."""
        root = self.declared.root
        self.lines += [text for text in root.crates if " self" not in text]
        for one in root.imports:
            if not self._is_own(one):
                self.lines.append(self._external(one))
                self.seen.add(one.name)
            elif one.name != "*":
                self.own_imports[one.name] = one
            elif self.sample.may_have(one.head):
                self._import_own(one)

    def is_helper(self, name: str) -> bool:
        """Tell whether a name is the solution's own business: only one of its kind must have it.

        Tests that mention it mean a variable of theirs, or the names of the sample are no help.
        """
        root = self.declared.root
        hidden = self.declared.whole and name in root.kinds and name not in root.public
        absent = name in self.mentions.bound or not self.sample.may_have(name)
        return hidden and bool(root.public) and absent

    def bring(self, name: str) -> None:
        """Make a name of the declared code mean what it means there, but done by the sample."""
        if name in self.seen:
            return
        self.seen.add(name)
        declaration = self.declared.root.declarations.get(name)
        if name in self.own_imports:
            self._import_own(self.own_imports[name])
        elif declaration is not None and self._can_say(declaration):
            for other in sorted(declaration.mentions):
                self._bring_mentioned(other)
            self._declare(declaration)
        else:
            self._import(name)

    def bring_macros(self) -> None:
        """Import the sample's macros that the tests invoke, and what their bodies speak of."""
        todo = sorted(self.mentions.macros - STD_MACROS)
        while todo:
            name = todo.pop()
            names = self.sample.macro_names.get(name)
            if names is None or name in self.macros:
                continue
            self.macros.add(name)
            if name not in self.seen:
                self._import(name)
            todo += sorted(names & set(self.sample.macro_names) - STD_MACROS)
            for other in sorted(names - IN_SCOPE - STD_MACROS - set(self.sample.macro_names)):
                self._bring_for_macro(other)

    def guess(self) -> None:
        """Add what an excerpt leaves unsaid: names that the tests take from the sample's root."""
        said = [one.mentions for one in self.declared.root.declarations.values()]
        names = self.mentions.names.union(*said) - IN_SCOPE - self.seen
        imports = {one.name: one for one in self.sample.imports if not self._is_odd(one)}
        self.lines += [self._external(one) for one in self.sample.imports if _is_std_glob(one)]
        for name in sorted(names):
            if name in self.sample.kinds and name not in self.sample.macro_names:
                self._import(name)
            elif name in imports:
                self.lines.append(self._external(imports[name]))
            elif name in STD_PLACES and name not in self.mentions.names:
                self.lines.append(f"use ::{STD_PLACES[name]};")

    def _declare(self, declaration: Declaration) -> None:
        target = _ROOTED + declaration.name
        if isinstance(declaration, Alias):
            self.lines.append(declaration.text)
            return
        self.needs.add(declaration.name)
        if isinstance(declaration, Constant):
            self.lines.append(declaration.forwarding(target))
        else:
            const = declaration.name in self.mentions.constant
            self.lines.append(declaration.forwarding(target, const=const))

    def _import(self, name: str) -> None:
        """Take a name from the sample's root as it is there."""
        self.seen.add(name)
        self.needs.add(name)
        self.lines.append(f"use {_ROOTED}{name};")
        kind = self.declared.root.kinds.get(name, self.sample.kinds.get(name))
        if kind is Kind.FUNCTION and name in self.mentions.names:
            self.wrapped = False

    def _import_own(self, one: Import) -> None:
        rooted = one if one.is_of_crate else Import(("crate", *one.path), one.name)
        self.needs.add(one.head)
        self.lines.append(rooted.text(ROOT))

    def _bring_mentioned(self, name: str) -> None:
        if name in self.own_imports or name in self.declared.root.kinds:
            self.bring(name)

    def _bring_for_macro(self, name: str) -> None:
        if name in self.declared.root.kinds:
            self.bring(name)
        elif name in self.sample.kinds and name not in self.seen:
            self._import(name)

    def _can_say(self, declaration: Declaration) -> bool:
        """Tell whether all types of a declaration have a meaning beside this sample."""
        return all(self._means(name) for name in declaration.mentions)

    def _means(self, name: str) -> bool:
        root = self.declared.root
        alias = root.declarations.get(name)
        if isinstance(alias, Alias):
            return self._can_say(alias)
        if name in self.own_imports:
            return self.sample.may_have(self.own_imports[name].head)
        if name in root.kinds:
            return self.sample.may_have(name)
        return self.declared.whole or self._is_known(name)

    def _is_known(self, name: str) -> bool:
        """Tell whether a name of an excerpt can be given a meaning."""
        outside = IN_SCOPE | STD_CRATES | self.declared.crates | frozenset(STD_PLACES)
        return name in outside or name in self.seen or self.sample.may_have(name)

    def _is_own(self, one: Import) -> bool:
        """Tell whether an import is of the declared code's own items."""
        return one.is_of_crate or one.head in self.declared.root.kinds

    def _external(self, one: Import) -> str:
        outside = one.head in STD_CRATES | self.declared.crates
        return one.text(ROOT).replace("use ", "use ::", 1) if outside else one.text(ROOT)

    def _is_odd(self, one: Import) -> bool:
        """Tell whether an import of the sample says anything but what its name says already."""
        outside = one.head in STD_CRATES | self.declared.crates and not one.is_of_crate
        return not outside or one.path[-1] != one.name or one.head in self.sample.kinds


def _is_std_glob(one: Import) -> bool:
    return one.name == "*" and one.path[:1] == ("std",) and len(one.path) > 1


def wrappable(root: Root, mentions: Mentions) -> bool:
    """Tell whether code declares any function that tests mention."""
    declared = root.declarations.values()
    return any(isinstance(one, Function) and one.name in mentions.names for one in declared)
