"""All rewrites, by family."""

from honest import general, made, modules, shadows, shapes, testfiles
from honest.rewrite import Family, Rewrite

FAMILIES: tuple[Family, ...] = (
    modules.reexports,
    made.macros,
    made.aliases,
    made.constants,
    made.raw,
    general.general,
    general.visibility,
    general.methods,
    general.asynchronous,
    shadows.shadows,
    shadows.asked,
    shapes.order,
    shapes.heads,
    shapes.beside,
    shapes.bodies,
    testfiles.made,
    testfiles.attributes,
    testfiles.forms,
)
REWRITES: tuple[Rewrite, ...] = tuple(one for family in FAMILIES for one in family.rewrites)
