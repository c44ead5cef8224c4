# Sees to it that the Rust of the input `rust` grades, with clippy.
set -euo pipefail

if [ "$(rustc --version 2>/dev/null | cut -d' ' -f2)" = "$RUST" ] \
  && command -v clippy-driver >/dev/null && clippy-driver --version >/dev/null; then
  echo "rustc $RUST is here, with clippy"
elif command -v rustup >/dev/null; then
  rustup toolchain install "$RUST" --profile minimal --component clippy
  echo "toolchain=$RUST" >>"$GITHUB_OUTPUT"
else
  echo "::warning title=forgetest::Without rustup, the installed toolchain is used: $(rustc --version)"
fi
