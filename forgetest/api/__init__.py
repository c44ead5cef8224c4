"""The Python API: cases, a grader, results; runs, reports, comparisons.

`forgetest` itself offers these names; what is defined here is loaded when one of them is used.
"""
