"""Grading over machines, by Dask: the same graders, in workers of a cluster.

A bench comes in and gets a `remote`, which takes a case and code and gives back a verdict or a
`Fault`, as the machine's own grader does; so nobody above can tell the two apart. Read in this
order: `machine` says what a worker must have in common with the run, `roster` which worker gets
the next sample, `worker` is what runs there, `grader` is this end of the line. Dask itself is
loaded by the last two, which nobody imports who grades here.
"""
