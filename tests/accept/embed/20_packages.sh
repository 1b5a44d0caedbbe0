#!/usr/bin/env bash
# Acceptance lines of an installed prefix and of Debian packages: `id: value (goal) ok|short`.
# usage: tests/accept/embed/20_packages.sh [WORD]   only the parts whose name contains WORD: prefix documents packages
# Needs root: the build tree is hidden by a mount, and packages are installed in a Debian of their own. What debootstrap
# makes is kept in QA_ACCEPT_CACHE, default /var/tmp/qa-host-accept.
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
[ "$(id -u)" -eq 0 ] || { echo "20_packages.sh: run as root" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
last_line() { tail -n 1 "$1" | cut -c1-160; }

# The prefix --------------------------------------------------------------------------------------------------------

# says_42 PROGRAM PREFIX: it runs Lua, with the scripts of PREFIX.
says_42() { [ "$1" = "{\"answer\":42,\"share\":\"$2/share/qa-host\"}" ]; }

prefix() {
  part prefix || return
  local moved=$work/another/place said
  cmake --install "$(dirname "$(dirname "$QA_HOST")")" --prefix "$work/first" > "$work/install.log"
  mkdir -p "$work/another" && mv "$work/first" "$moved"
  cp -r tests/data/installed examples/games/clicker "$work"
  hidden / test ! -e "$QA_HOST" || { echo "the build tree is still there" >&2; exit 3; }

  hidden / env QA_STATE="$work/state" "$moved/bin/qa-host" --out "$work/runs" doctor > "$work/doctor" 2>&1
  said=$?
  line prefix_doctor "exit $said, $(grep -c '^ok' "$work/doctor") of $(wc -l < "$work/doctor") ok" "0, all" \
    test "$said" -eq 0 -a "$(grep -vc '^ok' "$work/doctor")" -eq 0
  hidden / env QA_STATE="$work/state" "$moved/bin/qa-host" test "$work/clicker" --set interaction_ms=3000 --out "$work/runs" > "$work/verdict" 2> /dev/null
  said=$?
  line prefix_verdict "exit $said: $(head -n 1 "$work/verdict")" "0 PASS" test "$said" -eq 0

  hidden / cmake -S "$work/installed" -B "$work/found" -DCMAKE_PREFIX_PATH="$moved" > "$work/found.log" 2>&1 &&
    hidden / cmake --build "$work/found" >> "$work/found.log" 2>&1
  said=$(hidden / "$work/found/installed" 2>&1)
  line prefix_find_package "$said" "42, scripts of the moved prefix" says_42 "$said" "$moved"

  local config
  config=$(dirname "$(find "$moved" -name qa_host.pc)")
  # shellcheck disable=SC2046  # words
  hidden / cc -std=c11 -Wall -Wextra -pedantic -Werror "$work/installed/main.c" -o "$work/piped" \
    $(PKG_CONFIG_PATH=$config pkg-config --cflags --libs qa_host)
  said=$(hidden / env LD_LIBRARY_PATH="$(dirname "$config")" "$work/piped" 2>&1)
  line prefix_pkg_config "$said" "42, scripts of the moved prefix" says_42 "$said" "$moved"
  said=$(grep -rlF -e "$ROOT" -e "$work/first" "$moved" | wc -l)
  line prefix_places "$said files name where they were built or first installed" "0" test "$said" -eq 0
}

# Documents ---------------------------------------------------------------------------------------------------------

# zsh_offers FOLDER: types beginnings into a zsh and prints what it found, until one is not completed.
zsh_offers() {
  timeout 60 zsh -f /dev/stdin "$1" << 'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='ready> ' fpath=($1 \$fpath); autoload -U compinit && compinit -u -D && print set''up"
zpty -r -m shell out '*setup*ready> *'
offers() {
  zpty -n -w shell "$1" && zpty -r -m shell out "$2" && print -r -- "$2"
  zpty -n -w shell $'\C-u\n' && zpty -r -m shell out '*ready> *'
}
offers $'qa-host test --strateg\t' '*--strategy*'
offers $'qa-host test --reporter \t' '*json*list*'
offers $'qa-host \t\t' '*doctor*spec*'
offers $'qa-host memory \t\t' '*export*show*'
ZSH
}

documents() {
  part documents || return
  local share said
  share=$(dirname "$(dirname "$QA_HOST")")/share
  said=$({ mandoc -Tlint -W warning "$share/man/man1/qa-host.1"; groff -man -ww -z "$share/man/man1/qa-host.1"; } 2>&1 | wc -l)
  line manual_page "$said warnings of mandoc and groff" "0" test "$said" -eq 0
  said=$(tests/e2e/run completion | tail -n 1)
  line completion_bash "$said" "1 passed, 0 failed" test "$said" = "1 passed, 0 failed"
  said=$(zsh_offers "$share/zsh/site-functions" | wc -l)
  line completion_zsh "$said of 4 beginnings" "4" test "$said" -eq 4
}

# Debian packages ---------------------------------------------------------------------------------------------------

# fresh_root: a Debian 12 with nothing but what apt needs, in $work/root, and the sources of this machine.
fresh_root() {
  local cache=${QA_ACCEPT_CACHE:-/var/tmp/qa-host-accept} base
  base=$cache/bookworm-$(dpkg --print-architecture).tar
  (umask 077 && mkdir -p "$cache")
  [ -O "$cache" ] || { echo "$cache belongs to somebody else" >&2; exit 3; }
  if [ ! -f "$base" ]; then
    debootstrap --variant=minbase bookworm "$work/base" > "$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log" >&2; exit 3; }
    rm -f "$work"/base/var/cache/apt/archives/*.deb
    tar -C "$work/base" -cf "$base.part" . && mv "$base.part" "$base"
    rm -rf "$work/base"
  fi
  mkdir "$work/root"
  tar -C "$work/root" -xf "$base"
  rm -f "$work/root/etc/apt/sources.list"
  cp /etc/apt/sources.list.d/debian.sources "$work/root/etc/apt/sources.list.d/" 2> /dev/null ||
    cp /etc/apt/sources.list "$work/root/etc/apt/"
  cp /etc/resolv.conf "$work/root/etc/"
  mkdir "$work/root/packages"
  cp build-package/*.deb packaging/steps "$work/root/packages/"
  cp -r examples/games/clicker "$work/root/packages/"
}

# in_root COMMAND...: mounts and processes end with it.
in_root() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
      exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$@"' _ "$work/root" "$@"
}

ours_in_root() { in_root dpkg-query -W | grep -c qa-host; }

# Files of the root, but for what apt, dpkg and fontconfig write for themselves.
files_of_root() { (cd "$work/root" && find . -xdev | grep -vE '^\./var/(log|cache|lib/apt)/' | sort); }

# Libraries that the package's program and library load at their first use (host/lazy_library.h), and that are not there.
missing_libraries() {
  local name
  sed -nE 's/^QA_LAZY_LIBRARY\("([^"]+)".*/\1/p' host/*/*.cpp > "$work/names"
  [ "$(wc -l < "$work/names")" -ge 3 ] || echo "names of libraries not found"
  while read -r name; do in_root /sbin/ldconfig -p < /dev/null | grep -qF "$name" || printf '%s ' "$name"; done < "$work/names"
}

