# The least-squares search on one cell beside liquidSVM's lsSVM: the same rows, the same grid of
# widths and penalties, five folds, the same number of threads. The two take turns; a time is the
# median over all data seeds and repetitions, an error their mean. Each repetition has other folds.
#
#   Rscript bench/bench-liquidsvm.R [data=type,letters] [n=1000,2500,5000] [seeds=3] [reps=3]
#                                   [threads=2] [csv=FILE for every single run]
source("bench/common.R")

a <- arguments(data = c("type", "letters"), n = c(1000, 2500, 5000), seeds = 3, reps = 3,
               threads = default_threads(), csv = "")

make_data <- list(type = step_data, letters = half_alphabet)

# ---- contestants -----------------------------------------------------------------------------

run_flexkern <- function(d, grid, folds_seed) {
  fit_time <- elapsed(fit <- flexkern::vpsvm(
    d$x, d$y, type = "regression", partition = "none", scale = "none",
    gamma = 1 / grid$width^2, lambda = grid$lambda, folds = 5, seed = folds_seed,
    threads = a$threads, verbose = FALSE
  ))
  predict_time <- elapsed(p <- stats::predict(fit, d$test_x, threads = a$threads))
  list(fit = fit_time, predict = predict_time, predicted = p)
}

# lsSVM draws its folds from R's stream.
run_liquidsvm <- function(d, grid, folds_seed) {
  x <- as.data.frame(d$x)
  test <- as.data.frame(d$test_x)
  set.seed(folds_seed)
  fit_time <- elapsed(fit <- liquidSVM::lsSVM(
    x, d$y, threads = a$threads, partition_choice = 0, useCells = FALSE, folds = 5,
    gammas = grid$width, lambdas = grid$lambda
  ))
  predict_time <- elapsed(p <- as.numeric(stats::predict(fit, test)))
  list(fit = fit_time, predict = predict_time, predicted = p)
}

contestants <- list(flexkern = run_flexkern)
if (installed("liquidSVM")) contestants$liquidSVM <- run_liquidsvm

one_run <- function(name, data, n, seed, rep, d) {
  gc(FALSE)
  unbind()
  r <- contestants[[name]](d, default_grid(d$x), folds_seed = 100 * rep + seed)
  l2 <- if (is.null(d$test_f)) NA else squared_error(r$predicted, d$test_f)
  data.frame(who = name, data = data, n = n, seed = seed, rep = rep, fit = r$fit,
             predict = r$predict, error = squared_error(r$predicted, d$test_y), excess = l2)
}

runs <- NULL
for (data in a$data) for (n in a$n) for (seed in seq_len(a$seeds)) {
  d <- make_data[[data]](n, seed)
  for (rep in seq_len(a$reps) - 1) for (name in names(contestants)) {
    runs <- rbind(runs, one_run(name, data, n, seed, rep, d))
  }
  message(data, ", n = ", n, ", seed ", seed, " done")
}
if (nzchar(a$csv)) utils::write.csv(runs, a$csv, row.names = FALSE)

# ---- table -----------------------------------------------------------------------------------

per_size <- function(g) {
  of <- function(who, column, f) {
    if (any(g$who == who)) f(g[g$who == who, column]) else NA_real_
  }
  both <- function(column, f) vapply(c("flexkern", "liquidSVM"), of, 0, column, f)
  fit <- both("fit", stats::median)
  predict <- both("predict", stats::median)
  error <- both("error", mean)
  excess <- both("excess", mean)
  data.frame(
    data = g$data[1], n = g$n[1],
    "fit [s]" = decimals(fit[1], 2), "liquidSVM" = decimals(fit[2], 2),
    "ratio" = decimals(fit[2] / fit[1], 1),
    "predict [s]" = decimals(predict[1], 2), "liquidSVM" = decimals(predict[2], 2),
    "LS error" = decimals(error[1], 5), "liquidSVM" = decimals(error[2], 5),
    "ratio" = decimals(error[1] / error[2], 4),
    "excess" = decimals(excess[1], 5), "liquidSVM" = decimals(excess[2], 5),
    check.names = FALSE
  )
}

cat("\nvpsvm() beside liquidSVM's lsSVM, ", a$threads, " threads, ", a$seeds, " data seeds x ",
    a$reps, " fold seeds\n(fit ratio: liquidSVM / vpsvm; error ratio: vpsvm / liquidSVM; excess: ",
    "squared distance to the true function)\n", sep = "")
groups <- split(runs, list(runs$n, factor(runs$data, a$data)), drop = TRUE)
markdown(do.call(rbind, lapply(groups, per_size)))
