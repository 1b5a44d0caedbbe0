#!/usr/bin/env bash
# Acceptance lines of verdicts by cause. usage: tests/accept/cause.sh [WORD]
exec "$(dirname "$(readlink -f "$0")")/../support/accept_part" cause "$@"
