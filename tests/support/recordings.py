"""Cases that recorded completions answer."""

from forgetest.evalset.types import Case


def case(key: str) -> Case:
    eval_set, _, case_id = key.partition("/")
    return Case(id=case_id, eval_set=eval_set, name=case_id, prompt="p")
