"""Runs a plan: a plan and a prepared machine come in, a finished run folder with a report goes out.

The chain from the command line to one sample has three levels, each in one function:

1. `cli.launch.launch`: the command's part. Shows progress, prints the report, gives the exit code.
2. `session.run_session`: one session. Fetches dependencies, opens the run folder and the sources,
   settles every sample, writes `report.json`, and closes everything when it is interrupted.
3. `conductor.Conductor.run`: the loop. One task per sample, which asks, journals, grades, journals.

Read `conductor` first: it is the heart, and short. Then `session`, which surrounds it, and
`sources`, which opens what a plan names: model servers, the embedded model, recordings, references.
`config` reads `forgetest.toml` and is used by none of them.
"""
