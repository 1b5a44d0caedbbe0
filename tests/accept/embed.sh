#!/usr/bin/env bash
# Acceptance lines of embedding, packages, remote browsers, service and trust: `id: value (goal) ok|short`.
# usage: tests/accept/embed.sh [WORD]   only the scripts of tests/accept/embed whose name contains WORD
# Each script stands alone, too: it prints its lines and ends with 1 when one is short.
set -uo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
export ROOT QA_HOST=${QA_HOST:-$ROOT/build/bin/qa-host}
cd "$ROOT" || exit 3
filter=${1:-}
ran=0 short=0
for script in tests/accept/embed/*.sh; do
  [[ $(basename "$script") == *"$filter"* ]] || continue
  ran=$((ran + 1))
  printf '== %s\n' "$(basename "$script" .sh)"
  bash "$script" || short=$((short + 1))
done
[ "$ran" -gt 0 ] || { echo "no script of tests/accept/embed has the word '$filter'" >&2; exit 3; }
printf '%d of %d scripts have short lines\n' "$short" "$ran"
[ "$short" -eq 0 ]
