"""What steps of a workflow have done on a machine, so that none does the same thing twice.

A step does the same again where it reads the same variables and the model's answers are recorded:
forgetest's own verdicts are its own tests' business. What such a step says and leaves is taken over
from the first time, as a checkpoint of the machine.
"""

import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sharing import locked

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
        read = [(name, self.env[name].replace(str(self.cwd), ".")) for name in sorted(names)]
        return (self.script, recorded, *read)


@dataclass(frozen=True)
class _Done:
    code: int
    said: str
    noted: Sequence[str]


@dataclass(frozen=True)
class Past:
    """The steps that were carried out; `folder` holds what they have said and left.

    Several who test at once share it: who comes while a step is carried out waits for its end.
    """

    folder: Path

    def run(self, step: Step) -> tuple[int, str]:
        """Run a step, or leave what it left when it did the same."""
        key = hashlib.sha256(repr(step.reads).encode()).hexdigest()
        known, out = self.folder / f"{key}.json", self.folder / key
        with locked(self.folder / f"{key}.lock"):
            if not known.exists():
                done = self._first(step, out)
                known.write_text(json.dumps(asdict(done)), encoding="utf-8")
                return done.code, done.said
        done = _Done(**json.loads(known.read_text(encoding="utf-8")))
        for note, more in zip(step.notes.values(), done.noted, strict=True):
            note.write_text(note.read_text(encoding="utf-8") + more, encoding="utf-8")
        if out.exists():
            shutil.copytree(out, step.cwd / OUT)
        return done.code, done.said

    def _first(self, step: Step, out: Path) -> _Done:
        notes = list(step.notes.values())
        before = [note.read_text(encoding="utf-8") for note in notes]
        code, said = step.run()
        noted = [
            note.read_text(encoding="utf-8").removeprefix(text)
            for note, text in zip(notes, before, strict=True)
        ]
        if (step.cwd / OUT).exists():
            shutil.copytree(step.cwd / OUT, out, dirs_exist_ok=True)
        return _Done(code, said, noted)
