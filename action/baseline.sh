# Finds what to compare with: the input `baseline`, or what the newest green run of the default
# branch has kept. A branch of the same name in a fork does not count, nor does a run that ended red.
# shellcheck source=action/common.sh
source "$GITHUB_ACTION_PATH/action/common.sh"

if [ -n "$BASELINE" ]; then
  output path "$BASELINE"
  exit
fi
work=$(mktemp -d -p "$RUNNER_TEMP")
actions=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/actions
get() {
  api --fail --retry 3 --output "$@"
}
if ! get "$work/artifacts.json" "$actions/artifacts?name=$NAME-baseline&per_page=100"; then
  echo "::error title=forgetest::The baseline cannot be looked up. Does the workflow have the permission actions: read?"
  exit 1
fi
jq --raw-output --arg branch "$DEFAULT_BRANCH" '
  [.artifacts[] | select((.expired | not) and .workflow_run.head_branch == $branch
    and .workflow_run.head_repository_id == .workflow_run.repository_id)]
  | sort_by(.created_at) | reverse[] | "\(.workflow_run.id) \(.archive_download_url)"
' "$work/artifacts.json" >"$work/candidates"
while read -r run url; do
  get "$work/run.json" "$actions/runs/$run"
  if jq --exit-status '.conclusion == "success" and .event != "pull_request"' "$work/run.json" >/dev/null; then
    get "$work/baseline.zip" "$url"
    rm -rf "$NAME-baseline"
    python3 -m zipfile --extract "$work/baseline.zip" "$NAME-baseline"
    output path "$NAME-baseline/run"
    exit
  fi
done <"$work/candidates"
{
  echo "**forgetest: no baseline yet**, so nothing was compared."
  echo
  echo "The next green run on \`$DEFAULT_BRANCH\` makes one: merge this, or start the workflow there by hand."
  echo
} >"$out/no-baseline.md"
cat "$out/no-baseline.md" >>"$GITHUB_STEP_SUMMARY"
output verdict "no baseline"
