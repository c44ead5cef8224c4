# Leaves the current run, its page and its SARIF file in $out/run: of a run of the eval sets, or of
# the run that an earlier step has made.
# shellcheck source=action/common.sh
source "$GITHUB_ACTION_PATH/action/common.sh"

run_eval_sets() {
  local arguments=() runs=$out/runs
  split "$EVAL_SETS"
  arguments+=("${words[@]/#/--eval-set=}")
  if [ -n "$MODELS" ]; then arguments+=(--models "$MODELS"); fi
  if [ -n "$SAMPLES" ]; then arguments+=(--samples "$SAMPLES"); fi
  split "$OPTIONS"
  arguments+=("${words[@]}")
  forgetest doctor
  rm -rf "$runs" "$out/run"
  forgetest run "${arguments[@]}" --format markdown,html,sarif --output "$runs/" || code=$?
  # 1: below --fail-under; 3: some samples are unscored. Both leave a whole report.
  if [ "$code" != 0 ] && [ "$code" != 1 ] && [ "$code" != 3 ]; then exit "$code"; fi
  mv "$runs"/* "$out/run"
}

take_given_run() {
  local given=$out/given # a copy first: it may come from $out/run itself
  rm -rf "$given"
  if [ ! -e "$CURRENT" ]; then
    echo "::error title=forgetest::current: there is no $CURRENT"
    exit 2
  elif [ -d "$CURRENT" ]; then
    cp -R "$CURRENT" "$given"
  else
    mkdir "$given"
    cp "$CURRENT" "$given/report.json"
  fi
  rm -rf "$out/run"
  mv "$given" "$out/run"
  forgetest report "$out/run" --format markdown,html,sarif --output "$out/run/" --quiet
}

code=0
mkdir -p "$out"
rm -f "$out"/comparison.* "$out/no-baseline.md"
output artifact "$NAME-run"
if [ -z "$CURRENT" ]; then run_eval_sets; else take_given_run; fi
output code "$code"
output report "$out/run/report.json"
output sarif "$out/run/sarif.json"
output page "$out/run/report.html"
if [ "$IS_BASELINE" = true ]; then
  cat "$out/run/report.md" >>"$GITHUB_STEP_SUMMARY"
  if [ "$code" = 0 ]; then # a baseline must be whole
    output artifact "$NAME-baseline"
    output verdict baseline
  fi
else
  output compare true
fi
