# A search over the same 10 x 10 grid with five folds: vpsvm() beside e1071::tune() of svm(). The
# data are the steps of bench-liquidsvm.R; svm() learns eps-regression. One thread for e1071, which
# has no more. A time is the median over the repetitions.
#
#   Rscript bench/bench-tune.R [n=1000,2500] [reps=3] [threads=2]
source("bench/common.R")

a <- arguments(n = c(1000, 2500), reps = 3, threads = default_threads())
if (!installed("e1071")) quit("no")

run_vpsvm <- function(d, grid, seed) {
  flexkern::vpsvm(d$x, d$y, type = "regression", partition = "none", scale = "none",
                  gamma = grid$gamma, lambda = grid$lambda, seed = seed, threads = a$threads,
                  verbose = FALSE)
}

run_tune <- function(d, grid, seed) {
  set.seed(seed)
  e1071::tune(e1071::svm, d$x, d$y, scale = FALSE,
              ranges = list(gamma = grid$gamma, cost = grid$cost),
              tunecontrol = e1071::tune.control(cross = 5))$best.model
}

one_size <- function(n) {
  d <- step_data(n, 1)
  grid <- default_grid(d$x)
  grid$gamma <- 1 / grid$width^2
  # The cost of the same penalty on all n rows, see the help page of vpsvm().
  grid$cost <- 1 / (2 * grid$lambda * n)
  seconds <- error <- list()
  for (rep in seq_len(a$reps)) for (run in list(run_vpsvm, run_tune)) {
    who <- if (identical(run, run_vpsvm)) "vpsvm" else "tune"
    seconds[[who]] <- c(seconds[[who]], elapsed(fit <- run(d, grid, rep)))
    predicted <- stats::predict(fit, d$test_x)
    error[[who]] <- c(error[[who]], squared_error(predicted, d$test_y))
    message("n = ", n, ", repetition ", rep, ", ", who, ": ", utils::tail(seconds[[who]], 1), " s")
  }
  fit <- vapply(seconds, stats::median, 0)
  data.frame(
    n = n, "vpsvm [s]" = decimals(fit["vpsvm"], 2), "tune [s]" = decimals(fit["tune"], 1),
    ratio = decimals(fit["tune"] / fit["vpsvm"], 0),
    "LS error" = decimals(mean(error$vpsvm), 5), "tune" = decimals(mean(error$tune), 5),
    check.names = FALSE
  )
}

rows <- do.call(rbind, lapply(a$n, one_size))
cat("\nvpsvm() (", a$threads, " threads) beside e1071::tune() of svm(), medians of ", a$reps,
    "\n", sep = "")
markdown(rows)
