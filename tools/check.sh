#!/bin/sh
# Every check of the project: the core alone, the package, style. The last line counts them.
# Starts from a bare Debian 12: as root it installs what is missing. Logs go to output/check/.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=tools/common.sh
. tools/common.sh

install_missing "$build_needs$demo_needs$check_needs$(optional "$cache_needs$manual_needs")"

logs=$PWD/output/check
rm -rf "$logs"
mkdir -p "$logs"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# count PASSED FAILED SKIPPED
count() {
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# step LOG NAME COMMAND...: runs one check; it passes when the command does.
step() {
  log=$logs/$1.log
  name=$2
  shift 2
  printf '%-60s' "$name"
  begin=$(date +%s)
  if "$@" >"$log" 2>&1 </dev/null; then
    result=ok
    count 1 0 0
  else
    result=FAILED
    count 0 1 0
  fi
  printf '%-8s%4d s\n' $result $(($(date +%s) - begin))
  if [ $result = FAILED ]; then
    echo "--- the end of $log"
    grep -v '\.\.\. OK$' "$log" | tail -n 60
    echo "---"
  fi
}

# The C++ files that people write.
cpp_files() {
  find src cpp -name '*.cpp' -o -name '*.h' | grep -vE 'RcppExports|/build/'
}

no_r_in_core() {
  ! grep -rnE '#[[:space:]]*include[[:space:]]*[<"](R|cpp11)[A-Za-z_]*[./>]' src/core cpp | grep .
}

# The package starts its own threads and builds where no compiler knows OpenMP.
no_openmp() {
  ! grep -n -i openmp src/Makevars* | grep .
}

no_long_line() {
  ! find R src cpp tests tools bench inst .ci -type f \
    \( -name '*.R' -o -name '*.cpp' -o -name '*.h' -o -name '*.sh' -o -name 'CMakeLists.txt' \) \
    -not -name 'RcppExports*' -not -path '*/build/*' -exec grep -nHE '.{101}' {} + |
    grep .
}

formatted() {
  cpp_files | xargs clang-format --dry-run -Werror
}

linted() {
  Rscript --vanilla -e 'found <- lintr::lint_dir("R")' -e 'print(found)' \
    -e 'quit(status = length(found) > 0)'
}

shell_checked() {
  shellcheck -x tools/*.sh .ci/run
}

# man/, NAMESPACE and the exports are what docs.sh makes of the sources.
documented() {
  copy=$work/docs
  mkdir "$copy" &&
    cp -R DESCRIPTION NAMESPACE R man src tools "$copy" &&
    sh "$copy/tools/docs.sh" &&
    for generated in NAMESPACE man R/RcppExports.R src/RcppExports.cpp; do
      diff -r "$generated" "$copy/$generated" || return 1
    done
}

# core FOLDER OPTION...: builds the core's own tests in a folder and runs them.
core() {
  folder=$work/$1
  shift
  cmake -S cpp -B "$folder" -DFLEXKERN_BENCHMARKS=OFF "$@" &&
    cmake --build "$folder" --parallel 2 &&
    ctest --test-dir "$folder" --parallel 2 --output-on-failure
}

count_core() {
  count "$(grep -cE 'Test +#.* Passed ' "$logs/core.log")" \
    "$(grep -cE 'Test +#.*\*\*\*(Failed|Exception|Timeout)' "$logs/core.log")" \
    "$(grep -cE 'Test +#.*\*\*\*(Skipped|Not Run \(Disabled)' "$logs/core.log")"
}

# quick 0|1: every other one of the core tests that pass within a twentieth of a second.
quick() {
  awk '/ Passed / && $(NF - 1) <= 0.05 { print $(NF - 1), $4 }' "$logs/core.log" | sort |
    awk -v half="$1" 'NR % 2 == half { print $2 }' | tr '\n' ':'
}

valgrind_half() {
  tests=$(quick "$1")
  [ -n "$tests" ] &&
    valgrind --quiet --error-exitcode=1 "$work/plain/core_tests" --gtest_filter="$tests"
}

valgrind_core() {
  clean=true
  valgrind_half 0 >"$work/half.log" 2>&1 &
  valgrind_half 1 || clean=false
  wait $! || clean=false
  cat "$work/half.log"
  $clean
}

# under BLAS COMMAND...: R finds this BLAS and its LAPACK first, "reference" or "openblas",
# whichever the machine uses elsewhere.
under() {
  folders=openblas-pthread
  if [ "$1" = reference ]; then folders="blas lapack"; fi
  path=
  for folder in $folders; do
    for library in /usr/lib/*/"$folder"/lib*.so.3; do path=$path$(dirname "$library"):; done
  done
  shift
  FLEXKERN_BLAS=${folders%% *} R_LD_LIBRARY_PATH=$path$(R RHOME)/lib "$@"
}

# ran_under FOLDER FILE: the tests that wrote the file say that their BLAS was the one meant.
ran_under() {
  line=$(grep "^BLAS: .*/$1/" "$2") && echo "The tests ran under $line"
}

# What R CMD check found, beyond a new package's introduction to CRAN.
objections() {
  awk '/^Status/ { next }
    /^\* / { introduction = /CRAN incoming feasibility/ }
    introduction ? !/^(\* |$|Maintainer:|New submission)/ : /(NOTE|WARNING|ERROR)$/
  ' "$work/flexkern.Rcheck/00check.log"
}

# The settings keep out what a machine without network, Debian's compiler flags, or the lack of a
# font or of V8 would cause.
package() {
  export _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_SYSTEM_CLOCK_=false
  export _R_CHECK_COMPILATION_FLAGS_KNOWN_="-Wformat -Werror=format-security -Wdate-time"
  export _R_CHECK_RD_MATH_RENDERING_=false R_RD4PDF=times,hyper NOT_CRAN=true
  build_package "$work" &&
    under reference R CMD check --as-cran $no_manual -o "$work" "$work"/flexkern_*.tar.gz &&
    ran_under blas "$work/flexkern.Rcheck/tests/testthat.Rout" &&
    ! objections | grep .
}

# The installed package under the other BLAS: the tests whose results depend on one, since they call
# R's linear algebra themselves or through the package.
with_openblas() {
  R_LIBS=$work/flexkern.Rcheck NOT_CRAN=true under openblas Rscript --vanilla \
    -e 'cat("BLAS:", extSoftVersion()[["BLAS"]], "\n")' -e 'library(flexkern)' \
    -e 'testthat::test_dir("tests/testthat", "check", package = "flexkern",
                           load_package = "installed", filter = commandArgs(TRUE))' "$blas_tests" &&
    ran_under openblas-pthread "$logs/openblas.log"
}
blas_tests='^(calibration|conformal|contract-predict|hg-.*|kbp|kos|losses|mekl-.*|rmekl|'
blas_tests=$blas_tests'svm2k|ties)$'

