# Compares the current run with the baseline, in all forms that people and later steps read.
# shellcheck source=action/common.sh
source "$GITHUB_ACTION_PATH/action/common.sh"

split "$OPTIONS"
arguments=("${words[@]}")
if [ "$FAIL_ON_REGRESSION" = true ]; then arguments+=(--fail-on-regression); fi
if [ -n "$GATE" ]; then arguments+=(--gate "$GATE"); fi
if [ -n "$THRESHOLD" ]; then arguments+=(--threshold "$THRESHOLD"); fi

code=0
forgetest compare "$BASELINE" "${CURRENT:-$out/run}" "${arguments[@]}" \
  --format github,json,html --output "$out/" || code=$?
if [ -s "$out/comparison.json" ]; then
  output comparison "$out/comparison.json"
  output page "$out/comparison.html"
  output verdict "$(jq --raw-output .gate.result "$out/comparison.json")"
  if jq --exit-status '.gate.rule == null' "$out/comparison.json" >/dev/null; then
    echo "::notice title=forgetest::No gate is set, so no regression fails this check: set fail-on-regression or gate."
  fi
fi
if [ "$code" = 0 ] && [ "$RUN_CODE" = 1 ]; then
  echo "::error title=forgetest::No regression, but the run is below its --fail-under."
  code=1
fi
output code "$code"
