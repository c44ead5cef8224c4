# Installs forgetest from the action's own files into a virtual environment, and puts nothing but
# `forgetest` on the path of the later steps.
set -euo pipefail

venv=$RUNNER_TEMP/forgetest-venv
if [ -x "$venv/bin/forgetest" ]; then
  echo "forgetest is installed already"
else
  if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "::error title=forgetest::Python 3.11 or later is needed, found $(python3 --version): run actions/setup-python before this step"
    exit 2
  fi
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH"
fi
mkdir -p "$venv/path"
ln -sf ../bin/forgetest "$venv/path/forgetest"
echo "$venv/path" >>"$GITHUB_PATH"
case ",$MODELS," in *,local/*) "$venv/bin/forgetest" local install ;; esac
