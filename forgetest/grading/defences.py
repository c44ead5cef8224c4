"""Which of the grader's own defences are on: all of them, always, but in tests of the defences."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Defences:
    """The defences that can be switched off one by one, to show that each of them holds something.

    No command switches one off. What the sandbox holds is not here: another backend holds less.
    """

    scan: bool = True  # refuse what works on the linker's level, before anything is compiled
    wrappers: bool = True  # the tests call functions with the types that the case declares
    own_crate: bool = True  # the sample is compiled as a library, without `--test`
    self_check: bool = (
        True  # after a test, different values must differ and a false assertion panic
    )
    trap: bool = True  # each passed test runs again where nothing sound says `ok`
    nonce: bool = True  # a report repeats a secret that no sample can guess
    environment: bool = True  # a test sees none of the grader's own variables


ALL = Defences()
