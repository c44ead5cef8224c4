# What the steps of the action share; each reads this file first.
# shellcheck shell=bash disable=SC2034 # its variables are for them
set -euo pipefail

if ! [[ $NAME =~ ^[A-Za-z0-9._-]+$ ]]; then
  echo "::error title=forgetest::name must be letters, digits, dots and dashes, got $NAME"
  exit 2
fi
out=$NAME-out
# The first line of the comment, by which later runs find it.
marker="<!-- forgetest-compare -->"
if [ "$NAME" != forgetest ]; then marker="<!-- forgetest-compare $NAME -->"; fi
if [ -n "${TOOLCHAIN:-}" ]; then export RUSTUP_TOOLCHAIN=$TOOLCHAIN; fi

output() {
  echo "$1=$2" >>"$GITHUB_OUTPUT"
}

# Splits a text into the array `words`. Quotes hold words together, as in a shell; nothing expands.
split() {
  local lines
  if ! lines=$(xargs --no-run-if-empty printf '%s\n' <<<"$1"); then
    echo "::error title=forgetest::These options lack a quote: $1"
    exit 2
  fi
  words=()
  if [ -n "$lines" ]; then mapfile -t words <<<"$lines"; fi
}

# Asks GitHub. On a redirect, curl keeps the token from any other host.
api() {
  curl --silent --show-error --location --oauth2-bearer "$GH_TOKEN" --header "Content-Type: application/json" \
    --header "Accept: application/vnd.github+json" --header "X-GitHub-Api-Version: 2022-11-28" "$@"
}
