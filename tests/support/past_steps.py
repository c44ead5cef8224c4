"""What steps of a workflow have done on a machine, so that none does the same thing twice.

A step does the same again where it reads the same variables and the model's answers are recorded:
forgetest's own verdicts are its own tests' business. What such a step says and leaves is taken over
from the first time, as a checkpoint of the machine.
"""

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

RECORDED = "replay/"  # the models whose answers are in a file
OUT = "forgetest-out"


@dataclass(frozen=True)
class Step:
    """A shell step that is about to run, and where it tells its runner something, by variable."""

    script: str
    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    notes: Mapping[str, Path] = field(default_factory=dict)

    def run(self) -> tuple[int, str]:
        """Run it; return its exit code and what it said."""
        done = subprocess.run(
            self.argv,
            cwd=self.cwd,
            env={**self.env, **{name: str(path) for name, path in self.notes.items()}},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    @property
    def reads(self) -> tuple[object, ...]:
        """What decides what it does: its text, the variables that it reads, recorded answers."""
        names = set(re.findall(r"\$\{?(\w+)", self.script)) & set(self.env)
        model = self.env.get("MODELS", "")
        answers = self.cwd / model.removeprefix(RECORDED)
        recorded = answers.read_bytes() if model.startswith(RECORDED) else b""
        return (self.script, recorded, *sorted((name, self.env[name]) for name in names))


@dataclass(frozen=True)
class _Done:
    code: int
    said: str
    noted: Sequence[str]
    out: Path


@dataclass
class Past:
    """The steps that were carried out on a machine; `folder` holds what they have left."""

    folder: Path
    _done: dict[tuple[object, ...], _Done] = field(default_factory=dict)

    def run(self, step: Step) -> tuple[int, str]:
        """Run a step, or leave what it left when it did the same."""
        notes = list(step.notes.values())
        before = [note.read_text(encoding="utf-8") for note in notes]
        key = step.reads
        if key not in self._done:
            code, said = step.run()
            noted = [
                note.read_text(encoding="utf-8").removeprefix(text)
                for note, text in zip(notes, before, strict=True)
            ]
            out = self.folder / str(len(self._done))
            if (step.cwd / OUT).exists():
                shutil.copytree(step.cwd / OUT, out)
            self._done[key] = _Done(code, said, noted, out)
            return code, said
        done = self._done[key]
        for note, text, more in zip(notes, before, done.noted, strict=True):
            note.write_text(text + more, encoding="utf-8")
        if done.out.exists():
            shutil.copytree(done.out, step.cwd / OUT)
        return done.code, done.said