packages() {
  part packages || return
  local said begin=$SECONDS
  ./dev package > "$work/package.log" 2>&1 || { tail "$work/package.log" >&2; exit 3; }
  said=$(lintian --tag-display-limit 0 build-package/*.deb 2> /dev/null)
  line deb_lintian "$(grep -c '^E:' <<< "$said") errors, $(grep -c '^W:' <<< "$said") warnings: $(cut -d' ' -f3 <<< "$said" | sort -u | xargs)" \
    "0 errors" test "$(grep -c '^E:' <<< "$said")" -eq 0
  fresh_root
  files_of_root > "$work/before"

  # The library alone, for a program that was compiled with its -dev package.
  mkdir "$work/dev"
  for said in build-package/libqa-host*.deb; do dpkg-deb -x "$said" "$work/dev"; done
  # shellcheck disable=SC2046  # words
  cc tests/data/installed/main.c -o "$work/root/packages/installed" \
    $(PKG_CONFIG_PATH=$(dirname "$(find "$work/dev" -name qa_host.pc)") pkg-config --cflags --libs qa_host)
  in_root sh -c 'apt-get update -q && apt-get install -q -y --no-install-recommends /packages/libqa-host1_*.deb' > "$work/library.log" 2>&1
  said=$(in_root /packages/installed 2>&1)
  line deb_library_alone "$said" "42, its own scripts" says_42 "$said" /usr

  in_root /packages/steps install /packages > "$work/install.log" 2>&1
  line deb_install "$(ours_in_root) of 2, $(in_root dpkg-query -W | wc -l) packages: $(last_line "$work/install.log")" "2" \
    test "$(ours_in_root)" -eq 2
  said=$(missing_libraries)
  line deb_libraries "${said:-all there}" "what is loaded at first use is there" test -z "$said"
  in_root /packages/steps check /packages/clicker > "$work/check.log" 2> /dev/null
  said=$?
  line deb_doctor "$(grep -c '^ok' "$work/check.log") ok, $(grep -cE '^(FAILED|missing|no)' "$work/check.log") not" "5 ok" \
    test "$(grep -c '^ok' "$work/check.log")" -eq 5
  line deb_verdict "exit $said: $(grep -E '^[A-Z]+ +score' "$work/check.log")" "0 PASS" test "$said" -eq 0
  in_root /packages/steps remove > "$work/remove.log" 2>&1
  line deb_remove "$(ours_in_root) of 2: $(last_line "$work/remove.log")" "0" test "$(ours_in_root)" -eq 0
  rm "$work/root/packages/installed"
  said=$(comm -13 "$work/before" <(files_of_root))
  line deb_trace "$(grep -c . <<< "$said") files left ${said//$'\n'/ }" "0" test -z "$said"
  line deb_seconds "$((SECONDS - begin)) s" "for the record" true
}

for each in prefix documents packages; do "$each"; done
conclude
