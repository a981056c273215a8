#!/bin/sh
# Runs the timings of bench/, all of them or the ones named: sh tools/bench.sh defaults
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=tools/common.sh
. tools/common.sh

install_missing "$build_needs$demo_needs$bench_needs"
install_flexkern
for script in bench/bench-*.R; do
  name=$(basename "$script" .R)
  case " $* " in "  " | *" ${name#bench-} "*) ;; *) continue ;; esac
  echo "== ${name#bench-}"
  Rscript --vanilla "$script"
done
