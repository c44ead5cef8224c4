"""Public statistics: pure, exact functions, usable without the rest of forgetest.

n is a case's number of scored samples and c how many of them passed; a run is a sequence of such
(n, c). Functions without a value to return give None, and a `missing_..._reason` says why. Names
that end in `_exact` give the rational number behind the double. Wrong arguments raise ValueError.
"""

from forgetest.metrics.aggregate import (
    case_score,
    macro,
    micro,
    nearest_rank,
    score_sd,
    var_case_score,
)
from forgetest.metrics.display import percent
from forgetest.metrics.domain import Counts, Number, exact
from forgetest.metrics.estimators import (
    g_pass_at_k,
    missing_reason,
    pass_at_k,
    pass_at_k_exact,
    pass_at_k_naive,
    pass_hat_k,
    pass_hat_k_exact,
    pass_to_the_k,
)
from forgetest.metrics.evalue import sign_e_value
from forgetest.metrics.fisher import fisher_one_sided, fisher_p_min
from forgetest.metrics.gate import (
    CaseEvidence,
    CasesEvidence,
    GateEvidence,
    Runs,
    case_evidence,
    gate_evidence,
    joint_gate_evidence,
)
from forgetest.metrics.gpass import (
    g_pass_at_k_tau,
    g_pass_at_k_tau_exact,
    mg_pass_at_k,
    mg_pass_at_k_exact,
    tau_threshold,
)
from forgetest.metrics.intervals import WilsonInterval, modified_wilson, wilson
from forgetest.metrics.matrix import (
    Rows,
    avg,
    counts,
    mean_g_pass_at_k,
    mean_g_pass_at_k_tau,
    mean_mg_pass_at_k,
    mean_pass_at_k,
    mean_pass_at_k_exact,
    mean_pass_at_k_naive,
    mean_pass_hat_k,
    mean_pass_hat_k_exact,
    mean_pass_to_the_k,
    missing_mean_reason,
    short_cases,
)
from forgetest.metrics.multiplicity import Tarone, benjamini_hochberg, holm, tarone
from forgetest.metrics.paired import Interval, paired_delta, paired_differences, paired_interval
from forgetest.metrics.permutation import ShiftTest, permutation_test
from forgetest.metrics.planning import (
    between_case_variance,
    binary_difference_variance,
    cases_needed,
    difference_variance,
    minimum_detectable_difference,
)
from forgetest.metrics.ranks import competition_ranks
from forgetest.metrics.reason import Reason
from forgetest.metrics.scoring import STANDARD, ScoringProfile, sample_passes, sample_score
from forgetest.metrics.settling import case_samples_to_settle, samples_to_settle
from forgetest.metrics.shrinkage import (
    ShrunkEstimate,
    avg_sigma,
    bayes,
    bayes_exact,
    bayes_mean,
)
from forgetest.metrics.spread import se_population, se_rerun
from forgetest.metrics.stratified import exact_stratified_test, stratified_test
from forgetest.metrics.student import student_t_quantile, z_of_level
from forgetest.metrics.suites import (
    Classification,
    accuracy,
    latency_score,
    overall_run_score,
    penalized_score,
    suite_score,
)
from forgetest.metrics.threshold import Change, change
from forgetest.metrics.trials import (
    MultiTrial,
    SkillScore,
    StimulusScore,
    Trial,
    compute_multi_trial_metrics,
    compute_skill_score,
    compute_stimulus_score,
    flakiness_percent,
    flaky,
    multi_trial,
)
from forgetest.metrics.variance import (
    missing_variance_reason,
    var_pass_at_k,
    var_pass_at_k_exact,
    var_pass_hat_k,
    var_pass_hat_k_exact,
)

__all__ = [
    "STANDARD",
    "CaseEvidence",
    "CasesEvidence",
    "Change",
    "Classification",
    "Counts",
    "GateEvidence",
    "Interval",
    "MultiTrial",
    "Number",
    "Reason",
    "Rows",
    "Runs",
    "ScoringProfile",
    "ShiftTest",
    "ShrunkEstimate",
    "SkillScore",
    "StimulusScore",
    "Tarone",
    "Trial",
    "WilsonInterval",
    "accuracy",
    "avg",
    "avg_sigma",
    "bayes",
    "bayes_exact",
    "bayes_mean",
    "benjamini_hochberg",
    "between_case_variance",
    "binary_difference_variance",
    "case_evidence",
    "case_samples_to_settle",
    "case_score",
    "cases_needed",
    "change",
    "competition_ranks",
    "compute_multi_trial_metrics",
    "compute_skill_score",
    "compute_stimulus_score",
    "counts",
    "difference_variance",
    "exact",
    "exact_stratified_test",
    "fisher_one_sided",
    "fisher_p_min",
    "flakiness_percent",
    "flaky",
    "g_pass_at_k",
    "g_pass_at_k_tau",
    "g_pass_at_k_tau_exact",
    "gate_evidence",
    "holm",
    "joint_gate_evidence",
    "latency_score",
    "macro",
    "mean_g_pass_at_k",
    "mean_g_pass_at_k_tau",
    "mean_mg_pass_at_k",
    "mean_pass_at_k",
    "mean_pass_at_k_exact",
    "mean_pass_at_k_naive",
    "mean_pass_hat_k",
    "mean_pass_hat_k_exact",
    "mean_pass_to_the_k",
    "mg_pass_at_k",
    "mg_pass_at_k_exact",
    "micro",
    "minimum_detectable_difference",
    "missing_mean_reason",
    "missing_reason",
    "missing_variance_reason",
    "modified_wilson",
    "multi_trial",
    "nearest_rank",
    "overall_run_score",
    "paired_delta",
    "paired_differences",
    "paired_interval",
    "pass_at_k",
    "pass_at_k_exact",
    "pass_at_k_naive",
    "pass_hat_k",
    "pass_hat_k_exact",
    "pass_to_the_k",
    "penalized_score",
    "percent",
    "permutation_test",
    "sample_passes",
    "sample_score",
    "samples_to_settle",
    "score_sd",
    "se_population",
    "se_rerun",
    "short_cases",
    "sign_e_value",
    "stratified_test",
    "student_t_quantile",
    "suite_score",
    "tarone",
    "tau_threshold",
    "var_case_score",
    "var_pass_at_k",
    "var_pass_at_k_exact",
    "var_pass_hat_k",
    "var_pass_hat_k_exact",
    "wilson",
    "z_of_level",
]
