"""The names that a case's tests use, declared again with the types that the case gives them.

A glob import of the sample would let the sample decide what the tests' names mean, and its
functions could return something that is equal to everything. So each function that the case
declares is declared again, with the case's types, and calls the sample's; types, traits and modules
are imported by name. A sample's function may be more general than the declaration, never less.

The sample's definitions are not read here: rustc is asked. A name that it does not find is left out
the next time (`absent`). An `open` API adds a glob import for everything else that tests rely on,
such as methods of traits that the case does not name; there, each name with a meaning of its own is
declared as well, because a declaration takes precedence over a glob.
"""

from dataclasses import dataclass, field

from forgetest.rust.items import Import, ItemKind
from forgetest.rust.mentions import Mentions
from forgetest.rust.root import ROOT, Alias, Constant, Declaration, Function, Root, top_kinds
from forgetest.rust.stdlib import (
    ARITIES,
    IN_SCOPE,
    PRELUDE_PLACES,
    STD_CRATES,
    STD_MACROS,
    STD_PLACES,
)

_ROOTED = f"{ROOT}::"
_PLACES = {**PRELUDE_PLACES, **STD_PLACES}


@dataclass(frozen=True, slots=True)
class DeclaredApi:
    """What a case says that its code must define."""

    root: Root
    whole: bool  # it compiles as it is: a solution, and no excerpt of a prompt
    crates: frozenset[str] = frozenset()  # that it depends on, as Rust spells them
    claimed: frozenset[str] = frozenset()  # more names that are the code's, even if std has them


@dataclass(frozen=True, slots=True)
class Api:
    """The module that tests see as their parent."""

    lines: tuple[str, ...]  # Rust items; `ROOT` stands for the sample's crate
    needs: frozenset[str]  # the names that they take from the sample's root
    names: frozenset[str]  # those, and the ones that come from there by way of others
    wrapped: bool = True  # no function reaches the tests with a type of the sample's choice
    open: bool = False  # everything else in the sample's root is in scope, too

    def text(self, root: str) -> str:
        """Return the items, with the path of the sample's crate."""
        return "\n".join(self.lines).replace(ROOT, root)


def declared_api(
    declared: DeclaredApi,
    mentions: Mentions,
    *,
    absent: frozenset[str] = frozenset(),
    opened: bool = False,
) -> Api:
    """Return the API that a case declares, as far as its tests mention it.

    `absent` are names that the sample's root is known to lack. Tests that call macros of the sample
    get an open API at once, because these may expand to any name.
    """
    wrapped = wrappable(declared.root, mentions)
    plan = _Plan(declared, mentions, absent, wrapped=wrapped)
    opened = opened or not wrapped or plan.is_for_macros()
    plan.copy_imports()
    for name in sorted(mentions.names & {*declared.root.kinds, *plan.own_imports}):
        if not plan.is_helper(name):
            plan.bring(name)
    for name in sorted(top_kinds(declared.root, ItemKind.TRAIT)):
        if not plan.is_hidden(name):
            plan.bring(name)  # or their methods would not be found
    if not declared.whole:
        plan.bring_std(by_itself=opened)
    if opened:
        plan.open()
    elif plan.has_globs or not declared.whole:
        plan.guess()
    return Api(
        tuple(plan.lines),
        needs=frozenset(plan.needs),
        names=frozenset(plan.names),
        wrapped=plan.wrapped,
        open=opened,
    )


