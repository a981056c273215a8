# Shared by the scripts of this folder: what they need, how to get it, where results go.
# Sourced from the project's root.
# shellcheck shell=sh disable=SC2034,SC2086

# One line each: Debian package, then how to see that it is there; a file may be a pattern.
build_needs='
r-base-core command R
g++ command g++
make command make
r-cran-rcpp r Rcpp
r-cran-rcppeigen r RcppEigen
r-cran-matrix r Matrix
'
demo_needs='
r-cran-mlbench r mlbench
r-cran-e1071 r e1071
r-cran-randomforest r randomForest
'
check_needs='
clang-format command clang-format
cmake command cmake
libeigen3-dev file /usr/include/eigen3/Eigen/Core
libgtest-dev file /usr/include/gtest/gtest.h
pandoc command pandoc
qpdf command qpdf
shellcheck command shellcheck
tidy command tidy
valgrind command valgrind
libblas3 file /usr/lib/*/blas/libblas.so.3
liblapack3 file /usr/lib/*/lapack/liblapack.so.3
libopenblas0-pthread file /usr/lib/*/openblas-pthread/libblas.so.3
r-cran-caret r caret
r-cran-knitr r knitr
r-cran-lintr r lintr
r-cran-ranger r ranger
r-cran-sparsem r SparseM
r-cran-rmarkdown r rmarkdown
r-cran-roxygen2 r roxygen2
r-cran-testthat r testthat
'
bench_needs='
r-cran-kernlab r kernlab
r-cran-ranger r ranger
r-cran-sparsem r SparseM
'
# Saves compiling the package anew in each step that installs it.
cache_needs='
ccache command ccache
'
# Only for the PDF manual, which the check leaves out where there is no LaTeX.
manual_needs='
texlive-latex-base command pdflatex
texlive-latex-recommended file /usr/share/texlive/texmf-dist/tex/latex/booktabs/booktabs.sty
texlive-fonts-recommended file /usr/share/texlive/texmf-dist/tex/latex/psnfss/times.sty
'

# The Debian packages of a list of needs that are not met.
missing() {
  r_packages=$(Rscript --vanilla -e 'writeLines(.packages(TRUE))' 2>/dev/null) || r_packages=
  echo "$*" | while read -r package kind name; do
    case $kind in
      command) command -v "$name" >/dev/null ;;
      file) ls $name >/dev/null 2>&1 ;;
      r) echo "$r_packages" | grep -qx "$name" ;;
    esac || echo "$package"
  done
}

can_install() {
  [ "$(id -u)" = 0 ] && [ -f /etc/debian_version ] && command -v apt-get >/dev/null
}

# Needs that one can do without: none where they cannot be installed.
optional() {
  if can_install; then echo "$*"; fi
}

# logged LOG COMMAND...: runs a command silently; when it fails, shows the log's end and stops.
logged() {
  log=$1
  shift
  if "$@" >"$log" 2>&1 </dev/null; then return; fi
  echo "This failed: $*" >&2
  tail -n 40 "$log" >&2
  exit 1
}

# Installs what is missing; where it cannot, says what that is and stops.
install_missing() {
  absent=$(missing "$*" | tr '\n' ' ')
  [ -n "$absent" ] || return 0
  if ! can_install; then
    echo "These Debian packages are missing: $absent" >&2
    echo "Install them, or run this script as root on Debian 12, where it does that itself." >&2
    exit 1
  fi
  echo "Installing $absent"
  export DEBIAN_FRONTEND=noninteractive
  logged output/apt.log apt-get -q update
  logged output/apt.log apt-get -qy install --no-install-recommends $absent
}

# Builds the source package into a folder; further arguments go to R CMD build.
build_package() {
  root=$PWD
  folder=$1
  shift
  (cd "$folder" && R CMD build "$@" "$root")
}

# Installs the project into output/library, which Rscript then sees.
install_flexkern() {
  build=$(mktemp -d)
  mkdir -p output/library
  echo "Installing flexkern into output/library"
  logged output/install.log build_package "$build" --no-build-vignettes
  logged output/install.log R CMD INSTALL --library=output/library "$build"/flexkern_*.tar.gz
  rm -rf "$build"
  export R_LIBS="$PWD/output/library"
}

export LC_ALL=C.UTF-8
# Debian's ccache takes the compilers' place there; a build's own folder does not matter to it.
if [ -w "${HOME:-}" ]; then
  PATH=/usr/lib/ccache:$PATH
  export PATH CCACHE_NOHASHDIR=1
fi
MAKEFLAGS=-j$(nproc)
export MAKEFLAGS FLEXKERN_THREADS=2 OPENBLAS_NUM_THREADS=2 OMP_NUM_THREADS=2
# A folder shared/data beside the project, where there is one, holds more data for the tests.
if [ -d ../shared/data ]; then
  FLEXKERN_DATA=$(cd ../shared/data && pwd)
  export FLEXKERN_DATA
fi
mkdir -p output
