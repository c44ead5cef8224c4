# Writes the one comment of this gate on the pull request, or rewrites it.
# shellcheck source=action/common.sh
source "$GITHUB_ACTION_PATH/action/common.sh"

work=$(mktemp -d -p "$RUNNER_TEMP")
repository=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY
get() {
  api --fail --retry 3 --output "$@"
}
# A comparison names commit and run itself.
footer="<sub>Commit $HEAD_SHA, [run]($GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID)</sub>"
{
  echo "$marker"
  if [ -s "$out/comparison.md" ]; then
    tail -n +2 "$out/comparison.md"
  elif [ -s "$out/no-baseline.md" ]; then
    cat "$out/no-baseline.md" - <<<"$footer"
  else
    printf '%s\n\n' "**forgetest could not compare this.** The log of the run says why." "$footer"
  fi
} | jq --raw-input --slurp '{body: .}' >"$work/comment.json"

# An older run that was started again must not write over a newer one.
get "$work/pull.json" "$repository/pulls/$NUMBER"
if [ "$(jq --raw-output .head.sha "$work/pull.json")" != "$HEAD_SHA" ]; then
  echo "::notice title=forgetest::The pull request has newer commits; its comment stays as it is."
  exit
fi

# Whose the token is. GitHub does not tell the workflow's own, which is a bot's.
me=""
if [ "$(api --output "$work/user.json" --write-out '%{http_code}' "$GITHUB_API_URL/user")" = 200 ]; then
  me=$(jq --raw-output .login "$work/user.json")
fi
comments=$repository/issues/$NUMBER/comments
for ((page = 1; ; page++)); do
  get "$work/comments.json" "$comments?per_page=100&page=$page"
  id=$(jq --arg marker "$marker" --arg me "$me" '
    [.[] | select(if $me == "" then .user.type == "Bot" else .user.login == $me end)
      | select((.body // "") | startswith($marker))][0].id // empty
  ' "$work/comments.json")
  if [ -n "$id" ] || [ "$(jq length "$work/comments.json")" -lt 100 ]; then break; fi
done
if [ -n "$id" ]; then
  target=(--request PATCH "$repository/issues/comments/$id")
else
  target=(--request POST "$comments")
fi
status=$(api --output "$work/reply.json" --write-out '%{http_code}' --data "@$work/comment.json" "${target[@]}")
case $status in
  200 | 201) output url "$(jq --raw-output .html_url "$work/reply.json")" ;;
  403) echo "::warning title=forgetest::This token may not comment, as in a fork or without the permission pull-requests: write. The verdict is in the summary." ;;
  *)
    echo "::error title=forgetest::The comment was not written: $status"
    cat "$work/reply.json"
    exit 1
    ;;
esac
