"""The command line: arguments come in, text goes out on the terminal, the exit code ends it.

Each command is one file named like it (`import_.py` for `import`) and reads like its help: the
options, what it does, what it prints. To understand one, read its file. The rest serves all of
them, in the order in which a call passes through:

- `main`: the entry point. `interrupts` listens for Ctrl-C and its like, `streams` guards standard
  output and standard error, `boundary` turns every error into one line and an exit code.
- `commands`: the table of commands; it loads a command's module when it is called, so that
  `forgetest --help` is quick. `options`: the options that several commands share, and `CALLED`: the
  help of a command loads nothing but options. `completion`: what the shell completes.
- `configuration`: forgetest.toml, and the options over it. `prepare`: what grading needs (cases,
  toolchain, grader). `offer`: asks for a model where none is named. `launch`: runs a prepared
  session and prints its report, `watch` shows its progress, `fail_under` judges it. `runs`: opens
  finished runs. `terminal`: prints. `pipeline`: the commit and the link of a CI job, for comments.
"""
