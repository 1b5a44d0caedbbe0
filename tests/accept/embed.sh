#!/usr/bin/env bash
# Acceptance lines of embedding, packages, remote browsers, service and trust. usage: tests/accept/embed.sh [WORD]
exec "$(dirname "$(readlink -f "$0")")/../support/accept_part" embed "$@"
