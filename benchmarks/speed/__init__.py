"""The benchmark of grading: equal verdicts first, then how long each way of grading took."""
