#!/usr/bin/env bash
# Acceptance lines of game time. usage: tests/accept/clock.sh [WORD]
exec "$(dirname "$(readlink -f "$0")")/../support/accept_part" clock "$@"
