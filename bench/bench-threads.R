# What the second thread gives: the same fits with 1 and with 2 threads, in turns; the median of the
# repetitions. "cells" are 16 cells of 1000 rows.
#
#   Rscript bench/bench-threads.R [reps=5] [threads=2]
source("bench/common.R")

a <- arguments(reps = 5, threads = 2)

fits <- list(
  "steps, one cell of 5000 rows" = function(threads) {
    d <- step_data(5000, 1)
    function() flexkern::vpsvm(d$x, d$y, seed = 1, max.cell = 5000, threads = threads)
  },
  "letters, A-M against N-Z, one cell of 5000 rows" = function(threads) {
    d <- half_alphabet(5000, 1)
    function() {
      flexkern::vpsvm(d$x, factor(d$y), seed = 1, max.cell = 5000, threads = threads)
    }
  },
  "steps, 16 cells of about 1000 rows" = function(threads) {
    d <- step_data(16000, 1)
    function() {
      flexkern::vpsvm(d$x, d$y, seed = 1, partition = "random", cells = 16, threads = threads)
    }
  },
  "letters, 26 classes, prediction of 16 000 rows" = function(threads) {
    d <- letters_data()
    fit <- flexkern::vpsvm(d$x[1:4000, ], d$y[1:4000], seed = 1, gamma = 1, lambda = 1e-6)
    function() stats::predict(fit, d$x[-(1:4000), ], threads = threads)
  }
)

one_fit <- function(name) {
  counts <- c(1, a$threads)
  runs <- lapply(counts, fits[[name]])
  seconds <- replicate(a$reps, vapply(runs, function(run) elapsed(run()), 0))
  median <- apply(seconds, 1, stats::median)
  data.frame(fit = name, "1 thread [s]" = decimals(median[1], 2),
             "threads [s]" = decimals(median[2], 2), ratio = decimals(median[1] / median[2], 2),
             check.names = FALSE)
}

options(flexkern.verbose = FALSE)
rows <- do.call(rbind, lapply(names(fits), one_fit))
cat("\n1 and ", a$threads, " threads, medians of ", a$reps, "\n", sep = "")
markdown(rows)
