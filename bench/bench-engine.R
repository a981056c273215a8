# The arithmetic of the core beside OpenBLAS on the same shapes in the same run, in GFLOP/s (exp:
# billions of values a second), and R's own BLAS in double precision. Builds cpp/ (cmake) unless
# `program` names the blas_bench of an existing build.
#
#   Rscript bench/bench-engine.R [n=2500,5000,10000] [threads=1] [reps=3] [program=FILE]
source("bench/common.R")

a <- arguments(n = c(2500, 5000, 10000), threads = 1, reps = 3, program = "")

program <- core_program("blas_bench", a$program)
if (is.null(program)) stop("Without it there is nothing to measure.", call. = FALSE)
lines <- system2(program, c(a$threads, a$reps, a$n), stdout = TRUE)
cat(sub("^# ", "", lines[startsWith(lines, "#")]), sep = "\n")
runs <- utils::read.csv(text = lines[!startsWith(lines, "#")])

# The same shape by R's matrix product, crossproduct or Cholesky factorisation; NA for exp.
by_r <- function(what, n, cols) {
  seconds <- function(run) stats::median(replicate(a$reps, elapsed(run())))
  rate <- function(work, run) 1e-9 * work / max(seconds(run), 1e-3)
  x <- matrix(stats::runif(n * min(cols, n)), n)
  switch(what,
    gram = rate(2 * n^2 * cols, function() tcrossprod(x)),
    product = rate(2 * n^2 * cols, function() square %*% x),
    cholesky = rate(n^3 / 3, function() chol(square)),
    NA_real_
  )
}

# One dominant diagonal matrix serves a size's products and factorisation.
runs$R <- NA_real_
for (n in unique(runs$n[runs$what != "exp"])) {
  square <- matrix(1 / n, n, n) + diag(n)
  for (i in which(runs$n == n)) runs$R[i] <- by_r(runs$what[i], n, runs$cols[i])
}

ratio <- ifelse(is.na(runs$openblas), NA, 100 * runs$flexkern / runs$openblas)
markdown(data.frame(
  what = runs$what, n = runs$n, columns = runs$cols, threads = runs$threads,
  flexkern = decimals(runs$flexkern, 1), OpenBLAS = decimals(runs$openblas, 1),
  `of OpenBLAS` = ifelse(is.na(ratio), "-", paste0(round(ratio), " %")),
  `R, double` = decimals(runs$R, 1), check.names = FALSE
))