@dataclass(slots=True)
class _Plan:
    """An API that grows name by name."""

    declared: DeclaredApi
    mentions: Mentions
    absent: frozenset[str]
    lines: list[str] = field(default_factory=list)
    needs: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    own_imports: dict[str, Import] = field(default_factory=dict)
    has_globs: bool = False  # the declared root has more names, from modules of its own
    wrapped: bool = True

    def is_for_macros(self) -> bool:
        """Tell whether tests call a macro that neither they nor the standard library define."""
        macros = self.mentions.macros - STD_MACROS - self.mentions.imported
        return any(name.partition("::")[0] in _ROOT_WORDS or "::" not in name for name in macros)

    def copy_imports(self) -> None:
        """Import what the declared code imports from elsewhere; note its imports from itself."""
        root = self.declared.root
        for name, declaration in root.crates.items():
            self._shield(name, declaration)
        for import_ in root.imports:
            if not self._is_own(import_):
                self.lines.append(self._external(import_))
                self.seen.add(import_.name)
            elif import_.name != "*":
                self.own_imports[import_.name] = import_
            elif root.kinds.get(import_.head) is not ItemKind.ENUM:
                self.has_globs = True
            elif import_.head not in self.absent:  # its variants
                self._take(import_.head, _rooted(import_))

    def is_helper(self, name: str) -> bool:
        """Tell whether a name is private to the solution and means something else in the tests.

        Tests that bind or define it mean their own.
        """
        return self.is_hidden(name) and name in self.mentions.bound | self.mentions.own

    def is_hidden(self, name: str) -> bool:
        """Tell whether a solution that has public items keeps this one to itself."""
        root = self.declared.root
        hidden = name in root.kinds and name not in root.public
        return self.declared.whole and hidden and bool(root.public)

    def bring(self, name: str) -> None:
        """Give a name of the declared code its meaning there, with the sample doing the work."""
        if name in self.seen or self.declared.root.kinds.get(name) is ItemKind.MACRO:
            return
        self.seen.add(name)
        declaration = self.declared.root.declarations.get(name)
        if name in self.own_imports or declaration is None or not self._can_declare(declaration):
            self._import(name)
            return
        for other in sorted(declaration.mentions):
            if other in self.own_imports or other in self.declared.root.kinds:
                self.bring(other)
        self._declare(declaration)

    def bring_std(self, *, by_itself: bool) -> None:
        """Import the names of std in an excerpt, and the prelude if `by_itself`."""
        places = _PLACES if by_itself else STD_PLACES
        for name in sorted((self._declared_names() & places.keys()) - self.seen):
            if self._is_std(name):
                self._shield(name, f"use ::{_PLACES[name]};")

    def guess(self) -> None:
        """Import from the sample all remaining names that nothing else defines."""
        others = STD_CRATES | self.declared.crates | self.mentions.imported | self.absent
        for name in sorted((self.mentions.sure | self._declared_names()) - self.seen - others):
            if not self._is_std(name):
                self._import(name)

    def _declared_names(self) -> set[str]:
        """Return the names in the declarations that tests see."""
        declarations = self.declared.root.declarations.values()
        seen = [declaration for declaration in declarations if declaration.name in self.seen]
        return {name for declaration in seen for name in declaration.mentions}

    def open(self) -> None:
        """Import the rest of the sample's root, and declare all names that it must not redefine."""
        self.lines.append(f"use {_ROOTED}*;")
        for crate in sorted((STD_CRATES | self.declared.crates) - self.seen - self._own_words()):
            self._shield(crate, f"extern crate {crate};")
        for name, place in PRELUDE_PLACES.items():
            if self._is_std(name) and name not in self.seen:
                self._shield(name, f"use ::{place};")
        for name in sorted(self.mentions.bound - self.mentions.telling - self.seen):
            # A constant of that name would turn the variable into a pattern to be matched.
            if name.isidentifier() and name.islower() and name not in self._own_words():
                self.lines.append(f"fn r#{name}() {{}}")

    def _own_words(self) -> frozenset[str]:
        root = self.declared.root
        return frozenset(root.kinds) | self.own_imports.keys() | self.declared.claimed | _NOT_RAW

    def _shield(self, name: str, line: str) -> None:
        self.seen.add(name)
        self.lines.append(line)

    def _is_std(self, name: str) -> bool:
        """Tell whether a name of an excerpt or of tests means the standard library's.

        It does unless the case claims it, or gives it another number of arguments.
        """
        arity = ARITIES.get(name)
        used = {*self.mentions.arities, *self.declared.root.arities}
        fits = arity is None or all(count == arity for type_, count in used if type_ == name)
        return fits and name in IN_SCOPE | STD_PLACES.keys() and name not in self._own_words()

    def _declare(self, declaration: Declaration) -> None:
        target = _ROOTED + declaration.name
        self.names |= declaration.mentions - IN_SCOPE
        if isinstance(declaration, Alias):
            self.lines.append(declaration.text)
            return
        self.needs.add(declaration.name)
        self.names.add(declaration.name)
        if isinstance(declaration, Constant):
            self.lines.append(declaration.forwarding(target))
        else:
            const = declaration.name in self.mentions.constant
            self.lines.append(declaration.forwarding(target, const=const))

    def _import(self, name: str) -> None:
        """Take a name from the sample's root as it is there, unless it is absent."""
        self.seen.add(name)
        if name in self.absent:
            return
        self._take(name, f"use {_ROOTED}{name};")
        if name in self.mentions.names and self._may_be_function(name):
            self.wrapped = False

    def _may_be_function(self, name: str) -> bool:
        root = self.declared.root
        if name in root.kinds:
            return root.kinds[name] is ItemKind.FUNCTION
        if name in self.own_imports:
            last = self.own_imports[name].path[-1]
            return any(
                i.kind is ItemKind.FUNCTION and i.name == last for i in root.items.reachable()
            )
        return name[:1].islower()

    def _take(self, name: str, line: str) -> None:
        self.needs.add(name)
        self.names.add(name)
        self.lines.append(line)

    def _can_declare(self, declaration: Declaration) -> bool:
        """Tell whether the sample has it, and all types of its declaration have a meaning here."""
        known = declaration.name not in self.absent or isinstance(declaration, Alias)
        return known and all(self._means(name) for name in declaration.mentions)

    def _means(self, name: str) -> bool:
        alias = self.declared.root.declarations.get(name)
        if isinstance(alias, Alias):
            return self._can_declare(alias)
        # A type that tests name must exist: a missing one is not replaced to make them build.
        lacks = name in self.absent and name not in self.mentions.names
        return not lacks or (not self.declared.whole and self._is_std(name))

    def _is_own(self, import_: Import) -> bool:
        """Tell whether an import is of the declared code's own items."""
        return import_.is_of_crate or import_.head in self.declared.root.kinds

    def _external(self, import_: Import) -> str:
        outside = import_.head in STD_CRATES | self.declared.crates
        return import_.text(ROOT).replace("use ", "use ::", 1) if outside else import_.text(ROOT)


_ROOT_WORDS = frozenset({"crate", "self", "super"})
_NOT_RAW = _ROOT_WORDS | {"_"}  # never raw identifiers


def _rooted(import_: Import) -> str:
    """Return the declaration of an import from the crate's root, which its path may leave out."""
    path = import_.path if import_.is_of_crate else ("crate", *import_.path)
    return Import(path, import_.name).text(ROOT)


def wrappable(root: Root, mentions: Mentions) -> bool:
    """Tell whether code declares any function that tests mention."""
    return any(
        isinstance(declaration, Function) and declaration.name in mentions.names
        for declaration in root.declarations.values()
    )
