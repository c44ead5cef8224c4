"""The grader: from a case and code to a verdict."""