# count_tests FILE...: from the closing line of testthat, [ FAIL 0 | WARN 0 | SKIP 0 | PASS 0 ].
count_tests() {
  line=$(cat "$@" 2>/dev/null | grep '^\[ FAIL ' | tail -n 1)
  [ -n "$line" ] || return 0
  # shellcheck disable=SC2046
  count $(echo "$line" | sed -E 's/.*FAIL ([0-9]+) .*SKIP ([0-9]+) .*PASS ([0-9]+) .*/\3 \1 \2/')
}

step headers "src/core includes no R header" no_r_in_core
step openmp "src/Makevars asks for no OpenMP" no_openmp
step lines "no line over 100 characters" no_long_line
step format "C++ is formatted (clang-format)" formatted
step lint "R is lint-free (lintr)" linted
step shell "scripts are clean (shellcheck)" shell_checked
step docs "man/, NAMESPACE and exports are up to date" documented
step core "core tests" core plain
count_core
step sanitizers "core tests, address and undefined-behaviour sanitizers" \
  core sanitized -DFLEXKERN_SANITIZE=ON
step valgrind "core tests, valgrind (the quick ones)" valgrind_core
no_manual=
if ! command -v pdflatex >/dev/null; then
  echo "No pdflatex here: the PDF manual is not checked"
  no_manual=--no-manual
  count 0 0 1
fi
step package "R CMD build and R CMD check --as-cran, reference BLAS" package
cp "$work"/flexkern.Rcheck/00* "$work"/flexkern.Rcheck/tests/*.Rout* "$logs" 2>/dev/null || true
count_tests "$logs"/testthat.Rout*
step openblas "R tests of linear algebra, OpenBLAS" with_openblas
count_tests "$logs/openblas.log"

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
