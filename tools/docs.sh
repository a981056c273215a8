#!/bin/sh
# Writes what is generated: man/ and NAMESPACE from roxygen comments, the Rcpp exports from src/.
set -eu
cd "$(dirname "$0")/.."
Rscript --vanilla -e 'roxygen2::roxygenise(".", load_code = "source")' \
  -e 'Rcpp::compileAttributes(".")'
