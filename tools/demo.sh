#!/bin/sh
# Fits vpsvm() to 16 000 letters, tests it on 4 000, beside e1071 and randomForest.
# Starts from a bare Debian 12: as root it installs what is missing. Results go to output/.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=tools/common.sh
. tools/common.sh

install_missing "$build_needs$demo_needs$(optional "$cache_needs")"
install_flexkern
Rscript --vanilla tools/demo.R output/demo.png
